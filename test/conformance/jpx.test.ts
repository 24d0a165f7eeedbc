// Reads JPX files of real images with glymur and OpenJPEG. Titles of skipped tests name what is missing: python3-glymur,
// libopenjp2-tools, or the real files in SAMPLES_DIR.
import { beforeAll, describe, expect, it } from 'vitest';
import { JPX_STYLES } from '../../src/jp2/jpx/file-name.ts';
import { jpxLayout } from '../../src/jp2/jpx/layout.ts';
import { frameOf, layoutBytes } from '../support/jpx/jpx-bytes.ts';
import { decodeWithOpj, dumpWithOpj, hasGlymur, hasOpjDump, type ReadBox, readWithGlymur } from '../support/jpx/jpx-readers.ts';
import { archiveFiles, readArchiveFile } from '../support/real-files.ts';

const SERIES = [
  ['one source', /AIA/],
  ['a palette', /SWAP/],
  ['different sources and sizes', /SWAP|AIA_171|EIT|LASCO|RHESSI/],
] as const;
const FORMS = JPX_STYLES.flatMap((style) => [true, false].map((linked) => ({ style, linked })));
const CASES = SERIES.flatMap(([name, pattern]) => FORMS.map((form) => ({ name, pattern, ...form })));

interface Form {
  readonly pattern: RegExp;
  readonly style: 'standard' | '2016';
  readonly linked: boolean;
}

function jpxOf({ pattern, style, linked }: Form) {
  const names = archiveFiles.filter((name) => pattern.test(name));
  const files = new Map(names.map((name) => [name, readArchiveFile(name)]));
  const frames = [...files].map(([name, file]) => frameOf(name, file));
  return { file: layoutBytes(jpxLayout(frames, { linked, style }), files), frames, sources: [...files.values()] };
}

const boxesOf = (boxes: readonly ReadBox[], id: string): ReadBox[] =>
  boxes.flatMap((box) => [...(box.id === id ? [box] : []), ...boxesOf(box.boxes, id)]);
const numbersAfter = (text: string, label: string) =>
  [...text.matchAll(new RegExp(`${label}:? *(\\d+)`, 'g'))].map(([, n]) => Number(n));

const noFiles = archiveFiles.length === 0;
const missing = (program: string, isInstalled: boolean) =>
  [...(isInstalled ? [] : [program]), ...(noFiles ? ['the real files'] : [])].map((what) => `without ${what}`).join(', ');
const glymur = missing('python3-glymur', hasGlymur);
const openjpeg = missing('libopenjp2-tools', hasOpjDump);

describe(['glymur', glymur].join(' ').trim(), () => {
  let reports: ReturnType<typeof readWithGlymur> = [];
  beforeAll(() => {
    if (glymur === '') reports = readWithGlymur(CASES.map((form) => jpxOf(form).file));
  });

  it.skipIf(glymur !== '').each(CASES)('reads the frames of $name without a warning (style $style, linked $linked)', (form) => {
    const { file, frames, sources } = jpxOf(form);
    const { boxes, warnings } = reports[CASES.indexOf(form)]!;
    expect(warnings).toEqual([]);
    expect(boxesOf(boxes, 'jplh')).toHaveLength(frames.length);
    const codestreams = boxesOf(boxes, 'jp2c');
    const links = boxesOf(boxes, 'flst');
    const end = boxes.at(-1)!;
    expect(end.offset + end.length).toBe(file.length);
    if (form.linked) {
      expect(codestreams).toEqual([]);
      expect(links.flatMap(({ text }) => numbersAfter(text, 'Offset 0'))).toEqual(frames.map((frame) => frame.codestream.offset));
      expect(links.flatMap(({ text }) => numbersAfter(text, 'Fragment Length 0'))).toEqual(
        frames.map((frame) => frame.codestream.length),
      );
      expect(links.flatMap(({ text }) => numbersAfter(text, 'Data Reference 0'))).toEqual(frames.map((_, i) => i + 1));
    } else {
      codestreams.forEach(({ offset, length }, i) => {
        const { offset: from, length: bytes } = frames[i]!.codestream;
        expect(file.subarray(offset + 8, offset + length).equals(sources[i]!.subarray(from, from + bytes))).toBe(true);
      });
      expect(codestreams).toHaveLength(frames.length);
    }
    const associations = boxesOf(boxes, 'nlst').map(({ text }) => text);
    expect(associations.flatMap((text) => numbersAfter(text, 'codestream'))).toEqual(frames.map((_, i) => i));
    expect(associations.flatMap((text) => numbersAfter(text, 'compositing layer'))).toEqual(frames.map((_, i) => i));
    const dates = sources.map((source) => /<DATE[-_]OBS[^>]*>([^<]+)</.exec(Buffer.from(source).toString('latin1'))![1]!);
    boxesOf(boxes, 'xml ').forEach(({ text }, i) => {
      expect(text).toContain(dates[i]);
    });
  });
});

describe(['OpenJPEG', openjpeg].join(' ').trim(), () => {
  const embedded = CASES.filter(({ linked }) => !linked);
  const pixels = new Map<string, Buffer>();
  /** Pixels of the JP2 file that is the first frame, decoded once for all styles. */
  const pixelsOfSource = (name: string, source: Uint8Array): Buffer => {
    const known = pixels.get(name) ?? decodeWithOpj(source);
    pixels.set(name, known);
    return known;
  };

  it.skipIf(openjpeg !== '').each(embedded)(
    'decodes the first frame of $name to the pixels of its JP2 (style $style)',
    (form) => {
      const { file, sources } = jpxOf(form);
      expect(decodeWithOpj(file).equals(pixelsOfSource(form.name, sources[0]!))).toBe(true);
      expect(dumpWithOpj(file)).toContain(dumpWithOpj(sources[0]!).match(/x1=\d+, y1=\d+/)![0]);
    },
  );

  it.skipIf(openjpeg !== '')('accepts the boxes of a linked file, which has no codestream', () => {
    expect(() => dumpWithOpj(jpxOf({ pattern: /AIA/, style: '2016', linked: true }).file)).toThrow('Expected a SOC marker');
  });
});

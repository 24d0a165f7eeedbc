import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeSamples } from '../../demo/jp2/openjpeg.ts';
import { codedComponent } from '../../src/jp2/coefficients/format.ts';
import { indexJp2 } from '../../src/jp2/sidecar.ts';
import { decodeFrom } from '../support/imaging/decode.ts';
import { makeRaster } from '../support/imaging/rasters.ts';
import { decodeFromParts, transcoded } from '../support/jp2/coefficients.ts';
import { hasOpj, opjCompress } from '../support/jp2/opj.ts';
import { type Feature, opjCase } from '../support/jp2/opj-cases.ts';
import { archiveFiles, conformanceStreams, readArchiveFile, readConformanceFile } from '../support/real-files.ts';

const SEED = 20261122;

type Subject = ReturnType<typeof subject>;

/** The stream with its sidecar; null when it cannot have one. */
function subjectOrNull(title: string, bytes: Uint8Array) {
  const index = indexJp2(bytes);
  const parts = transcoded(bytes, index);
  return parts && { title, bytes, index, parts };
}

/** A stream that has a sidecar. */
function subject(title: string, bytes: Uint8Array) {
  const made = subjectOrNull(title, bytes);
  if (!made) throw new Error(`Expected a sidecar of ${title}, got none.`);
  return made;
}

const draw = fc.record({
  which: fc.nat(),
  reduce: fc.nat(),
  left: fc.double({ min: 0, max: 1, noNaN: true }),
  top: fc.double({ min: 0, max: 1, noNaN: true }),
  width: fc.double({ min: 0, max: 1, noNaN: true }),
  height: fc.double({ min: 0, max: 1, noNaN: true }),
});

/** Checks random windows of at most `maxSide` samples a side. An error names its stream and window. */
function windowsAreEqual(subjects: readonly Subject[], runs: number, maxSide: number): void {
  const property = fc.property(draw, (d) => {
    const { title, bytes, index, parts } = subjects[d.which % subjects.length]!;
    const { levels } = codedComponent(index)!.coding;
    const reduce = d.reduce % (levels + 1);
    const { x0, y0, x1, y1 } = index.size;
    const [left, top] = [x0 + Math.floor(d.left * (x1 - x0 - 1)), y0 + Math.floor(d.top * (y1 - y0 - 1))];
    const side = (part: number, full: number) => 1 + Math.floor(part * Math.min(full, maxSide << reduce));
    const window = { x0: left, y0: top, x1: left + side(d.width, x1 - x0), y1: top + side(d.height, y1 - y0) };
    const [expected] = decodeFrom(bytes, index, reduce, window);
    const [got] = decodeFromParts(parts, reduce, window);
    const at = got!.samples.findIndex((sample, i) => sample !== expected!.samples[i]);
    const same = at < 0 && got!.samples.length === expected!.samples.length;
    if (!same) throw new Error(`${title} reduced by ${reduce}, ${JSON.stringify(window)}: sample ${at} differs`);
  });
  fc.assert(property, { seed: SEED, numRuns: runs });
}

const BLOCKS = [
  [64, 64],
  [16, 64],
  [4, 4],
  [256, 16],
  [1024, 4],
  [4, 1024],
] as const;

const MADE = Array.from({ length: 36 }, (_, i): Subject => {
  const shape = {
    width: [1, 2, 33, 129, 300, 640][i % 6]!,
    height: [1, 57, 3, 190, 257, 90][(i + Math.floor(i / 6)) % 6]!,
    precision: [8, 8, 12, 16][i % 4]!,
    signed: i % 5 === 4,
    seed: i,
  };
  const options = {
    lossless: i % 2 === 0,
    levels: Math.min(i % 7, Math.floor(Math.log2(Math.min(shape.width, shape.height)))),
    order: i % 5,
    block: BLOCKS[i % BLOCKS.length]!,
    ...(i % 4 === 1 ? { layerRatios: [60, 20, 5] } : {}),
  };
  return subject(JSON.stringify({ ...shape, ...options }), encodeSamples(makeRaster(shape), options));
});

describe('windows from the coefficient sidecar', () => {
  it('equal those from streams of all shapes, depths, filters, code-blocks and precincts', () => {
    windowsAreEqual(MADE, 400, 4096);
  });

  it.skipIf(!hasOpj)(
    'equal those from streams of opj_compress (libopenjp2-tools) with every code-block style and with offsets',
    () => {
      const features: readonly Feature[] = ['modes', 'layers', 'depth', 'precincts'];
      const cases = Array.from({ length: 60 }, (_, i) => opjCase(features[i % features.length]!, 500 + i));
      // Streams of several tiles or components have no sidecar. The others are one tile, every other with an offset of its own.
      const single = cases.filter(({ raster, options }) => raster.components.length === 1 && !options.includes('-t'));
      const subjects = single.map(({ title, raster, options }, i) => {
        const offset = i % 2 ? ['-d', `${1 + 13 * i},${7 * i}`] : [];
        return subject(`${title} ${offset.join(' ')}`, opjCompress(raster, [...options, ...offset]));
      });
      expect(subjects.length).toBeGreaterThan(15);
      expect(subjects.filter(({ index }) => index.size.x0 > 0 && index.size.y0 > 0).length).toBeGreaterThan(7);
      windowsAreEqual(subjects, 300, 4096);
    },
  );

  it.skipIf(conformanceStreams.length === 0)('equal those from the conformance streams of one tile and component', () => {
    const subjects = conformanceStreams.flatMap((name) => subjectOrNull(name, readConformanceFile(name)) ?? []);
    expect(subjects.length).toBeGreaterThan(3);
    windowsAreEqual(subjects, 60, 512);
  });

  it.skipIf(archiveFiles.length === 0)('equal those from real files, in 88 to 107 per cent of their size', () => {
    const subjects = archiveFiles.map((name) => subject(name, readArchiveFile(name)));
    for (const { title, bytes, parts } of subjects.filter(({ bytes }) => bytes.length > 20_000)) {
      const share = (parts.A.length + parts.B.length + parts.C.length) / bytes.length;
      expect(share, title).toBeGreaterThan(0.88);
      expect(share, title).toBeLessThan(1.07);
    }
    windowsAreEqual(subjects, 60, 300);
  });
});

if (conformanceStreams.length === 0) it.skip('conformance streams and real files: SAMPLES_DIR has none', () => {});

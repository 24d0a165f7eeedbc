// Compares the decoding of the real archive files in SAMPLES_DIR with OpenJPEG, and their headers with known values.
import { describe, expect, it } from 'vitest';
import type { DecodedComponent } from '../../src/jp2/decode.ts';
import { decodeSidecar, encodeSidecar, indexJp2, type Jp2Index } from '../../src/jp2/sidecar.ts';
import { decodeFrom } from '../support/imaging/decode.ts';
import { openjpegDecode } from '../support/jp2/openjpeg.ts';
import { archiveFiles, readArchiveFile } from '../support/real-files.ts';

interface Facts {
  readonly side: readonly [width: number, height: number];
  readonly levels: number;
  readonly layers: number;
  readonly packets: number;
  readonly palette: boolean;
}

/** Header values by part of the file name, read with other tools. */
const FACTS: readonly (readonly [string, Facts])[] = [
  ['MDI_continuum', { side: [1024, 1024], levels: 8, layers: 8, packets: 72, palette: false }],
  ['RHESSI', { side: [101, 101], levels: 8, layers: 8, packets: 72, palette: false }],
  ['00_01_34_351__PROBA2_SWAP', { side: [1024, 1024], levels: 5, layers: 4, packets: 348, palette: true }],
  ['00_03_44_352__PROBA2_SWAP', { side: [1024, 1024], levels: 5, layers: 4, packets: 348, palette: true }],
  ['AIA_171', { side: [4096, 4096], levels: 8, layers: 8, packets: 10944, palette: false }],
  ['AIA_304', { side: [4096, 4096], levels: 8, layers: 8, packets: 10944, palette: false }],
  ['AIA_193', { side: [4096, 4096], levels: 8, layers: 8, packets: 10944, palette: false }],
  ['EUI_FSI', { side: [3040, 3072], levels: 5, layers: 4, packets: 3080, palette: false }],
  ['HMI_magnetogram', { side: [4096, 4096], levels: 8, layers: 8, packets: 72, palette: false }],
  ['LASCO_C3', { side: [1024, 1024], levels: 8, layers: 8, packets: 72, palette: false }],
  ['EIT_171', { side: [1024, 1024], levels: 8, layers: 8, packets: 72, palette: false }],
  ['iris_1330A', { side: [176, 196], levels: 8, layers: 8, packets: 72, palette: false }],
];

/** Largest window that the decoder accepts; images are decoded in windows of this size. */
const WINDOW_SIDE = 2048;

const opened = new Map<string, { bytes: Uint8Array; index: Jp2Index }>();

function open(part: string): { bytes: Uint8Array; index: Jp2Index } {
  const known = opened.get(part);
  if (known) return known;
  const bytes = readArchiveFile(archiveFiles.find((name) => name.includes(part)) as string);
  const file = { bytes, index: indexJp2(bytes) };
  opened.set(part, file);
  return file;
}

/** Largest difference of a window from the whole image. */
function peakIn({ x0, y0, width, height, samples }: DecodedComponent, whole: ReturnType<typeof openjpegDecode>): number {
  let peak = 0;
  for (let y = 0, i = 0; y < height; y++) {
    let at = (y0 + y) * whole.width + x0;
    for (let x = 0; x < width; x++) {
      const difference = Math.abs((samples[i++] as number) - (whole.samples[at++] as number));
      if (!(difference <= peak)) peak = difference;
    }
  }
  return peak;
}

describe.skipIf(archiveFiles.length === 0)('real archive files', () => {
  it.for(FACTS)('%s is indexed with the right size, levels, layers and packets', ([part, facts]) => {
    const { index } = open(part);
    const [tile] = index.tiles;
    expect(index.tiles).toHaveLength(1);
    expect([index.size.x1, index.size.y1]).toEqual(facts.side);
    expect(tile?.parameters.coding[0]).toMatchObject({ levels: facts.levels, reversible: false, blockStyle: 0 });
    expect(tile?.parameters.layers).toBe(facts.layers);
    expect((tile?.components[0]?.precinctCount ?? 0) * facts.layers).toBe(facts.packets);
    expect(index.palette !== null).toBe(facts.palette);
  });

  it.for(FACTS)('%s decodes within one grey level of OpenJPEG at every reduction', ([part, facts]) => {
    const { bytes, index } = open(part);
    const codestream = bytes.subarray(index.codestreamOffset, index.codestreamOffset + index.codestreamLength);
    for (let reduce = 0; reduce <= facts.levels; reduce++) {
      const theirs = openjpegDecode(codestream, reduce);
      let [peak, compared] = [0, 0];
      const step = WINDOW_SIDE << reduce;
      for (let y0 = 0; y0 < facts.side[1]; y0 += step)
        for (let x0 = 0; x0 < facts.side[0]; x0 += step) {
          const [ours] = decodeFrom(bytes, index, reduce, { x0, y0, x1: x0 + step, y1: y0 + step }) as [DecodedComponent];
          peak = Math.max(peak, peakIn(ours, theirs));
          compared += ours.samples.length;
        }
      expect(compared).toBe(theirs.width * theirs.height);
      expect(peak, `reduced by ${reduce}`).toBeLessThanOrEqual(1);
    }
  });

  it.for(FACTS)('%s decodes to the same samples from its index and from its sidecar', ([part]) => {
    const { bytes, index } = open(part);
    const sidecar = encodeSidecar(index);
    const read = decodeSidecar(sidecar);
    expect(read.size).toEqual(index.size);
    expect(read.tiles).toEqual(index.tiles);
    expect([read.palette, read.xmlOffset, read.xmlLength, read.codestreamOffset]).toEqual([
      index.palette,
      index.xmlOffset,
      index.xmlLength,
      index.codestreamOffset,
    ]);
    expect(encodeSidecar(read)).toEqual(sidecar);
    const window = { x0: 37, y0: 51, x1: 400, y1: 333 };
    expect(decodeFrom(bytes, read, 1, window)).toEqual(decodeFrom(bytes, index, 1, window));
  });

  it('SWAP files have a gold palette that starts at black', () => {
    const palette = open('00_01_34_351__PROBA2_SWAP').index.palette as Uint8Array;
    expect(palette).toHaveLength(768);
    expect(Array.from(palette.subarray(0, 3))).toEqual([0, 0, 0]);
    const [red, green, blue] = palette.subarray(128 * 3, 129 * 3) as unknown as [number, number, number];
    expect(red).toBeGreaterThan(green);
    expect(green).toBeGreaterThan(blue);
  });
});

if (archiveFiles.length === 0) it.skip('real archive files: SAMPLES_DIR has none', () => {});

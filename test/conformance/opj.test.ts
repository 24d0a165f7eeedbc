// Decodes streams of opj_compress and compares them with opj_decompress: equal with the 5/3 transform, within one grey level
// with the 9/7 transform, or four of 65 536 above 12 bits, because the order of f32 sums differs.
import { describe, expect, it } from 'vitest';
import { indexJp2, type Jp2Index } from '../../src/jp2/sidecar.ts';
import { decodeFrom } from '../support/imaging/decode.ts';
import { makeRaster, randomNumbers } from '../support/imaging/rasters.ts';
import { differenceFromCrop } from '../support/imaging/windows.ts';
import { hasOpj, opjCompress, opjDecompress } from '../support/jp2/opj.ts';
import { type Feature, type OpjCase, opjCase } from '../support/jp2/opj-cases.ts';
import { type PgxImage, readPgx } from '../support/jp2/pgx.ts';

const CASES_PER_FEATURE = 8;

const FEATURES: readonly [Feature, string][] = [
  ['plain', 'images of any shape'],
  ['tiles', 'tiles and offsets of image and tiles'],
  ['modes', 'code-block modes: bypass, reset, termination, vertically causal, segmentation symbols'],
  ['precincts', 'precincts in all progressions'],
  ['tile-parts', 'tile-parts by resolution, layer or component'],
  ['region', 'a component as region of interest'],
  ['subsampling', 'components of different sampling'],
  ['layers', 'several quality layers'],
  ['depth', 'samples of 9, 12 and 16 bits'],
];

/** Stream of opj_compress, and its planes; null for the few combinations that it rejects or wrongly encodes with loss. */
function encode({ raster, options, subsampling, lossless }: OpjCase) {
  let stream: Uint8Array;
  try {
    stream = opjCompress(raster, options, subsampling);
  } catch {
    return null;
  }
  const theirs = opjDecompress(stream);
  const same = theirs.every((plane, c) => plane.samples.every((sample, i) => sample === raster.components[c]?.[i]));
  return lossless && !same ? null : { stream, theirs };
}

/** Largest difference from the planes of opj_decompress. */
function peak(theirs: readonly PgxImage[], ours: ReturnType<typeof decodeFrom>): number {
  let largest = 0;
  theirs.forEach(({ width, height, samples }, c) => {
    const plane = ours[c] as (typeof ours)[number];
    expect([plane.width, plane.height]).toEqual([width, height]);
    samples.forEach((sample, i) => {
      largest = Math.max(largest, Math.abs(sample - (plane.samples[i] as number)));
    });
  });
  return largest;
}

const fewestLevels = (index: Jp2Index): number =>
  Math.min(...index.tiles.flatMap(({ parameters }) => parameters.coding.map(({ levels }) => levels)));

function checkWindows(stream: Uint8Array, index: Jp2Index, reduce: number, seed: number): void {
  const random = randomNumbers(seed);
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  const full = decodeFrom(stream, index, reduce);
  for (let i = 0; i < 3; i++) {
    const [x0, y0] = [int(index.size.x0 - 3, index.size.x1), int(index.size.y0 - 3, index.size.y1)];
    const window = { x0, y0, x1: x0 + int(1, 150), y1: y0 + int(1, 150) };
    expect(differenceFromCrop(decodeFrom(stream, index, reduce, window), full)).toBe('');
  }
}

describe.skipIf(!hasOpj)('streams of opj_compress, compared with opj_decompress', () => {
  it.for(FEATURES)('%s: %s', ([feature]) => {
    let decoded = 0;
    for (let seed = 1; seed <= CASES_PER_FEATURE; seed++) {
      const made = opjCase(feature, seed * 100 + FEATURES.findIndex(([name]) => name === feature));
      const encoded = encode(made);
      if (!encoded) continue;
      const { stream, theirs } = encoded;
      decoded++;
      const index = indexJp2(stream);
      const tolerance = made.lossless ? 0 : made.raster.precision > 12 ? 4 : 1;
      const reduce = seed % (fewestLevels(index) + 1);
      expect(peak(theirs, decodeFrom(stream, index, 0)), made.title).toBeLessThanOrEqual(tolerance);
      expect(
        peak(opjDecompress(stream, reduce), decodeFrom(stream, index, reduce)),
        `${made.title}, reduced by ${reduce}`,
      ).toBeLessThanOrEqual(tolerance);
      checkWindows(stream, index, reduce, seed);
    }
    expect(decoded).toBeGreaterThanOrEqual(CASES_PER_FEATURE / 2);
  });

  it.for([
    'T1=0,0,3,3,3,RLCP/T1=3,0,3,6,3,CPRL',
    'T1=0,0,3,2,3,LRCP/T1=2,0,3,6,2,RPCL/T1=2,2,3,6,3,PCRL',
    'T1=0,0,3,6,1,RPCL/T1=0,1,3,4,3,LRCP/T1=4,1,3,6,3,RLCP',
  ])('progression order changes: %s', (changes) => {
    const raster = makeRaster({ width: 130, height: 97, components: 3 });
    const stream = opjCompress(raster, ['-n', '6', '-r', '20,5,1', '-c', '[64,64]', '-POC', changes]);
    const index = indexJp2(stream);
    expect(index.tiles[0]?.parameters.progressions.length).toBeGreaterThan(1);
    decodeFrom(stream, index, 0).forEach(({ samples }, c) => {
      expect(Array.from(samples)).toEqual(Array.from(raster.components[c] as Int32Array));
    });
    checkWindows(stream, index, 1, 5);
  });

  it('a region of interest decodes without loss with arithmetic coding bypass', () => {
    const raster = makeRaster({ width: 80, height: 70, precision: 12 });
    const stream = opjCompress(raster, ['-M', '1', '-ROI', 'c=0,U=3']);
    const [ours] = decodeFrom(stream, indexJp2(stream), 0);
    expect(Array.from(ours?.samples ?? [])).toEqual(Array.from(raster.components[0] as Int32Array));
  });
});

if (!hasOpj) it.skip('streams of opj_compress: libopenjp2-tools is not installed', () => {});

it('PGX planes keep their sign and depth', () => {
  const bytes = Uint8Array.of(...new TextEncoder().encode('PG ML - 12 2 1\n'), 0xff, 0xff, 0x07, 0xff);
  expect(readPgx(bytes)).toMatchObject({ width: 2, height: 1, precision: 12, signed: true });
  expect(Array.from(readPgx(bytes).samples)).toEqual([-1, 2047]);
});

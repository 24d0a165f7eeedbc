import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type EncodeOptions, encodeSamples } from '../../demo/jp2/openjpeg.ts';
import type { DecodedComponent } from '../../src/jp2/decode.ts';
import { indexJp2, type Jp2Index } from '../../src/jp2/sidecar.ts';
import { decodeFrom, decodeStepsFrom } from '../support/imaging/decode.ts';
import { makeRaster, type RasterShape } from '../support/imaging/rasters.ts';
import { differenceFromCrop } from '../support/imaging/windows.ts';
import { archiveFiles, readArchiveFile } from '../support/real-files.ts';

const SEED = 20260701;

/** A stream and its decoded images by reduction. */
interface Subject {
  readonly bytes: Uint8Array;
  readonly index: Jp2Index;
  readonly full: Map<number, DecodedComponent[]>;
}

const subject = (bytes: Uint8Array): Subject => ({ bytes, index: indexJp2(bytes), full: new Map() });

function whole({ bytes, index, full }: Subject, reduce: number): DecodedComponent[] {
  const known = full.get(reduce) ?? decodeFrom(bytes, index, reduce);
  full.set(reduce, known);
  return known;
}

const levelsOf = ({ index }: Subject): number => index.tiles[0]?.parameters.coding[0]?.levels ?? 0;

/** Fractions of an image's size, which fit any image. */
const draw = fc.record({
  which: fc.nat(),
  reduce: fc.nat(),
  left: fc.double({ min: -0.05, max: 1, noNaN: true }),
  top: fc.double({ min: -0.05, max: 1, noNaN: true }),
  width: fc.double({ min: 0, max: 1, noNaN: true }),
  height: fc.double({ min: 0, max: 1, noNaN: true }),
});

function windowOf({ index }: Subject, d: { left: number; top: number; width: number; height: number }, maxSide: number) {
  const { x0, y0, x1, y1 } = index.size;
  const [left, top] = [x0 + Math.floor(d.left * (x1 - x0)), y0 + Math.floor(d.top * (y1 - y0))];
  const side = (part: number, full: number): number => 1 + Math.floor(part * Math.min(full, maxSide));
  return { x0: left, y0: top, x1: left + side(d.width, x1 - x0), y1: top + side(d.height, y1 - y0) };
}

const SHAPES: readonly RasterShape[] = [
  { width: 1, height: 1 },
  { width: 1, height: 57 },
  { width: 83, height: 1, precision: 12 },
  { width: 2, height: 3, components: 3 },
  { width: 31, height: 17 },
  { width: 64, height: 64, precision: 16 },
  { width: 65, height: 129, precision: 10, signed: true },
  { width: 101, height: 101 },
  { width: 150, height: 93, components: 3 },
  { width: 257, height: 190, precision: 12, signed: true },
  { width: 300, height: 200 },
];

/** Levels that reduce the shorter side to 1, the maximum of OpenJPEG; the archive has such files. */
const maxLevels = ({ width, height }: RasterShape): number => Math.min(8, Math.floor(Math.log2(Math.min(width, height))));

/** Every shape lossless and lossy, in all progressions, with 0 to 8 levels. */
const ENCODED = SHAPES.flatMap((shape, s) =>
  [0, 1, 2, 3].map((variant): [RasterShape, EncodeOptions] => {
    const number = s * 4 + variant;
    const lossless = variant < 2;
    const options: EncodeOptions = {
      lossless,
      levels: variant === 0 ? maxLevels(shape) : (number * 5) % (maxLevels(shape) + 1),
      order: number % 5,
      ...(variant === 3 ? { layerRatios: [60, 20, 5] } : {}),
      ...(number % 3 === 0 ? { block: [16, 64] as const } : {}),
    };
    return [{ ...shape, seed: number + 1 }, options];
  }),
);

const describeStream = ([shape, options]: readonly [RasterShape, EncodeOptions]): string =>
  JSON.stringify({ ...shape, ...options });

const encoded = ENCODED.map(([shape, options]) => {
  const raster = makeRaster(shape);
  return { title: describeStream([shape, options]), raster, options, ...subject(encodeSamples(raster, options)) };
});

/** Checks random windows. An error names its stream and window. */
function windowsEqualCrops(
  subjects: readonly (Subject & { title: string })[],
  runs: number,
  maxSide: number,
  firstReduce = 0,
): void {
  fc.assert(
    fc.property(draw, (d) => {
      const drawn = subjects[d.which % subjects.length] as (typeof subjects)[number];
      const reduce = firstReduce + (d.reduce % (levelsOf(drawn) - firstReduce + 1));
      const window = windowOf(drawn, d, maxSide << reduce);
      const full = whole(drawn, reduce);
      const difference = differenceFromCrop(decodeFrom(drawn.bytes, drawn.index, reduce, window), full);
      if (difference) throw new Error(`${drawn.title} reduced by ${reduce}, ${JSON.stringify(window)}: ${difference}`);
    }),
    { seed: SEED, numRuns: runs },
  );
}

it.for(encoded.filter(({ options }) => options.lossless))('$title decodes to the source pixels', ({ raster, bytes, index }) => {
  const components = decodeFrom(bytes, index, 0);
  expect(components).toHaveLength(raster.components.length);
  components.forEach(({ samples }, c) => {
    expect(Array.from(samples)).toEqual(Array.from(raster.components[c] as Int32Array));
  });
});

it('windows of encoded rasters equal the crops of the whole images', () => {
  windowsEqualCrops(encoded, 700, 4096);
});

it('images that are decoded in turns, a step of each, equal those decoded alone, even after some were abandoned', () => {
  const subjects = encoded.slice(-8);
  const abandoned = subjects.map(({ bytes, index }) => decodeStepsFrom(bytes, index, 0));
  for (const steps of abandoned) steps.next();
  const running = new Map(subjects.map((each) => [each, decodeStepsFrom(each.bytes, each.index, 0)]));
  let turns = 0;
  while (running.size > 0) {
    for (const [each, steps] of running) {
      const step = steps.next();
      turns += 1;
      if (!step.done) continue;
      running.delete(each);
      expect(step.value).toEqual(whole(each, 0));
    }
  }
  expect(turns).toBeGreaterThan(2 * subjects.length);
});

it.skipIf(archiveFiles.length === 0)('windows of real files equal the crops of the whole images', () => {
  const real = archiveFiles.map((title) => ({ title, ...subject(readArchiveFile(title)) }));
  const small = real.filter(({ index }) => index.size.x1 <= 2048);
  const large = real.filter(({ index }) => index.size.x1 > 2048);
  windowsEqualCrops(small, 150, 300);
  windowsEqualCrops(large, 150, 300, 1);
});

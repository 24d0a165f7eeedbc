import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { copyIn, withCore } from '../../src/jp2/core/core.ts';
import { colouredPixels } from '../../src/picture/encode/png.ts';
import type { LayerPixels, StripContent } from '../../src/picture/raster/compose.ts';
import { composeRgb, composeYuv420, drawOver, yuv420Bytes } from '../../src/picture/raster/compose.ts';
import { blackAlpha, ringAlpha } from '../../src/picture/raster/mask.ts';
import { compare, resample, triangleTaps } from '../../src/picture/raster/resample.ts';
import {
  bt709,
  referenceColouredPixels,
  referenceDifference,
  referenceDrawOver,
  referenceResample,
  referenceRingAlpha,
  referenceYuv420,
} from '../support/imaging/reference-drawing.ts';
import { scramble } from '../support/imaging/strips.ts';

const RUNS = { numRuns: 120, seed: 20261122 };

const noise = (length: number, seed: number): Uint8Array => Uint8Array.from({ length }, (_, i) => scramble(i + seed));
const sides = fc.integer({ min: 1, max: 70 });

/** An output axis over an image: enlarged, reduced, shifted, partly or entirely outside. */
const axis = fc.record({
  start: fc.oneof(fc.integer({ min: -40, max: 60 }), fc.double({ min: -40, max: 60, noNaN: true })),
  step: fc.oneof(fc.constantFrom(0.5, 1, 1.5, 2, 4), fc.double({ min: 0.1, max: 9, noNaN: true })),
  count: sides,
  size: fc.integer({ min: 1, max: 90 }),
  reduce: fc.integer({ min: 0, max: 2 }),
});

const layers = fc
  .record({
    width: sides,
    height: sides,
    x: fc.tuple(fc.nat(70), fc.nat(70)),
    y: fc.tuple(fc.nat(70), fc.nat(70)),
    masked: fc.constantFrom('no', 'noise', 'mostly transparent'),
    coloured: fc.boolean(),
    opacity: fc.constantFrom(0, 1, 40, 99, 100),
    blend: fc.constantFrom(undefined, 'add' as const),
    seed: fc.nat(),
  })
  .map(({ width, height, x, y, masked, coloured, opacity, blend, seed }) => {
    const [x0, x1] = x.map((v) => Math.min(v, width)).sort((a, b) => a - b) as [number, number];
    const [y0, y1] = y.map((v) => Math.min(v, height)).sort((a, b) => a - b) as [number, number];
    const mask = noise(width * height, seed + 1);
    const pixels: LayerPixels = {
      width,
      height,
      samples: noise(width * height, seed),
      covered: { x0, y0, x1, y1 },
      alpha: masked === 'no' ? null : masked === 'noise' ? mask : mask.map((v) => (v < 250 ? 0 : 255)),
      palette: coloured ? noise(768, seed + 2) : null,
    };
    return { pixels, opacity, blend, seed };
  });

it('the core resamples windows as the reference does, bit by bit', () => {
  const property = fc.property(axis, axis, fc.nat(), (a, b, seed) => {
    const [x, y] = [triangleTaps(a), triangleTaps(b)];
    const samples = noise((x.end - x.first) * (y.end - y.first), seed);
    const [ours, theirs] = [new Uint8Array(a.count * b.count), new Uint8Array(a.count * b.count)];
    resample(samples, x, y, ours, a.count);
    referenceResample(samples, x, y, theirs, a.count);
    expect(ours).toEqual(theirs);
  });
  fc.assert(property, RUNS);
});

it('the core gives masked and partly covered samples the colours and the alpha of the reference', () => {
  const property = fc.property(layers, ({ pixels: { width, height, samples, covered, alpha, palette } }) => {
    const colours = palette ?? noise(768, 1);
    expect(colouredPixels(samples, width, height, covered, colours, alpha)).toEqual(
      referenceColouredPixels(samples, width, covered, colours, alpha),
    );
  });
  fc.assert(property, RUNS);
});

it('black samples become transparent, and no others', () => {
  const property = fc.property(fc.uint8Array({ maxLength: 70 }), (samples) => {
    const expected = samples.includes(0) ? samples.map((sample) => (sample === 0 ? 0 : 255)) : null;
    expect(blackAlpha(samples)).toEqual(expected);
  });
  fc.assert(property, RUNS);
});

it('the core subtracts every sample from every other', () => {
  const newer = Uint8Array.from({ length: 65_536 }, (_, i) => i >> 8);
  const older = Uint8Array.from({ length: 65_536 }, (_, i) => i);
  const expected = newer.map((value, i) => referenceDifference(value, older[i]!));
  compare(newer, older, false);
  expect(Buffer.compare(newer, expected)).toBe(0);
});

it('the core draws layers of any coverage, mask, opacity, blend and colours as the reference does', () => {
  const property = fc.property(layers, ({ pixels, opacity, blend, seed }) => {
    const ours = noise(3 * pixels.width * pixels.height, seed + 3);
    const theirs = ours.slice();
    drawOver(ours, pixels, opacity, blend);
    referenceDrawOver(theirs, pixels, opacity, blend);
    expect(ours).toEqual(theirs);
  });
  fc.assert(property, RUNS);
});

it('the core masks rings as the reference does', () => {
  const circle = fc.record({
    x: fc.double({ min: -20, max: 90, noNaN: true }),
    y: fc.double({ min: -20, max: 90, noNaN: true }),
    radius: fc.double({ min: 0, max: 80, noNaN: true }),
  });
  const ring = fc.record({
    inner: circle,
    outer: circle,
    softness: fc.constantFrom(0, 3, 20),
    masksDownloads: fc.constant(false),
  });
  const grid = fc.record({
    left: fc.double({ min: -30, max: 60, noNaN: true }),
    top: fc.double({ min: -30, max: 60, noNaN: true }),
    step: fc.double({ min: 0.1, max: 5, noNaN: true }),
    width: sides,
    height: sides,
  });
  const property = fc.property(ring, grid, (shape, pixels) => {
    const covered = { x0: pixels.width >> 2, y0: 0, x1: pixels.width, y1: pixels.height - (pixels.height >> 2) };
    const expected = referenceRingAlpha(shape, pixels, covered);
    const alpha = ringAlpha(shape, pixels, covered);
    if (alpha) expect(alpha).toEqual(expected);
    else
      for (let y = covered.y0; y < covered.y1; y++)
        expect(expected.subarray(y * pixels.width + covered.x0, y * pixels.width + covered.x1).every((a) => a === 255)).toBe(
          true,
        );
  });
  fc.assert(property, { ...RUNS, numRuns: 400 });
});

it('the core sums bytes as zlib does, the largest ones and those of a later part too', () => {
  const property = fc.property(fc.nat(), fc.nat(20_000), fc.boolean(), (seed, cut, isLargest) => {
    const bytes = isLargest ? new Uint8Array(100_003).fill(255) : noise(20_003, seed);
    const [first, rest] = [bytes.subarray(0, cut), bytes.subarray(cut)];
    const sum = withCore((core) => {
      const start = core.adler32(1, copyIn(core, first), first.length);
      return core.adler32(start, copyIn(core, rest), rest.length) >>> 0;
    });
    expect(sum).toBe(deflateSync(bytes, { level: 0 }).subarray(-4).readUInt32BE());
  });
  fc.assert(property, { ...RUNS, numRuns: 40 });
});

const strip = (width: number, height: number, samples: Uint8Array, palette: Uint8Array): StripContent => {
  const covered = { x0: 0, y0: 0, x1: width, y1: height };
  const pixels = { width, height, samples, covered, alpha: null, palette };
  return { width, height, y0: 0, layers: [{ pixels, opacity: 100 }], drawAbove: () => {} };
};

const yuv = (content: StripContent): Uint8Array => {
  const out = new Uint8Array(yuv420Bytes(content.width, content.height));
  composeYuv420(content, out);
  return out;
};
const rgb = (content: StripContent): Uint8Array => {
  const out = new Uint8Array(3 * content.width * content.height);
  composeRgb(content, out);
  return out;
};

it('frames as Y, Cb, Cr converts any colours and sizes to BT.709 rounded to whole levels', () => {
  const property = fc.property(sides, sides, fc.nat(), (halfWidth, halfHeight, seed) => {
    const [width, height] = [2 * halfWidth, 2 * halfHeight];
    const content = strip(width, height, noise(width * height, seed), noise(768, seed + 1));
    const expected = referenceYuv420(rgb(content), width, height);
    const planes = yuv(content);
    expect(planes.length).toBe(expected.length);
    let most = 0;
    for (const [i, value] of planes.entries()) most = Math.max(most, Math.abs(value - expected[i]!));
    expect(most).toBeLessThan(0.51);
  });
  fc.assert(property, RUNS);
});

it('frames as Y, Cb, Cr gives the same planes in strips', () => {
  const [width, height] = [30, 24];
  const samples = noise(width * height, 5);
  const palette = noise(768, 6);
  const whole = yuv(strip(width, height, samples, palette));
  const inStrips = new Uint8Array(whole.length);
  for (const [y0, y1] of [
    [0, 4],
    [4, 18],
    [18, 24],
  ] as const)
    composeYuv420(strip(width, y1 - y0, samples.subarray(width * y0, width * y1), palette), inStrips, y0);
  expect(inStrips).toEqual(whole);
});

it('frames as Y, Cb, Cr map greys to luma 16 to 235 without chroma', () => {
  const greys = Uint8Array.from({ length: 1024 }, (_, i) => i >> 2);
  const palette = Uint8Array.from({ length: 768 }, (_, i) => Math.floor(i / 3));
  const planes = yuv(strip(4, 256, greys, palette));
  for (let grey = 0; grey < 256; grey++) expect(planes[4 * grey]).toBe(Math.round(bt709([grey, grey, grey])[0]));
  expect([...new Set(planes.subarray(1024))]).toEqual([128]);
});

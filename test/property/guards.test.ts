import { expect, it, vi } from 'vitest';
import { encodeSamples } from '../../demo/jp2/openjpeg.ts';
import { type CoreExports, withCore } from '../../src/jp2/core/core.ts';
import { indexJp2 } from '../../src/jp2/sidecar.ts';
import { rgbPng } from '../../src/picture/encode/png.ts';
import { composeRgb, composeYuv420, yuv420Bytes } from '../../src/picture/raster/compose.ts';
import { compare, resample, triangleTaps } from '../../src/picture/raster/resample.ts';
import { coefficientsTarget } from '../fuzz/coefficients.ts';
import { decodeTarget } from '../fuzz/decode.ts';
import { drawsOfSeed } from '../fuzz/draws.ts';
import { fuzz } from '../fuzz/fuzzer.ts';
import { sidecarTarget } from '../fuzz/sidecar.ts';
import { decodeFrom } from '../support/imaging/decode.ts';
import { makeRaster, randomNumbers } from '../support/imaging/rasters.ts';

vi.mock('#core-module', async () => {
  const { compileGuardedCore } = await import('../support/jp2/guarded-core.ts');
  return { default: await compileGuardedCore() };
});

/** Guards overwritten since the core was instantiated. A call checks the guards of the previous one. */
const brokenGuards = (): number =>
  withCore((core) => (core as CoreExports & { brokenGuards: WebAssembly.Global }).brokenGuards.value as number);

it('windows of images from 1 x 1 on decode to the source pixels, without writes outside allocated blocks', () => {
  const random = randomNumbers(3);
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  for (let i = 0; i < 60; i++) {
    const shape = { width: int(1, 90), height: int(1, 90), components: i % 4 === 0 ? 3 : 1, seed: i };
    const raster = makeRaster(shape);
    const levels = int(0, Math.min(5, Math.floor(Math.log2(Math.min(shape.width, shape.height)))));
    const stream = encodeSamples(raster, { lossless: i % 2 === 0, levels, order: i % 5 });
    const index = indexJp2(stream);
    for (let reduce = 0; reduce <= levels; reduce++) {
      const [x0, y0] = [int(0, shape.width - 1), int(0, shape.height - 1)];
      decodeFrom(stream, index, reduce, { x0, y0, x1: x0 + int(1, 60), y1: y0 + int(1, 60) });
      expect(brokenGuards()).toBe(0);
    }
    const whole = decodeFrom(stream, index, 0);
    if (i % 2 === 0) expect(whole.map(({ samples }) => Array.from(samples))).toEqual(raster.components.map((c) => Array.from(c)));
  }
  expect(brokenGuards()).toBe(0);
});

it('drawing of layers from 1 x 1 on writes only to allocated blocks', async () => {
  const random = randomNumbers(4);
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  for (let i = 0; i < 60; i++) {
    const [width, height] = [2 * int(1, 40), 2 * int(1, 40)];
    const axis = (count: number) =>
      triangleTaps({ start: int(-9, 9), step: 0.2 + 3 * random(), count, size: int(1, 90), reduce: 0 });
    const [x, y] = [axis(width), axis(height)];
    const samples = new Uint8Array(width * height);
    resample(new Uint8Array((x.end - x.first) * (y.end - y.first)).fill(i), x, y, samples, width);
    expect(brokenGuards()).toBe(0);
    compare(samples, samples, false);
    const covered = { x0: int(0, width), y0: int(0, height), x1: width, y1: height };
    const pixels = { width, height, samples, covered, alpha: i % 3 ? null : samples, palette: null };
    const content = { width, height, y0: 0, layers: [{ pixels, opacity: i % 2 ? 100 : 60 }], drawAbove: () => {} };
    const rgb = new Uint8Array(3 * width * height);
    composeRgb(content, rgb);
    composeYuv420(content, new Uint8Array(yuv420Bytes(width, height)));
    const picture = rgbPng(width, height);
    await picture.write(rgb, height);
    await picture.finish();
    expect(brokenGuards()).toBe(0);
  }
});

it.for([
  ['streams', decodeTarget, 500],
  ['sidecars', sidecarTarget, 1_200],
  ['coefficient sidecars', coefficientsTarget, 1_000],
] as const)('damaged %s cause no writes outside allocated blocks', async ([, target, cases]) => {
  const runCase = await target();
  const checked = async (random: () => number): Promise<void> => {
    await runCase(random, () => {});
    if (brokenGuards() !== 0) throw new Error('Expected no write outside an allocated block, got one.');
  };
  expect((await fuzz(checked, { first: drawsOfSeed(77), cases })).findings).toEqual([]);
});

it('the guards detect a write outside an allocated block', () => {
  withCore((core) => {
    new Uint8Array(core.memory.buffer)[core.alloc(100) + 100] = 1;
  });
  expect(brokenGuards()).toBe(1);
});

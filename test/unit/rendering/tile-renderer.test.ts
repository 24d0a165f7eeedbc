import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/domain/errors.ts';
import { Jp2Error } from '../../../src/imaging/jp2/errors.ts';
import { SIDECAR_VERSION } from '../../../src/imaging/jp2/sidecar.ts';
import { ImageReader } from '../../../src/services/rendering/image-reader.ts';
import { LayerRenderer } from '../../../src/services/rendering/layer-renderer.ts';
import { tileRenderer } from '../../../src/services/rendering/tile-renderer.ts';
import { sidecarKey } from '../../../src/storage/keys.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { spotImage } from '../../support/imaging/spot-image.ts';
import type { MemoryObjectStore } from '../../support/memory/object-store.ts';

const SIDE = 1024;
const SPOT = { x: 700.5, y: 300.5, sigma: 12 };
const rendererOf = (objects: MemoryObjectStore) => tileRenderer(new LayerRenderer(new ImageReader(objects)));

/** Centroid of a tile in output pixels, weighted by the red channel. */
function centroid(png: Uint8Array): { x: number; y: number } {
  const { rgba, width } = readPng(png);
  let [sum, x, y] = [0, 0, 0];
  for (let i = 0; i < rgba.length; i += 4) {
    const weight = rgba[i]!;
    sum += weight;
    x += weight * (((i / 4) % width) + 0.5);
    y += weight * (Math.floor(i / 4 / width) + 0.5);
  }
  return { x: x / sum, y: y / sum };
}

describe('a tile', () => {
  it.each([0.5, 0.9, 1, 1.7, 2, 3.3, 4, 6.5])(
    'has a feature at its position with %f image pixels per output pixel',
    async (step) => {
      const { image, objects } = await spotImage(SIDE, 1, SPOT);
      const tile = { x: Math.floor((SPOT.x - SIDE / 2) / (512 * step)), y: Math.floor((SPOT.y - SIDE / 2) / (512 * step)) };
      const { png } = await rendererOf(objects).render(image, { ...tile, imageScale: step }, null);
      const { x, y } = centroid(png);
      expect(x).toBeCloseTo((SPOT.x - SIDE / 2) / step - tile.x * 512, 1);
      expect(y).toBeCloseTo((SPOT.y - SIDE / 2) / step - tile.y * 512, 1);
    },
  );

  it('is identical with warm and cold caches', async () => {
    const { image, objects } = await spotImage(SIDE, 1, SPOT);
    const warm = rendererOf(objects);
    await warm.render(image, { x: -1, y: -1, imageScale: 4 }, null);
    await warm.render(image, { x: 0, y: 0, imageScale: 1 }, null);
    const again = await warm.render(image, { x: 0, y: -1, imageScale: 1 }, null);
    const first = await rendererOf(objects).render(image, { x: 0, y: -1, imageScale: 1 }, null);
    expect(again.png).toEqual(first.png);
  });

  it('is transparent outside the image', async () => {
    const { image, objects } = await spotImage(SIDE, 1, SPOT);
    const outside = readPng((await rendererOf(objects).render(image, { x: 5, y: 0, imageScale: 1 }, null)).png);
    expect(outside.rgba.every((value) => value === 0)).toBe(true);
    const edge = readPng((await rendererOf(objects).render(image, { x: 0, y: 0, imageScale: 1.5 }, null)).png);
    const opaque = edge.rgba.filter((value, i) => i % 4 === 3 && value === 255).length;
    expect(opaque).toBe(341 * 341);
  });

  it('is rendered from a rebuilt sidecar if the stored one is damaged', async () => {
    const { image, objects } = await spotImage(SIDE, 1, SPOT);
    const key = sidecarKey(image.key, SIDECAR_VERSION);
    const whole = await objects.readAll(key);
    const good = await rendererOf(objects).render(image, { x: 0, y: -1, imageScale: 2 }, null);
    await objects.put(key, new Uint8Array([1, 2, 3]));
    const rebuilt = await rendererOf(objects).render(image, { x: 0, y: -1, imageScale: 2 }, null);
    expect(rebuilt.png).toEqual(good.png);
    expect(await objects.readAll(key)).toEqual(whole);
  });

  it('fails with Failure if its JP2 is missing, and with Jp2Error if its bytes are damaged', async () => {
    const { image, objects } = await spotImage(SIDE, 1, SPOT);
    const jp2 = (await objects.readAll(image.key)) as Uint8Array;
    await objects.put(
      image.key,
      jp2.map((byte, i) => (i > 130 ? byte ^ 0x55 : byte)),
    );
    await expect(rendererOf(objects).render(image, { x: 0, y: -1, imageScale: 1 }, null)).rejects.toBeInstanceOf(Jp2Error);
    await objects.delete(image.key);
    await expect(rendererOf(objects).render(image, { x: 0, y: -1, imageScale: 1 }, null)).rejects.toBeInstanceOf(Failure);
  });
});

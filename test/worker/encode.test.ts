import { describe, expect, it } from 'vitest';
import { lossyWebp } from '../../src/picture/encode/libwebp.ts';
import { indexedPng, rgbPng } from '../../src/picture/encode/png.ts';
import { digestOf, KNOWN_PICTURES } from '../support/imaging/known-pictures.ts';
import { readPng } from '../support/imaging/read-png.ts';
import { encodeInStrips, scramble } from '../support/imaging/strips.ts';

describe('image encoders in workerd', () => {
  it.each([
    { name: 'grey', bytesPerPixel: 1, create: () => indexedPng(700, 900, null) },
    { name: 'colour', bytesPerPixel: 3, create: () => rgbPng(700, 900) },
  ])('write a $name PNG of several deflate blocks that is restored exactly', async ({ bytesPerPixel, create }) => {
    const [width, height] = [700, 900];
    const pixels = Uint8Array.from({ length: width * height * bytesPerPixel }, (_, i) => scramble(i) & 31);
    const png = await encodeInStrips(create(), { width, height, bytesPerPixel, pixels }, [64]);
    expect(Buffer.compare(readPng(png).samples, pixels)).toBe(0);
  });

  it('write WebP with loss, by a module of its own', async () => {
    const pixels = Uint8Array.from({ length: 3 * 64 * 64 }, (_, i) => i % 200);
    const file = await encodeInStrips(lossyWebp(64, 64, 80), { width: 64, height: 64, bytesPerPixel: 3, pixels }, [64]);
    expect(new TextDecoder().decode(file.subarray(8, 16))).toBe('WEBPVP8 ');
    expect(file.length).toBeLessThan(pixels.length / 4);
  });

  it.each(KNOWN_PICTURES)('encode $name to the same bytes as in Node', async (picture) => {
    expect(await digestOf(picture)).toBe(picture.digest);
  });
});

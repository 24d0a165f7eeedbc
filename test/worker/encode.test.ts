import { describe, expect, it } from 'vitest';
import { lossyWebp } from '../../src/picture/encode/libwebp.ts';
import { digestOf, KNOWN_PICTURES } from '../support/imaging/known-pictures.ts';
import { encodeInStrips } from '../support/imaging/strips.ts';

describe('image encoders in workerd', () => {
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

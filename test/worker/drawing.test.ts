// Drawing in workerd, whose modules of WebAssembly and fonts are those of the bundle.
import { expect, it } from 'vitest';
import { lossyWebp } from '../../src/picture/encode/libwebp.ts';
import { digestOf, digestOfOverlays, KNOWN_OVERLAYS, KNOWN_PICTURES } from '../support/imaging/known-pictures.ts';
import { encodeInStrips } from '../support/imaging/strips.ts';

it('image encoders in workerd write WebP with loss, by a module of its own, and other formats to the same bytes as in Node', async () => {
  const pixels = Uint8Array.from({ length: 3 * 64 * 64 }, (_, i) => i % 200);
  const file = await encodeInStrips(lossyWebp(64, 64, 80), { width: 64, height: 64, bytesPerPixel: 3, pixels }, [64]);
  expect(new TextDecoder().decode(file.subarray(8, 16))).toBe('WEBPVP8 ');
  expect(file.length).toBeLessThan(pixels.length / 4);
  for (const picture of KNOWN_PICTURES) expect(await digestOf(picture), picture.name).toBe(picture.digest);
});

it('overlays in workerd have the pixels that they have in Node: a pin, Greek letters, the Earth and the watermark', async () => {
  expect(await digestOfOverlays()).toBe(KNOWN_OVERLAYS);
});

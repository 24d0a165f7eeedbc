// Drawing in workerd, whose modules of WebAssembly and fonts are those of the bundle.
import { expect, it } from 'vitest';
import { lossyWebp } from '../../src/picture/encode/libwebp.ts';
import { frameOverlays } from '../../src/picture/overlays/drawing/frame-overlays.ts';
import { digestOf, KNOWN_PICTURES } from '../support/imaging/known-pictures.ts';
import { drawOverlays, overlaid } from '../support/imaging/overlays.ts';
import { encodeInStrips } from '../support/imaging/strips.ts';

it('image encoders in workerd write WebP with loss, by a module of its own, and other formats to the same bytes as in Node', async () => {
  const pixels = Uint8Array.from({ length: 3 * 64 * 64 }, (_, i) => i % 200);
  const file = await encodeInStrips(lossyWebp(64, 64, 80), { width: 64, height: 64, bytesPerPixel: 3, pixels }, [64]);
  expect(new TextDecoder().decode(file.subarray(8, 16))).toBe('WEBPVP8 ');
  expect(file.length).toBeLessThan(pixels.length / 4);
  for (const picture of KNOWN_PICTURES) expect(await digestOf(picture), picture.name).toBe(picture.digest);
});

const FRAME = { width: 640, height: 400 };
const NOON = Date.UTC(2021, 5, 1, 12);

const CONTENT = {
  events: [{ pin: 'AR', colour: 'FF8F97', x: 300, y: 200, label: ['u03b2u03b3'], polygons: [] }],
  captions: [{ name: 'SDO AIA 171', takenAtMs: NOON }],
};

/** Number of pixels that are not black in a rectangle of the frame. */
function inkIn(pixels: Uint8Array, x0: number, y0: number, x1: number, y1: number): number {
  let count = 0;
  for (let y = y0; y < y1; y++) {
    for (let x = x0; x < x1; x++) {
      const at = (y * FRAME.width + x) * 3;
      if (pixels[at]! + pixels[at + 1]! + pixels[at + 2]! > 0) count += 1;
    }
  }
  return count;
}

it('overlays in the Worker draw pins, Greek labels, the Earth and the watermark', async () => {
  const pixels = new Uint8Array(FRAME.width * FRAME.height * 3);
  const overlays = frameOverlays(overlaid({ ...FRAME, scale: 0.6 }, { scale: true, watermark: true }), CONTENT);
  await drawOverlays({ pixels, channels: 3, y0: 0, ...FRAME }, FRAME, overlays);
  const head = (176 * FRAME.width + 292) * 3;
  expect([...pixels.subarray(head, head + 3)]).toEqual([0xff, 0x8f, 0x97]);
  expect(inkIn(pixels, 311, 166, 325, 180)).toBeGreaterThan(20);
  expect(inkIn(pixels, 32, 345, 62, 385)).toBeGreaterThan(600);
  expect(inkIn(pixels, 102, 360, 400, 380)).toBeGreaterThan(300);
  expect(inkIn(pixels, 330, 20, 640, 150)).toBe(0);
});

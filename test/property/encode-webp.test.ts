// WebP in strips: any frame in any strips decodes to the same pixels with dwebp and has the same bytes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type WebpFormat, webp } from '../../src/imaging/encode/webp.ts';
import { hasDwebp, readWebp } from '../support/imaging/picture-tools.ts';
import { encodeInStrips, frames, scramble, stripHeights, type TestFrame } from '../support/imaging/strips.ts';

const RUNS = { numRuns: 150, seed: 20261121 };
const RAMP = Uint8Array.from({ length: 768 }, (_, i) => (i * 5) % 256);

/** RGBA pixels of a frame. */
function coloursOf({ width, height, bytesPerPixel, pixels }: TestFrame, frame: WebpFormat): Uint8Array {
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i++) {
    const pixel = pixels.subarray(i * bytesPerPixel, (i + 1) * bytesPerPixel);
    if (frame.format !== 'indexed') rgba.set(pixel, i * 4);
    else {
      const index = pixel[0] as number;
      const colour = frame.palette ? frame.palette.subarray(index * 3, index * 3 + 3) : [index, index, index];
      rgba.set(index === frame.transparentIndex ? [0, 0, 0, 0] : colour, i * 4);
    }
  }
  return rgba;
}

async function roundTrip(frame: TestFrame, format: WebpFormat, strips: readonly number[]): Promise<void> {
  const file = await encodeInStrips(webp(frame.width, frame.height, format), frame, strips);
  const { width, height, bytes } = readWebp(file);
  expect([width, height]).toEqual([frame.width, frame.height]);
  expect(Buffer.compare(bytes, coloursOf(frame, format))).toBe(0);
  const atOnce = await encodeInStrips(webp(frame.width, frame.height, format), frame, [frame.height]);
  expect(Buffer.compare(atOnce, file)).toBe(0);
}

const FORMATS: readonly { name: string; bytesPerPixel: number; highest: number; format: WebpFormat }[] = [
  { name: '256 colours', bytesPerPixel: 1, highest: 255, format: { format: 'indexed', palette: RAMP } },
  { name: 'grey', bytesPerPixel: 1, highest: 255, format: { format: 'indexed' } },
  { name: 'grey, one transparent', bytesPerPixel: 1, highest: 8, format: { format: 'indexed', transparentIndex: 7 } },
  { name: 'five colours', bytesPerPixel: 1, highest: 4, format: { format: 'indexed', palette: RAMP.subarray(3, 18) } },
  { name: 'two colours', bytesPerPixel: 1, highest: 1, format: { format: 'indexed', palette: RAMP.subarray(3, 9) } },
  {
    name: '20 colours and a transparent one',
    bytesPerPixel: 1,
    highest: 20,
    format: { format: 'indexed', palette: RAMP.subarray(0, 63), transparentIndex: 20 },
  },
  { name: 'true colour', bytesPerPixel: 3, highest: 255, format: { format: 'rgb' } },
  { name: 'true colour with alpha', bytesPerPixel: 4, highest: 255, format: { format: 'rgba' } },
];

describe.skipIf(!hasDwebp)('a WebP in strips, read by dwebp', () => {
  it.each(FORMATS)('decodes to the pixels of any frame of $name and has the same bytes for any strips', async (kind) => {
    const property = fc.asyncProperty(frames(kind.bytesPerPixel, kind.highest), stripHeights, (frame, strips) =>
      roundTrip(frame, kind.format, strips),
    );
    await fc.assert(property, RUNS);
  });

  it.each([
    { name: 'grey', bytesPerPixel: 1, format: { format: 'indexed' } as const },
    { name: 'true colour', bytesPerPixel: 3, format: { format: 'rgb' } as const },
  ])('of sky, disk and noise in $name decodes to its pixels', async ({ bytesPerPixel, format }) => {
    const [width, height] = [2000, 1700];
    const pixels = new Uint8Array(width * height * bytesPerPixel);
    for (let i = 0; i < pixels.length; i++) {
      const pixel = Math.floor(i / bytesPerPixel);
      const [x, y] = [(pixel % width) - 1000, Math.floor(pixel / width) - 850];
      const radius = Math.hypot(x, y);
      const noise = scramble(i) & 15;
      if (y > 700) pixels[i] = scramble(i);
      else if (radius < 600) pixels[i] = 200 - radius / 6 + noise;
    }
    await roundTrip({ width, height, bytesPerPixel, pixels }, format, [64]);
  });

  it('with more than 256 prefix code groups decodes to its pixels', async () => {
    const [width, height] = [4096, 3072];
    const pixels = Uint8Array.from({ length: width * height }, (_, i) => {
      const tile = ((i % width) >> 5) + (i >> 17);
      return scramble(i) % Math.round(1.25 ** (tile % 25));
    });
    await roundTrip({ width, height, bytesPerPixel: 1, pixels }, { format: 'indexed' }, [128]);
  });

  it('of a single row or column of maximum length decodes to its pixels', async () => {
    const pixels = Uint8Array.from({ length: 16383 }, (_, i) => (i >> 5) * 3);
    await roundTrip({ width: 16383, height: 1, bytesPerPixel: 1, pixels }, { format: 'indexed' }, [1]);
    await roundTrip({ width: 1, height: 16383, bytesPerPixel: 1, pixels }, { format: 'indexed' }, [64]);
  });
});

if (!hasDwebp) it.skip('a WebP in strips: dwebp (webp) is not installed', () => {});

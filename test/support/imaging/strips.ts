// Frames handed to an encoder in strips, as the renderer does: from one buffer that is overwritten after each strip.
import fc from 'fast-check';
import type { StripEncoder } from '../../../src/picture/encode/encoder.ts';

export interface TestFrame {
  readonly width: number;
  readonly height: number;
  readonly bytesPerPixel: number;
  readonly pixels: Uint8Array;
}

/** Encodes `frame` in strips of the heights in `strips`, repeated cyclically. */
export async function encodeInStrips(encoder: StripEncoder, frame: TestFrame, strips: readonly number[], note?: string) {
  const rowBytes = frame.width * frame.bytesPerPixel;
  const buffer = new Uint8Array(rowBytes * Math.max(...strips));
  for (let y = 0, i = 0; y < frame.height; i++) {
    const rows = Math.min(strips[i % strips.length] as number, frame.height - y);
    const strip = buffer.subarray(0, rows * rowBytes);
    strip.set(frame.pixels.subarray(y * rowBytes, (y + rows) * rowBytes));
    await encoder.write(strip, rows);
    buffer.fill(0xa5);
    y += rows;
  }
  return encoder.finish(note);
}

/** Strip heights: some frame comes row by row, some at once. */
export const stripHeights = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 5 });

/** Pseudo-random bits: the finaliser of MurmurHash3. */
export function scramble(value: number): number {
  const mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const again = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (again ^ (again >>> 16)) >>> 0;
}

const CONTENTS: Readonly<Record<string, (x: number, y: number, channel: number, seed: number) => number>> = {
  flat: (_x, _y, channel, seed) => seed >>> (channel * 8),
  noise: (x, y, channel, seed) => scramble(x + y * 128 + channel * 65536 + seed),
  ramp: (x, y, channel, seed) => x * (seed & 3) + y * (channel + 1),
  stripes: (x, y, channel, seed) => ((x >> (seed & 3)) & 1) * 255 + (y & 1) * channel,
  dots: (x, y, channel, seed) => (scramble(x + y * 128 + seed) % 61 === 0 ? 200 - channel : 7),
  fewValues: (x, y, channel, seed) => scramble(x + y * 128 + channel * 65536 + seed) % 3,
};

/** Frames of 1..70 x 1..70 pixels with every kind of content; `highest` is the largest byte in them. */
export const frames = (bytesPerPixel: number, highest = 255): fc.Arbitrary<TestFrame> =>
  fc
    .record({
      width: fc.integer({ min: 1, max: 70 }),
      height: fc.integer({ min: 1, max: 70 }),
      content: fc.constantFrom(...Object.values(CONTENTS)),
      seed: fc.nat(),
    })
    .map(({ width, height, content, seed }) => {
      const pixels = new Uint8Array(width * height * bytesPerPixel);
      for (let y = 0, i = 0; y < height; y++)
        for (let x = 0; x < width; x++)
          for (let channel = 0; channel < bytesPerPixel; channel++)
            pixels[i++] = (content(x, y, channel, seed) & 255) % (highest + 1);
      return { width, height, bytesPerPixel, pixels };
    });

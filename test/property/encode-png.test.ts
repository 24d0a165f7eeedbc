import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StripEncoder } from '../../src/picture/encode/encoder.ts';
import { indexedPng, rgbaPng, rgbPng } from '../../src/picture/encode/png.ts';
import { readPng } from '../support/imaging/read-png.ts';
import { encodeInStrips, frames, scramble, stripHeights, type TestFrame } from '../support/imaging/strips.ts';

const RUNS = { numRuns: 150, seed: 20261121 };
const RAMP = Uint8Array.from({ length: 768 }, (_, i) => (i * 5) % 256);

interface Format {
  readonly name: string;
  readonly bytesPerPixel: number;
  readonly colourType: number;
  create(frame: TestFrame): StripEncoder;
}

const FORMATS: readonly Format[] = [
  { name: 'indexed', bytesPerPixel: 1, colourType: 3, create: ({ width, height }) => indexedPng(width, height, RAMP) },
  { name: 'grey', bytesPerPixel: 1, colourType: 0, create: ({ width, height }) => indexedPng(width, height, null) },
  { name: 'RGB', bytesPerPixel: 3, colourType: 2, create: ({ width, height }) => rgbPng(width, height) },
  { name: 'RGBA', bytesPerPixel: 4, colourType: 6, create: ({ width, height }) => rgbaPng(width, height) },
];

describe.each(FORMATS)('a PNG of $name pixels in strips', ({ bytesPerPixel, colourType, create }) => {
  it('restores every frame, and its bytes do not depend on the strips', async () => {
    const property = fc.asyncProperty(frames(bytesPerPixel), stripHeights, async (frame, strips) => {
      const png = await encodeInStrips(create(frame), frame, strips);
      const { width, height, samples, ...read } = readPng(png);
      expect([width, height, read.colourType]).toEqual([frame.width, frame.height, colourType]);
      expect(samples).toEqual(frame.pixels);
      expect(await encodeInStrips(create(frame), frame, [frame.height])).toEqual(png);
    });
    await fc.assert(property, RUNS);
  });

  it('a PNG of many deflate blocks decodes to its pixels', async () => {
    const [width, height] = [1500, 400];
    const pixels = Uint8Array.from({ length: width * height * bytesPerPixel }, (_, i) => scramble(i));
    const frame = { width, height, bytesPerPixel, pixels };
    const png = await encodeInStrips(create(frame), frame, [7, 64]);
    expect(Buffer.compare(readPng(png).samples, pixels)).toBe(0);
    expect(await encodeInStrips(create(frame), frame, [height])).toEqual(png);
  });
});

it.each([
  ['palette index, written as black', RAMP, 3, [15, 20, 25, 255, 0, 0, 0, 0, 45, 50, 55, 255]],
  ['grey value without a palette', null, 0, [1, 1, 1, 255, 2, 2, 2, 0, 3, 3, 3, 255]],
])('transparency of a PNG in strips takes one %s', async (_, palette, colourType, colours) => {
  const frame = { width: 3, height: 1, bytesPerPixel: 1, pixels: Uint8Array.of(1, 2, 3) };
  const read = readPng(await encodeInStrips(indexedPng(3, 1, palette, 2), frame, [1]));
  expect([read.colourType, [...read.rgba]]).toEqual([colourType, colours]);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { greyJpeg, jpeg } from '../../src/picture/encode/jpeg.ts';
import { hasDjpeg, readJpeg } from '../support/imaging/picture-tools.ts';
import { encodeInStrips, frames, scramble, stripHeights, type TestFrame } from '../support/imaging/strips.ts';

const RUNS = { numRuns: 60, seed: 20261121 };

const BYTES_PER_PIXEL = 3;

const encode = (frame: TestFrame, strips: readonly number[], quality?: number) =>
  encodeInStrips(jpeg(frame.width, frame.height, quality), frame, strips);

/** Peak signal-to-noise ratio of the picture that djpeg reads, in dB. */
function fidelity(file: Uint8Array, frame: TestFrame): number {
  const read = readJpeg(file);
  expect([read.width, read.height, read.depth]).toEqual([frame.width, frame.height, frame.bytesPerPixel]);
  let squares = 0;
  for (let i = 0; i < frame.pixels.length; i++) squares += ((read.bytes[i] as number) - (frame.pixels[i] as number)) ** 2;
  return 10 * Math.log10(255 ** 2 / (squares / frame.pixels.length));
}

/** A slow wave along each side, with a phase shift between the channels. */
function smoothFrame(width: number, height: number): TestFrame {
  const pixels = Uint8Array.from({ length: width * height * BYTES_PER_PIXEL }, (_, i) => {
    const [pixel, channel] = [Math.floor(i / BYTES_PER_PIXEL), i % BYTES_PER_PIXEL];
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    return Math.round(128 + 60 * Math.sin(x / 17 + channel) + 50 * Math.cos(y / 23 - channel));
  });
  return { width, height, bytesPerPixel: BYTES_PER_PIXEL, pixels };
}

describe.skipIf(!hasDjpeg)('a JPEG in strips, read by djpeg', () => {
  it('a JPEG does not depend on the strips, and restores any frame within 38 dB at quality 100', async () => {
    const property = fc.asyncProperty(frames(BYTES_PER_PIXEL), stripHeights, async (frame, strips) => {
      const file = await encode(frame, strips, 100);
      expect(fidelity(file, frame)).toBeGreaterThan(38);
      expect(await encode(frame, [frame.height], 100)).toEqual(file);
    });
    await fc.assert(property, RUNS);
  });

  it('a grey JPEG has one component, and restores any frame within 38 dB at quality 100', async () => {
    const property = fc.asyncProperty(frames(1), stripHeights, async (frame, strips) => {
      const file = await encodeInStrips(greyJpeg(frame.width, frame.height, 100), frame, strips);
      expect(fidelity(file, frame)).toBeGreaterThan(38);
    });
    await fc.assert(property, RUNS);
  });

  it('grows in size and fidelity with quality, from 1 to 100', async () => {
    const frame = smoothFrame(200, 150);
    const files = await Promise.all([1, 20, 50, 80, 95, 100].map((quality) => encode(frame, [16], quality)));
    const sizes = files.map((file) => file.length);
    const fidelities = files.map((file) => fidelity(file, frame));
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    expect(fidelities).toEqual([...fidelities].sort((a, b) => a - b));
  });

  it('a JPEG stays correct when noise fixes the Huffman tables long before the end', async () => {
    const [width, height] = [2304, 2048];
    const wave = (place: number) => Math.cos(((2 * place + 1) * 7 * Math.PI) / 16);
    // Grey noise, and below it a fine wave, whose long runs of zero coefficients are symbols that noise lacks.
    const pixels = new Uint8Array(width * height * BYTES_PER_PIXEL);
    for (let i = 0; i < width * height; i++) {
      const isNoise = i < width * 1984;
      const grey = isNoise ? scramble(i) : Math.round(128 + 90 * wave(i % 8) * wave(Math.floor(i / width) % 8));
      pixels.fill(grey & 255, i * BYTES_PER_PIXEL, (i + 1) * BYTES_PER_PIXEL);
    }
    const frame = { width, height, bytesPerPixel: BYTES_PER_PIXEL, pixels };
    expect(fidelity(await encode(frame, [64], 100), frame)).toBeGreaterThan(45);
  });
});

it('a JPEG refuses a quality outside 1 to 100, and keeps a note of at most 65533 bytes', async () => {
  for (const quality of [0, 101, Number.NaN]) {
    expect(() => jpeg(4, 4, quality)).toThrow(`Expected a number from 1 to 100 for quality, got ${quality}.`);
  }
  const frame: TestFrame = { width: 8, height: 8, bytesPerPixel: 1, pixels: new Uint8Array(64).fill(77) };
  const file = await encodeInStrips(greyJpeg(8, 8), frame, [8], 'Sun ☉');
  expect(Buffer.from(file).indexOf(Buffer.from([0xff, 0xfe, 0, 9, ...new TextEncoder().encode('Sun ☉')]))).toBe(20);
  const long = encodeInStrips(greyJpeg(8, 8), frame, [8], 'x'.repeat(65_534));
  await expect(long).rejects.toThrow('Expected at most 65533 bytes for note, got 65534.');
});

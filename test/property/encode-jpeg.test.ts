// JPEG in strips: djpeg reads any frame in any strips without a warning and decodes it to the same picture.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JpegFormat, jpeg } from '../../src/imaging/encode/jpeg.ts';
import { hasDjpeg, readJpeg } from '../support/imaging/picture-tools.ts';
import { encodeInStrips, frames, scramble, stripHeights, type TestFrame } from '../support/imaging/strips.ts';

const RUNS = { numRuns: 150, seed: 20261121 };

const FORMATS = [
  { name: 'grey', bytesPerPixel: 1, format: 'grey' },
  { name: 'colour', bytesPerPixel: 3, format: 'rgb' },
] as const;

const encode = (frame: TestFrame, options: JpegFormat, strips: readonly number[]) =>
  encodeInStrips(jpeg(frame.width, frame.height, options), frame, strips);

/** Peak signal-to-noise ratio of the file as djpeg decodes it, in dB. */
function fidelity(file: Uint8Array, frame: TestFrame): number {
  const read = readJpeg(file);
  expect([read.width, read.height, read.depth]).toEqual([frame.width, frame.height, frame.bytesPerPixel]);
  let squares = 0;
  for (let i = 0; i < frame.pixels.length; i++) squares += ((read.bytes[i] as number) - (frame.pixels[i] as number)) ** 2;
  return 10 * Math.log10(255 ** 2 / (squares / frame.pixels.length));
}

/** A smooth frame: a sine along each axis, with a phase shift between channels. */
function smoothFrame(width: number, height: number, bytesPerPixel: number): TestFrame {
  const pixels = Uint8Array.from({ length: width * height * bytesPerPixel }, (_, i) => {
    const [pixel, channel] = [Math.floor(i / bytesPerPixel), i % bytesPerPixel];
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    return Math.round(128 + 60 * Math.sin(x / 17 + channel) + 50 * Math.cos(y / 23 - channel));
  });
  return { width, height, bytesPerPixel, pixels };
}

describe.skipIf(!hasDjpeg)('a JPEG in strips, read by djpeg', () => {
  describe.each(FORMATS)('of a $name frame', ({ bytesPerPixel, format }) => {
    it('has the same bytes for any strips, and more than 38 dB at quality 100', async () => {
      const property = fc.asyncProperty(frames(bytesPerPixel), stripHeights, async (frame, strips) => {
        const file = await encode(frame, { format, quality: 100 }, strips);
        expect(fidelity(file, frame)).toBeGreaterThan(38);
        expect(await encode(frame, { format, quality: 100 }, [frame.height])).toEqual(file);
      });
      await fc.assert(property, RUNS);
    });

    it('of smooth content of any size has more than 35 dB at quality 90', async () => {
      const side = fc.integer({ min: 1, max: 70 });
      const property = fc.asyncProperty(side, side, async (width, height) => {
        const frame = smoothFrame(width, height, bytesPerPixel);
        expect(fidelity(await encode(frame, { format, quality: 90 }, [9]), frame)).toBeGreaterThan(35);
      });
      await fc.assert(property, RUNS);
    });

    it('grows in size and fidelity with quality from 1 to 100', async () => {
      const frame = smoothFrame(200, 150, bytesPerPixel);
      const files = await Promise.all([1, 20, 50, 80, 95, 100].map((quality) => encode(frame, { format, quality }, [16])));
      const sizes = files.map((file) => file.length);
      const fidelities = files.map((file) => fidelity(file, frame));
      expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
      expect(fidelities).toEqual([...fidelities].sort((a, b) => a - b));
    });

    it('has quality 80 by default', async () => {
      const frame = smoothFrame(40, 30, bytesPerPixel);
      expect(await encode(frame, { format }, [8])).toEqual(await encode(frame, { format, quality: 80 }, [8]));
    });
  });

  it('encodes symbols that first appear after the Huffman tables are fixed', async () => {
    const [width, height] = [2304, 2048];
    const wave = (place: number) => Math.cos(((2 * place + 1) * 7 * Math.PI) / 16);
    // The long zero runs of the pattern below the noise are symbols that the noise does not contain.
    const pixels = Uint8Array.from({ length: width * height }, (_, i) => {
      if (i < width * 1984) return scramble(i) & 255;
      return Math.round(128 + 90 * wave(i % 8) * wave(Math.floor(i / width) % 8));
    });
    const frame = { width, height, bytesPerPixel: 1, pixels };
    expect(fidelity(await encode(frame, { format: 'grey', quality: 100 }, [64]), frame)).toBeGreaterThan(45);
  });
});

describe('a JPEG', () => {
  it('rejects a quality outside 1 to 100', () => {
    for (const quality of [0, 101, Number.NaN]) {
      expect(() => jpeg(4, 4, { format: 'rgb', quality })).toThrow(
        `Expected a number from 1 to 100 for quality, got ${quality}.`,
      );
    }
  });
});

if (!hasDjpeg) it.skip('a JPEG in strips: djpeg (libjpeg-turbo-progs) is not installed', () => {});

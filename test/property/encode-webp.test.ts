import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webp } from '../../src/picture/encode/webp.ts';
import { hasDwebp, readWebp } from '../support/imaging/picture-tools.ts';
import { encodeInStrips, frames, scramble, stripHeights, type TestFrame } from '../support/imaging/strips.ts';

/** For each kind of frame, of which one encoder writes all; dwebp takes longer for a frame than it does. */
const RUNS = { numRuns: 25, seed: 20261121 };
const RAMP = Uint8Array.from({ length: 768 }, (_, i) => (i * 5) % 256);

interface Colours {
  readonly palette?: Uint8Array;
  readonly transparentIndex?: number;
}

/** The R, G, B, A of the pixels of a frame. */
function rgbaOf({ width, height, pixels }: TestFrame, { palette, transparentIndex }: Colours): Uint8Array {
  const table = new Uint8Array(256 * 4);
  for (let index = 0; index < 256; index++) {
    const colour = palette ? palette.subarray(index * 3, index * 3 + 3) : [index, index, index];
    if (index !== transparentIndex) table.set([...colour, 255], index * 4);
  }
  const words = new Uint32Array(table.buffer);
  const rgba = new Uint32Array(width * height);
  for (let i = 0; i < rgba.length; i++) rgba[i] = words[pixels[i] as number] as number;
  return new Uint8Array(rgba.buffer);
}

async function roundTrip(frame: TestFrame, colours: Colours, strips: readonly number[]): Promise<void> {
  const encoder = () => webp(frame.width, frame.height, colours.palette ?? null, colours.transparentIndex);
  const file = await encodeInStrips(encoder(), frame, strips);
  const { width, height, bytes } = readWebp(file);
  expect([width, height]).toEqual([frame.width, frame.height]);
  expect(Buffer.compare(bytes, rgbaOf(frame, colours))).toBe(0);
  const atOnce = await encodeInStrips(encoder(), frame, [frame.height]);
  expect(Buffer.compare(atOnce, file)).toBe(0);
}

const KINDS: readonly { name: string; highest: number; colours: Colours }[] = [
  { name: '256 colours', highest: 255, colours: { palette: RAMP } },
  { name: 'grey', highest: 255, colours: {} },
  { name: 'grey, one transparent', highest: 8, colours: { transparentIndex: 7 } },
  { name: 'five colours', highest: 4, colours: { palette: RAMP.subarray(3, 18) } },
  { name: 'two colours', highest: 1, colours: { palette: RAMP.subarray(3, 9) } },
  { name: '20 colours and a transparent one', highest: 20, colours: { palette: RAMP.subarray(0, 63), transparentIndex: 20 } },
];

describe.skipIf(!hasDwebp)('a WebP in strips, read by dwebp', () => {
  it.each(KINDS)('restores every frame of $name, and its bytes do not depend on the strips', async ({ highest, colours }) => {
    const property = fc.asyncProperty(frames(1, highest), stripHeights, (frame, strips) => roundTrip(frame, colours, strips));
    await fc.assert(property, RUNS);
  });

  it('a WebP of several segments with sky, disc and noise decodes to its pixels', async () => {
    const [width, height] = [2000, 1700];
    const pixels = new Uint8Array(width * height);
    for (let i = 0; i < pixels.length; i++) {
      const [x, y] = [(i % width) - 1000, Math.floor(i / width) - 850];
      const radius = Math.hypot(x, y);
      const noise = scramble(i) & 15;
      if (y > 700) pixels[i] = scramble(i);
      else if (radius < 600) pixels[i] = 200 - radius / 6 + noise;
    }
    await roundTrip({ width, height, bytesPerPixel: 1, pixels }, {}, [64]);
  });

  it('a WebP of one row or column as long as readers accept decodes to its pixels', async () => {
    const pixels = Uint8Array.from({ length: 16383 }, (_, i) => (i >> 5) * 3);
    await roundTrip({ width: 16383, height: 1, bytesPerPixel: 1, pixels }, {}, [1]);
    await roundTrip({ width: 1, height: 16383, bytesPerPixel: 1, pixels }, {}, [64]);
  });
});

import { expect, it } from 'vitest';
import { stripsInMemory } from '../../../src/archive/reading/image-reader.ts';
import { ChunkWindows } from '../../../src/faces/zarr/image-stores.ts';
import type { Rect } from '../../../src/jp2/structure.ts';
import { memoryLimits } from '../../../src/platform/limits/memory.ts';
import { STRIP_SAMPLES } from '../../../src/platform/limits/rendering.ts';
import { MemoryBudget } from '../../../src/platform/util/memory-budget.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import type { ConfirmedLaw } from '../../../src/sun/laws/gate.ts';
import { LINEAR, truncatedLaw } from '../../../src/sun/laws/law.ts';
import { callOf } from '../../support/memory/call.ts';

const CHUNK = 512;
const [WIDTH, HEIGHT] = [2348, 2148] as const;
const [ROWS, COLUMNS] = [5, 5] as const;

const imageOf = (sha256: string) => ({ sha256, geometry: { width: WIDTH, height: HEIGHT } }) as ArchivedImage;
/** The byte of a pixel, from the top left corner: never an end of the scale. */
const byteAt = (x: number, y: number) => 1 + ((x * 7 + y * 13) % 253);

/** Chunks of images of a pattern, and the windows that are decoded for them. */
function chunkWindows() {
  const decoded: Rect[] = [];
  /** Pixels of each strip, and null where other requests go first. */
  const steps: (number | null)[] = [];
  const decodedStrips = stripsInMemory((window) => {
    const [width, height] = [window.x1 - window.x0, window.y1 - window.y0];
    const bytes = new Uint8Array(width * height);
    for (let i = 0; i < bytes.length; i++) bytes[i] = byteAt(window.x0 + (i % width), window.y0 + Math.floor(i / width));
    steps.push(bytes.length);
    return { ...window, width, height, precision: 8, signed: false, samples: bytes };
  });
  const strips: typeof decodedStrips = (open, window, rows, pace) => {
    decoded.push(window);
    return decodedStrips(open, window, rows, pace);
  };
  const memory = new MemoryBudget(memoryLimits());
  const reader = { open: async (image: ArchivedImage) => ({ image }), strips } as never;
  const windows = new ChunkWindows({ reader, memory });
  const call = callOf({ memory, step: async () => void steps.push(null) });
  const chunk = (sha256: string, row: number, column: number, law: ConfirmedLaw | null = null) =>
    windows.chunk(imageOf(sha256), { row, column }, law, call);
  return { decoded, steps, chunk };
}

const places = Array.from({ length: ROWS * COLUMNS }, (_, i) => ({ row: Math.floor(i / COLUMNS), column: i % COLUMNS }));

const law = truncatedLaw({ name: 'of the test', unit: 'DN', transfer: LINEAR, lo: 0, hi: 255.9999 });
// No pixel lies on its edge.
const disc = { x: 1200, y: 1000, radius: 900.5 };
const confirmed: ConfirmedLaw = { law, status: 'exact', lossy: null, disc, caveats: [], figures: [] };

it('chunks of blocks have the pixels of the image, row by row from its lower left corner', async () => {
  const { chunk } = chunkWindows();
  for (const { row, column } of places) {
    const [bytes, values] = [await chunk('a', row, column), await chunk('a', row, column, confirmed)];
    let wrong = 0;
    for (let i = 0; i < CHUNK ** 2; i++) {
      const [x, y] = [column * CHUNK + (i % CHUNK), HEIGHT - 1 - (row * CHUNK + Math.floor(i / CHUNK))];
      const isInside = x < WIDTH && y >= 0;
      const hasData = isInside && (x + 1 - disc.x) ** 2 + (HEIGHT - y - disc.y) ** 2 < disc.radius ** 2;
      const expected = hasData ? Math.fround(byteAt(x, y) + 0.5) : Number.NaN;
      if (bytes[i] !== (isInside ? byteAt(x, y) : 0) || !(Math.abs(values[i]! - expected) < 1e-4 || Number.isNaN(expected)))
        wrong += 1;
      if (Number.isNaN(expected) !== Number.isNaN(values[i]!)) wrong += 1;
    }
    expect(wrong, `chunk ${row}, ${column}`).toBe(0);
  }
});

it('an image whose chunks are all read is decoded in blocks of four after the first chunks', async () => {
  const { decoded, chunk } = chunkWindows();
  await Promise.all(places.map(({ row, column }) => chunk('a', row, column)));
  const alone = decoded.filter(({ x1, x0, y1, y0 }) => x1 - x0 <= CHUNK && y1 - y0 <= CHUNK);
  // The block at the upper right corner is a chunk.
  expect([decoded.length, alone.length]).toEqual([4 + 9, 4 + 1]);
  expect(decoded).toContainEqual({ x0: 1024, x1: 2048, y0: HEIGHT - 2048, y1: HEIGHT - 1024 });
});

it('one chunk of each of many images is decoded alone, also where it is read again', async () => {
  const { decoded, chunk } = chunkWindows();
  for (let i = 0; i < 40; i++) await chunk(`image ${i}`, 1, 1);
  expect(decoded).toEqual(Array(40).fill({ x0: 512, x1: 1024, y0: HEIGHT - 1024, y1: HEIGHT - 512 }));
});

it('the blocks that were decoded last are kept, and older ones decoded again', async () => {
  const { decoded, chunk } = chunkWindows();
  const whole = async (sha256: string) => {
    for (const { row, column } of places) await chunk(sha256, row, column);
  };
  await whole('a');
  const first = decoded.length;
  await chunk('a', 0, 4);
  expect(decoded.length).toBe(first);
  for (const sha256 of ['b', 'c', 'd']) await whole(sha256);
  const others = decoded.length;
  await chunk('a', 0, 4);
  expect(decoded.length).toBe(others + 1);
});

it('a block lets other requests go first between its strips, none of which is longer than a step', async () => {
  const { steps, chunk } = chunkWindows();
  for (let i = 0; i < 4; i++) await chunk('a', 0, 0);
  steps.length = 0;
  await chunk('a', 2, 2);
  expect(steps).toEqual([null, STRIP_SAMPLES, null, STRIP_SAMPLES, null]);
});

import { describe, expect, it } from 'vitest';
import { greyJpeg, greySimilarity, leastQuality } from '../../../../src/picture/encode/jpeg.ts';
import { hasDjpeg, readJpeg } from '../../../support/imaging/picture-tools.ts';
import { randomNumbers } from '../../../support/imaging/rasters.ts';

const [WIDTH, HEIGHT] = [256, 192];

const picture = (level: (x: number, y: number) => number) => ({
  width: WIDTH,
  samples: Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => level(i % WIDTH, Math.floor(i / WIDTH))),
});

const random = randomNumbers(7);
const NOISE = picture(() => 20 + 200 * random());
const FAINT_NOISE = picture(() => 100 + 12 * random());
const SMOOTH = picture((x, y) => 128 + 90 * Math.sin(x / 40) * Math.cos(y / 30));
const DETAILED = picture((x, y) => 120 + 60 * Math.sin(x / 3) * Math.sin(y / 5) + 20 * random());

/** Mean structural similarity over blocks of 8 x 8 samples, from the samples (Wang et al. 2004, equation 13). */
function judged(a: Uint8Array, b: Uint8Array): number {
  const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];
  let [total, count] = [0, 0];
  for (let top = 0; top < HEIGHT; top += 8)
    for (let left = 0; left < WIDTH; left += 8, count += 1) {
      const at = Array.from({ length: 64 }, (_, i) => (top + (i >> 3)) * WIDTH + left + (i & 7));
      const mean = (of: (i: number) => number) => at.reduce((sum, i) => sum + of(i), 0) / 64;
      const [ma, mb] = [mean((i) => a[i]!), mean((i) => b[i]!)];
      const [va, vb] = [mean((i) => (a[i]! - ma) ** 2), mean((i) => (b[i]! - mb) ** 2)];
      const covariance = mean((i) => (a[i]! - ma) * (b[i]! - mb));
      total += ((2 * ma * mb + c1) * (2 * covariance + c2)) / ((ma ** 2 + mb ** 2 + c1) * (va + vb + c2));
    }
  return total / count;
}

async function decoded(samples: Uint8Array, quality: number): Promise<Uint8Array> {
  const encoder = greyJpeg(WIDTH, HEIGHT, quality);
  await encoder.write(samples, HEIGHT);
  return readJpeg(await encoder.finish()).bytes;
}

describe('the estimate of structural similarity', () => {
  it.skipIf(!hasDjpeg).each([
    ['noise', NOISE, 0.004],
    ['faint noise', FAINT_NOISE, 0.02],
    ['smooth gradients', SMOOTH, 0.004],
    ['detail', DETAILED, 0.004],
  ])('agrees with the one of the decoded samples: %s', async (_, image, tolerance) => {
    for (const quality of [40, 60, 75, 90]) {
      const found = greySimilarity(image, quality);
      expect(Math.abs(found - judged(image.samples, await decoded(image.samples, quality)))).toBeLessThan(tolerance);
    }
  });

  it.skipIf(!hasDjpeg)('agrees for a black sky, which stays black at each quality', async () => {
    const sky = picture((x, y) => (Math.hypot(x - 128, y - 96) < 60 ? 60 + 100 * random() : 0));
    for (const quality of [50, 60, 65, 70, 75, 80, 85, 90]) {
      const found = await decoded(sky.samples, quality);
      expect(Math.max(...found.subarray(0, 8 * WIDTH))).toBe(0);
      expect(Math.abs(greySimilarity(sky, quality) - judged(sky.samples, found))).toBeLessThan(0.02);
    }
  });

  it('reads the last rows of a picture whose sides are no multiples of a block', () => {
    const last = 64 * 13;
    const found = (level: (i: number) => number) =>
      greySimilarity({ samples: Uint8Array.from({ length: 67 * 13 }, (_, i) => level(i)), width: 13 }, 60);
    expect(found(() => 0)).toBe(1);
    // One of nine rows of blocks.
    const only = found((i) => (i < last ? 0 : 100 + ((i * 31) % 23)));
    expect(only).toBeGreaterThan(8 / 9);
    expect(only).toBeLessThan(0.995);
  });

  it('reads enough rows of a small picture to see what is in its middle', () => {
    const disc = {
      width: 64,
      samples: Uint8Array.from({ length: 64 * 64 }, (_, i) => (i >> 6 > 20 && i >> 6 < 44 ? 255 * random() : 0)),
    };
    expect(greySimilarity(disc, 60)).toBeLessThan(0.998);
  });
});

const qualities = [60, 65, 70, 75, 80, 85];

it('the least quality keeps the similarity, and the next lower one does not', () => {
  for (const image of [NOISE, DETAILED]) {
    for (const similarity of [0.97, 0.98, 0.985, 0.99, 0.995]) {
      const quality = leastQuality(image, qualities, similarity);
      const at = qualities.indexOf(quality);
      if (at < qualities.length - 1) expect(greySimilarity(image, quality)).toBeGreaterThanOrEqual(similarity);
      if (at > 0) expect(greySimilarity(image, qualities[at - 1]!)).toBeLessThan(similarity);
    }
  }
});

it('the least quality takes the first quality for what has no detail, and the last where none keeps the similarity', () => {
  expect(leastQuality(SMOOTH, qualities, 0.9)).toBe(60);
  expect(leastQuality(FAINT_NOISE, qualities, 0.9999)).toBe(85);
});

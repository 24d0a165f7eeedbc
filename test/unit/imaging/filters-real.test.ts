// Filters of real files against their definitions, computed here pixel by pixel in double precision.
import { describe, expect, it } from 'vitest';
import { statisticsKey } from '../../../src/archive/reading/image-statistics.ts';
import { annulusCounter, decodeStatistics } from '../../../src/picture/filters/annuli.ts';
import { STEADY_LEVEL, steadyTable } from '../../../src/picture/filters/filters.ts';
import { sunCentre } from '../../../src/picture/grids/pixel-grid.ts';
import type { Operations } from '../../../src/picture/operations/operations.ts';
import { ringOf } from '../../../src/picture/raster/mask.ts';
import { concatenated } from '../../../src/platform/util/bytes.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import { byteOf, centreOf } from '../../../src/sun/laws/law.ts';
import { archiveFiles, readArchiveFile } from '../../support/real-files.ts';
import { archiveOfFiles } from '../../support/sample-archive.ts';

/** The pixels whose errors are measured: one in so many, of millions. */
const EVERY = 5;

async function open(part: string) {
  const name = archiveFiles.find((each) => each.includes(part))!;
  const jp2 = readArchiveFile(name);
  const { images, layers, objects } = await archiveOfFiles([{ path: `X/2022/01/01/1/${name}`, jp2 }]);
  const image = images[0]!;
  const { width, height } = image.geometry;
  const levels = async (operations: Operations, step = 1) => {
    const rows = Math.min(height / step, 512);
    const bands: Uint8Array[] = [];
    for (let top = 0; top < height; top += rows * step) {
      const grid = { left: 0, top, step, width: width / step, height: rows };
      bands.push((await layers.draw({ ...operations, image, reference: null }, grid, 'levels')).samples);
    }
    return concatenated(bands);
  };
  return { image, levels, statistics: async () => decodeStatistics((await objects.readAll(statisticsKey(image)))!)! };
}

const known = new Map<string, ReturnType<typeof open>>();

/** An archive of the file with this in its name, whose pixels are counted once for all tests. */
function opened(part: string) {
  const archive = known.get(part) ?? open(part);
  known.set(part, archive);
  return archive;
}

/** Mid-ranks of the bytes of an annulus, times 255, and how far noise lets them be shown (docs/api.md). */
function exactAnnulus(counts: Uint32Array) {
  const pixels = counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  const ranks = Array.from(counts, (count) => {
    below += count;
    return (below - count / 2) / pixels;
  });
  const range = Math.min(1, (ranks.findLastIndex((rank) => rank <= 0.95) - ranks.findIndex((rank) => rank >= 0.05)) / 12);
  const dark = Math.min(1, 4 * ranks[0]!);
  const clarity = ranks.map((_, byte) => (1 - dark) * Math.max(0, range) + dark * Math.min(1, byte / 12));
  return ranks.map((rank, byte) => ({
    level: 255 * rank,
    shown: byte === 0 ? 0 : byte + clarity[byte]! * (255 * rank - byte),
    isClear: byte === 0 || clarity[byte] === 1,
  }));
}

/** Math.hypot takes ten times as long. */
const distance = (x: number, y: number, from: { readonly x: number; readonly y: number }) =>
  Math.sqrt((x - from.x) ** 2 + (y - from.y) ** 2);

describe.skipIf(archiveFiles.length === 0)('RHEF of real files', () => {
  it.each([
    ['AIA_171', 0.8, 6],
    ['AIA_193', 0.8, 6],
    ['AIA_304', 0.8, 6],
    ['EIT_171', 0.8, 6],
    ['LASCO_C3', 1.2, 8],
  ])('differs from exact ranks in %s by less than %d levels in the mean', { timeout: 120_000 }, async (part, mean, most) => {
    const { image, levels } = await opened(part);
    const [bytes, shown] = [await levels({}), await levels({ filter: { name: 'rhef', low: 1, high: 1 } })];
    const { width, height, rsunPixels } = image.geometry;
    const centre = sunCentre(image.geometry);
    const mask = findSource(image.sourceId)!.mask;
    const ring = mask && ringOf(mask, image.geometry);
    const radius = new Float32Array(bytes.length);
    const counts = new Uint32Array(256 * 4096);
    const { inner, outer } = ring ?? {};
    const margin = 2;
    for (let i = 0; i < bytes.length; i++) {
      const [x, y] = [(i % width) + 0.5, Math.floor(i / width) + 0.5];
      radius[i] = distance(x, y, centre);
      const isSeen = !inner || (distance(x, y, inner) > inner.radius + margin && distance(x, y, outer!) < outer!.radius - margin);
      if (isSeen) counts[Math.floor(radius[i]!) * 256 + bytes[i]!]! += 1;
      else radius[i] = -1;
    }
    expect(height * width).toBe(bytes.length);
    const annuli = Array.from({ length: 4096 }, (_, k) => exactAnnulus(counts.subarray(256 * k, 256 * k + 256)));
    const [all, clear] = [new Float64Array(2560), new Float64Array(2560)];
    for (let i = 0; i < bytes.length; i += EVERY) {
      if (radius[i]! < 8 || Math.abs(radius[i]! - rsunPixels) < 2) continue;
      const exact = annuli[Math.floor(radius[i]!)]![bytes[i]!]!;
      all[Math.floor(10 * Math.abs(shown[i]! - exact.shown))]! += 1;
      if (exact.isClear) clear[Math.floor(10 * Math.abs(shown[i]! - (bytes[i] === 0 ? 0 : exact.level)))]! += 1;
    }
    for (const errors of [all, clear]) {
      const pixels = errors.reduce((sum, n) => sum + n, 0);
      expect(pixels).toBeGreaterThan(bytes.length / EVERY / 3);
      expect(errors.reduce((sum, n, tenths) => sum + n * (tenths / 10 + 0.05), 0) / pixels).toBeLessThan(mean);
      let within = 0;
      const p99 = errors.findIndex((n) => {
        within += n;
        return within >= 0.99 * pixels;
      });
      expect(p99 / 10).toBeLessThan(most);
    }
  });
});

describe.skipIf(archiveFiles.length === 0)('a steady brightness of real files', () => {
  it.each(['AIA_171', 'AIA_304'])(
    'gives the disc of %s one median, also with half of its light',
    { timeout: 120_000 },
    async (part) => {
      const { image, levels, statistics } = await opened(part);
      await levels({ steady: true }, 8);
      const law = (await statistics()).law!;
      const recorded = await levels({}, 4);
      const { geometry } = image;
      const [centre, size, side] = [sunCentre(geometry), geometry, geometry.width / 4];
      const onDisc = [...recorded.keys()].filter(
        (i) => distance(4 * ((i % side) + 0.5), 4 * (Math.floor(i / side) + 0.5), centre) < geometry.rsunPixels,
      );
      for (const light of [1, 0.5]) {
        const bytes = recorded.map((byte) => (byte === 0 || byte === 255 ? byte : byteOf(law, light * centreOf(law, byte))));
        const counter = annulusCounter({ geometry, size, turned: null, mask: null, isBlackMasked: false, law });
        counter.add({ x0: 0, y0: 0, width: side, height: side, samples: bytes }, 2);
        const table = steadyTable(counter.statistics).levels;
        const disc = Uint8Array.from(onDisc, (i) => table[bytes[i]!]!).sort();
        expect(Math.abs(centreOf(law, disc[disc.length >> 1]!) / centreOf(law, STEADY_LEVEL) - 1)).toBeLessThan(0.03);
        expect(disc.filter((level) => level === 0).length).toBe(onDisc.filter((i) => bytes[i] === 0).length);
      }
    },
  );
});

// The app over AIA 171 of the sample archive, a small image each minute.
import { sampleArchive } from '../sample-archive.ts';
import { testArchive } from '../test-archive.ts';
import type { Overrides } from '../test-services.ts';

const NOON = Date.UTC(2024, 4, 10, 12);

/** `count` images of `side` pixels. */
export async function jpxArchive(count: number, overrides: Overrides = {}, side = 64) {
  const shots = Array.from({ length: count }, (_, i) => ({ sourceId: 10, timeMs: NOON + i * 60_000, size: side }));
  const { index, objects, images } = await sampleArchive(shots);
  return { ...testArchive({ index, objects, ...overrides }), index, objects, images };
}

// The purges of the platform, which takes five calls a minute of a hundred tags each.
import { expect, it } from 'vitest';
import { PurgeRefused } from '../../../src/archive/ports.ts';
import { purgesBy } from '../../../src/archive/purges.ts';
import type { PurgeCall } from '../../../src/platform/http/local-cache.ts';

const tagsUpTo = (count: number) => Array.from({ length: count }, (_, i) => `folder-${i}`);

function recordedPurges(accepts: (calls: number) => boolean = () => true) {
  const calls: Parameters<PurgeCall>[0][] = [];
  const caches = purgesBy(async (what) => accepts(calls.push(what)));
  return { calls, caches };
}

it('a purge takes a call for each hundred tags, and one for everything where the tags take more than four', async () => {
  const { calls, caches } = recordedPurges();
  await caches.purge(tagsUpTo(250));
  expect(calls.map((call) => ('tags' in call ? call.tags.length : call))).toEqual([100, 100, 50]);
  expect(calls.flatMap((call) => ('tags' in call ? call.tags : []))).toEqual(tagsUpTo(250));
  await caches.purge(tagsUpTo(400));
  expect(calls).toHaveLength(7);
  await caches.purge(tagsUpTo(401));
  expect(calls.slice(7)).toEqual([{ purgeEverything: true }]);
});

it('a purge fails when the platform refuses one of its calls', async () => {
  const { calls, caches } = recordedPurges((count) => count < 2);
  await expect(caches.purge(tagsUpTo(300))).rejects.toThrow(PurgeRefused);
  expect(calls).toHaveLength(2);
});

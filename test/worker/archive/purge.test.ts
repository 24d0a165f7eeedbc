import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { imageTag } from '../../../src/archive/keys.ts';
import { sha256Hex } from '../../../src/platform/util/bytes.ts';
import { ingest, samples, send, sendAsAdmin } from '../service.ts';

const purge = (body: unknown) => sendAsAdmin('/admin/purge', { method: 'POST', body: JSON.stringify(body) });
const keys = async () => (await env.ARCHIVE.list()).objects.map(({ key }) => key);

it('Operators empty the edge cache by tags or wholly, which is recorded and touches no stored object.', async () => {
  const tiles: string[] = [];
  for (const file of samples) {
    const { id } = await ingest(file);
    tiles.push(`/v2/getTile/?id=${id}&x=0&y=0&imageScale=9.68176352`);
  }
  const [one, two] = tiles as [string, string];
  /** Whether the cache has a response, which it has after this. */
  const isCached = async (path: string) => {
    const response = await send(path);
    await response.arrayBuffer();
    return response.headers.get('Cf-Cache-Status') === 'HIT';
  };
  const cached = async () => [await isCached(one), await isCached(two)];
  await cached();
  expect(await cached()).toEqual([true, true]);
  const stored = await keys();

  const tag = imageTag({ sha256: await sha256Hex(samples[0]!.bytes) });
  expect(await (await purge({ tags: [tag] })).json()).toEqual({ purged: 1 });
  expect(await cached()).toEqual([false, true]);
  expect(await (await purge({ everything: true })).json()).toEqual({ purged: 'everything' });
  expect(await cached()).toEqual([false, false]);
  expect(await keys()).toEqual(expect.arrayContaining(stored));
  const { entries } = (await (await sendAsAdmin('/admin/audit')).json()) as { entries: { action: string; subject: string }[] };
  expect(entries.filter(({ action }) => action === 'purge').map(({ subject }) => subject)).toEqual([
    'everything',
    `1 tags, the first ${tag}`,
  ]);

  for (const body of [
    {},
    { everything: false },
    { tags: [] },
    { tags: ['a b'] },
    { tags: ['a,b'] },
    { tags: ['a'], everything: true },
    7,
  ]) {
    const response = await purge(body);
    const { error } = (await response.json()) as { error: string };
    expect([response.status, error], JSON.stringify(body)).toEqual([400, expect.stringMatching(/^The body has to be \{"tags"/)]);
  }
  expect(await cached(), 'a refused request purges nothing').toEqual([true, true]);
  expect((await send('/admin/purge', { method: 'POST', body: '{"everything":true}' })).status).toBe(401);
});

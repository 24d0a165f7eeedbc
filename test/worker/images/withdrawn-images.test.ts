import { env } from 'cloudflare:workers';
import { beforeEach, expect, it } from 'vitest';
import { DurableIdSequences } from '../../../src/archive/image-index/durable-id-sequences.ts';
import { R2ObjectStore } from '../../../src/platform/storage/r2-object-store.ts';
import { index, samples, send, sendAsAdmin } from '../service.ts';
import { restore, stateOf } from './database-states.ts';

const [first, second] = samples;
/** Files of one source at 12:00 and 12:01. */
const { name, bytes } = first!;
const KEY = `jp2/AIA/2024/05/10/171/${name}`;

const admin = (method: string, path: string, body?: BodyInit) =>
  sendAsAdmin(`/admin/images/${path}`, { method, body: body ?? null });
const jsonOf = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) });
const idOf = async (response: Response) => ((await response.json()) as { id: number }).id;

const keys = async (prefix = '') => (await env.ARCHIVE.list({ prefix })).objects.map(({ key }) => key);
const cacheStatus = async (response: Promise<Response>) => (await response).headers.get('Cf-Cache-Status');

/** Ids of no other test, because the isolate outlives the test and never caches responses of a withdrawn id again. */
let test = 0;
beforeEach(async () => {
  test += 1;
  await new DurableIdSequences({ namespace: env.ID_SEQUENCES, objects: new R2ObjectStore(env.ARCHIVE) }).raise(
    'images-10',
    1000 * test,
  );
});

it('a withdrawal changes the timeline that the edge cache has', async () => {
  const timeline = () => send('/v2/getDataCoverage/?imageLayers=[10,1,100]&startDate=1715299200000&endDate=1715385600000');
  const count = async () => {
    const [series] = (await (await timeline()).json()) as { data: [number, number][] }[];
    return series!.data.reduce((sum, [, images]) => sum + images, 0);
  };
  await admin('PUT', name, bytes);
  expect([await count(), await cacheStatus(timeline()), await count()]).toEqual([1, 'HIT', 1]);
  await admin('DELETE', name);
  expect(await count()).toBe(0);
});

const known = async (fileName: string) => {
  const response = await sendAsAdmin('/admin/known', { method: 'POST', body: JSON.stringify({ names: [fileName] }) });
  return ((await response.json()) as { known: string[] }).known;
};
const refused = { status: 422, reason: 'withdrawn', error: expect.stringContaining(`was withdrawn as ${name} at `) };

it('a file that was withdrawn before its database is restored comes back by an operator alone', async () => {
  const before = await stateOf(env.IMAGES);
  const old = await idOf(await admin('PUT', name, bytes));
  await admin('DELETE', name);
  await env.OPERATIONS.prepare('DELETE FROM uploads').run();
  await restore(env.IMAGES, before);

  // The mirror leaves out the names that the archive knows.
  expect(await known(name)).toEqual([name]);
  expect(await jsonOf(await admin('PUT', name, bytes))).toMatchObject(refused);
  expect(await jsonOf(await admin('PUT', second!.name, bytes))).toMatchObject(refused);
  await env.ARCHIVE.put(KEY, bytes);
  const elsewhere = KEY.replace('12_00_00', '12_00_30');
  await env.ARCHIVE.put(elsewhere, bytes);
  const objects = [KEY, elsewhere].map((key) => ({ path: key.replace('jp2/', ''), size: bytes.length }));
  const indexed = await sendAsAdmin('/admin/objects', { method: 'POST', body: JSON.stringify({ objects }) });
  const { problems } = (await indexed.json()) as { problems: unknown[] };
  expect(problems).toMatchObject([
    { outcome: 'refused', reason: 'withdrawn' },
    { outcome: 'refused', reason: 'withdrawn' },
  ]);
  const step = { cursor: { walk: 'files', after: '' }, mend: true };
  const mended = await sendAsAdmin('/admin/reconciliation', { method: 'POST', body: JSON.stringify(step) });
  const { faults } = (await mended.json()) as { faults: { path: string; mended: string }[] };
  expect(faults.map(({ mended: how }) => how)).toEqual(['deleted', 'deleted']);
  expect(await keys('jp2/')).toEqual([]);
  expect(await index().byFileName(name)).toBeNull();

  expect((await admin('PUT', `${name}?restore=maybe`, bytes)).status).toBe(400);
  const restored = await jsonOf(await admin('PUT', `${name}?restore=true`, bytes));
  expect(restored).toMatchObject({ status: 201, name, id: expect.any(Number) });
  expect((restored as unknown as { id: number }).id).toBeGreaterThan(old);
  // The path of the withdrawn file is not used again.
  expect(await keys('jp2/')).toEqual([expect.stringMatching(new RegExp(`/v2-[0-9a-f]{8}/${name}$`))]);
  expect((await jsonOf(await admin('PUT', name, bytes))).status).toBe(200);
  const audit = (await (await sendAsAdmin('/admin/audit?limit=1')).json()) as { entries: { action: string }[] };
  expect(audit.entries[0]!.action).toBe('restore');

  // Once it is back, a loss of its row is mended like that of any image.
  await restore(env.IMAGES, before);
  expect((await jsonOf(await admin('PUT', name, bytes))).status).toBe(201);
});

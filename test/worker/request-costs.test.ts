// Costs of a request in D1 and R2 when the edge cache does not have its response.
import { env } from 'cloudflare:workers';
import { beforeEach, expect, it, vi } from 'vitest';
import { recordKey } from '../../src/archive/image-index/cached-image-index.ts';
import { countedBindings, noCalls } from './counted-bindings.ts';
import { ingest, samples, sendAsAdmin } from './service.ts';
import { isolate } from './services.ts';

const file = samples[0]!;

/** The service of a new isolate behind the edge cache, which has no response. */
function newIsolate() {
  const cost = noCalls();
  const { send } = isolate(countedBindings(env, cost));
  /** A request, with its cost. */
  const get = async (path: string) => {
    Object.assign(cost, noCalls());
    const { status, headers, body } = await send(path);
    return { status, headers, body: new Uint8Array(await new Response(body).arrayBuffer()), cost: { ...cost } };
  };
  return { get };
}

let id: number;
const tile = (x = 0) => `/v2/getTile/?id=${id}&x=${x}&y=0&imageScale=2.4204409`;

beforeEach(async () => {
  ({ id } = await ingest(file));
});

it('a tile costs no query: two reads in a new isolate, and none when the isolate knows the image', async () => {
  const drawn = await newIsolate().get(tile());
  // The coefficient sidecar is made behind the first tile.
  expect(drawn).toMatchObject({ status: 200, cost: { statements: 0, writes: 1 } });
  const { get } = newIsolate();
  const first = await get(tile());
  expect(first).toMatchObject({ status: 200, cost: { statements: 0, reads: 2, writes: 0 } });
  expect(Buffer.compare(first.body, drawn.body)).toBe(0);
  expect(first.headers.get('X-Image-Date')).toBe('2024-05-10T12:00:00.000Z');
  expect(await get(tile())).toMatchObject({ status: 200, cost: { statements: 0, reads: 0, writes: 0 } });
});

it('a tile costs a query once after indexing in bulk: facts are stored behind the first tile', async () => {
  const { key } = (await env.ARCHIVE.list({ prefix: 'jp2/' })).objects[0]!;
  await env.IMAGES.prepare('DELETE FROM images').run();
  // Facts of another image: the file states its id, which its row gets again.
  await env.ARCHIVE.put(recordKey(id), JSON.stringify({ id, key: 'jp2/another.jp2' }));
  const body = JSON.stringify({ objects: [{ path: key.slice('jp2/'.length), size: file.bytes.length }] });
  const indexed = await sendAsAdmin('/admin/objects', { method: 'POST', body });
  expect(await indexed.json()).toMatchObject({ added: 1 });
  const { get } = newIsolate();
  expect(await get(tile())).toMatchObject({ status: 200, cost: { onReplicas: 1 } });
  expect(await env.ARCHIVE.head(recordKey(id))).not.toBeNull();
  expect(await get(tile())).toMatchObject({ status: 200, cost: { statements: 0, reads: 0, writes: 0 } });
  expect(await newIsolate().get(tile())).toMatchObject({ status: 200, cost: { statements: 0, reads: 2, writes: 0 } });
});

it('a tile returns 410 at once in isolates that do not know its withdrawn image, and a minute later in those that do', async () => {
  const knowing = newIsolate();
  expect((await knowing.get(tile())).status).toBe(200);
  expect((await sendAsAdmin(`/admin/images/${file.name}`, { method: 'DELETE' })).status).toBe(200);
  expect(await newIsolate().get(tile())).toMatchObject({ status: 410 });
  vi.useFakeTimers({ now: Date.now() + 60_001, toFake: ['Date'] });
  try {
    expect(await knowing.get(tile())).toMatchObject({ status: 410 });
  } finally {
    vi.useRealTimers();
  }
});

it('a search for an image uses the nearest replica', async () => {
  const { get } = newIsolate();
  const path = '/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z';
  const { status, cost } = await get(path);
  // The primary is asked only whether it still has the shard.
  expect([status, cost.statements - cost.onReplicas]).toEqual([200, 1]);
  expect(cost.onReplicas).toBeGreaterThan(0);
});

it('a search for an image asks the primary database for a name that the replica does not have yet', async () => {
  const { get } = newIsolate();
  const { status, cost } = await get('/jp2/AIA/2024/05/10/171/none.jp2');
  expect([status, cost.statements - cost.onReplicas > 1]).toEqual([404, true]);
});

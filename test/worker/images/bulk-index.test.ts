// Indexing of objects that others have written, through the queue of notifications and by the admin operations.
import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { parseRegularFileName } from '../../../src/sun/catalogue/archive-name.ts';
import worker from '../../../src/worker/local.ts';
import { minutes as minuteFiles } from '../samples/sample-files.ts';
import { decoded, samples, sendAsAdmin as send } from '../service.ts';

const files = samples.map(({ name, bytes }) => ({ name, path: `AIA/2024/05/10/171/${name}`, bytes }));
const first = files[0]!;

const post = (objects: readonly { path: string; size: number }[], more = {}) =>
  send('/admin/objects', { method: 'POST', body: JSON.stringify({ objects, ...more }) });
const copyToBucket = ({ path, bytes }: { path: string; bytes: Uint8Array }) => env.ARCHIVE.put(`jp2/${path}`, bytes);
const sized = ({ path, bytes }: (typeof files)[number]) => ({ path, size: bytes.length });

async function notify(...objects: readonly { readonly path: string; readonly size: number }[]) {
  const messages = objects.map(({ path, size }, i) => ({
    id: `message-${i}`,
    timestamp: new Date(),
    attempts: 1,
    body: {
      account: 'a',
      bucket: 'helioedge-archive',
      action: 'PutObject',
      object: { key: `jp2/${path}`, size, eTag: 'e' },
      eventTime: new Date().toISOString(),
    },
  }));
  const batch = createMessageBatch('helioedge-objects', messages);
  const context = createExecutionContext();
  await worker.queue!(batch, env as never, context);
  return getQueueResult(batch, context);
}

afterEach(() => void vi.restoreAllMocks());

it('a bucket that others write to sends the notification of an object again, in place of an attempt, while its shard is being moved', async () => {
  await copyToBucket(first);
  await env.IMAGES.prepare("UPDATE held_shards SET state = 'frozen' WHERE shard = 10").run();
  const { explicitAcks, retryMessages } = await notify(sized(first));
  expect([explicitAcks.length, retryMessages.length]).toEqual([1, 0]);
  await env.IMAGES.prepare("UPDATE held_shards SET state = 'open' WHERE shard = 10").run();
  await notify(sized(first));
  expect((await send(`/admin/images/${first.name}`)).status).toBe(200);
});

it('a bucket that others write to appears in the index but for one object whose row the database refuses, which alone is tried again', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  vi.spyOn(console, 'log').mockReturnValue(undefined);
  const minutes = minuteFiles.map(decoded).map((file) => ({ ...file, path: `AIA/2024/05/12/171/${file.name}` }));
  const all = [...minutes, ...files];
  for (const file of all) await copyToBucket(file);
  const bad = minutes[2]!;
  const badMs = parseRegularFileName(bad.name)!.takenAtMs;
  await env.IMAGES.prepare(
    `CREATE TRIGGER refused BEFORE INSERT ON images WHEN NEW.taken_at_ms = ${badMs} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
  ).run();
  const { explicitAcks, retryMessages } = await notify(...all.map(sized));
  expect(retryMessages.map(({ msgId }) => msgId)).toEqual(['message-2']);
  expect(explicitAcks).toHaveLength(all.length - 1);
  for (const file of all) expect((await send(`/admin/images/${file.name}`)).status).toBe(file === bad ? 404 : 200);
});

it('a bucket that others write to gets the row that an upload of the file gives, bit for bit', async () => {
  const row = async () => (await env.IMAGES.prepare('SELECT * FROM images').all()).results[0];
  await copyToBucket(first);
  await notify(sized(first));
  const indexed = await row();
  await env.IMAGES.prepare('DELETE FROM images').run();
  await send(`/admin/images/${first.name}`, { method: 'PUT', body: first.bytes });
  expect(await row()).toEqual(indexed);
});

it('a bucket that others write to appears in the index by the admin operation, in pages, and a repetition reads nothing', async () => {
  for (const file of files) await copyToBucket(file);
  const paths = files.map(({ path }) => path).sort();
  const list = async (query: string) =>
    ((await (await send(`/admin/objects?${query}`)).json()) as { objects: { path: string }[] }).objects;
  expect((await list('prefix=AIA/2024/&limit=1')).map(({ path }) => path)).toEqual([paths[0]]);
  expect((await list(`prefix=AIA/2024/&after=${paths[0]}`)).map(({ path }) => path)).toEqual(paths.slice(1));
  expect(await (await post(files.map(sized))).json()).toMatchObject({ added: files.length, known: 0, problems: [] });
  // The objects are gone, so that a second reading would find them missing.
  for (const { path } of files) await env.ARCHIVE.delete(`jp2/${path}`);
  expect(await (await post(files.map(sized), { readPackets: true })).json()).toMatchObject({ added: 0, known: files.length });
});

it('a bucket that others write to gives a file the id that its metadata or a list states, unless it cannot be or another image has it', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
  const [one, two] = files as [typeof first, typeof first];
  const idOf = async ({ name }: typeof first) => ((await (await send(`/admin/images/${name}`)).json()) as { id: number }).id;
  const forget = () => env.IMAGES.prepare('DELETE FROM images').run();
  const state = (file: typeof first, id: string) =>
    env.ARCHIVE.put(`jp2/${file.path}`, file.bytes, { customMetadata: { 'image-id': id } });
  // An id of another shard, before the first number, no number, beyond every sequence, and twice.
  for (const wrong of ['4011', '10', 'many', '-6', '4026.5', String(2 ** 45 + 10)]) {
    await state(one, wrong);
    await post([sized(one)]);
    expect((await idOf(one)) < 4000, wrong).toBe(true);
    await forget();
    await env.ARCHIVE.delete((await env.ARCHIVE.list({ prefix: 'ids/of/' })).objects.map(({ key }) => key));
  }
  for (const file of [one, two]) await state(file, '4026');
  await post([sized(one), sized(two)]);
  expect([await idOf(one), await idOf(two)]).toEqual([4026, 4058]);
  expect(log.mock.calls.map(([line]) => JSON.parse(String(line)) as object)).toContainEqual({
    job: 'indexObjects',
    path: two.path,
    id: 4058,
    takenId: 4026,
  });
  // The list of the second goes before its metadata.
  await forget();
  await post([sized(two)]);
  await post([sized(one)]);
  expect([await idOf(one), await idOf(two)]).toEqual([4026, 4058]);
  // An upload of the same file takes the stated id as well; other content does not.
  await forget();
  expect(await (await send(`/admin/images/${two.name}`, { method: 'PUT', body: two.bytes })).json()).toMatchObject({ id: 4058 });
  await env.IMAGES.prepare('UPDATE images SET id = 4026').run();
  await state(one, '4026');
  await post([sized(one)]);
  expect(await idOf(one)).toBeGreaterThan(4058);
});

it('a bucket that others write to keeps what is refused, and says why', async () => {
  const cut = { path: first.path.replace('12_00', '12_07'), bytes: first.bytes.subarray(0, first.bytes.length - 100) };
  const elsewhere = { path: `AIA/2024/05/11/171/${first.name}`, bytes: first.bytes };
  const noise = { path: 'AIA/2024/05/10/171/noise.jp2', bytes: new Uint8Array(500) };
  const gone = { path: first.path.replace('12_00', '12_09'), bytes: first.bytes };
  for (const file of [cut, elsewhere, noise]) await copyToBucket(file);
  const response = await post([
    ...[cut, elsewhere, noise, gone].map(({ path, bytes }) => ({ path, size: bytes.length })),
    { path: 'AIA/2024/../x.jp2', size: 1 },
  ]);
  const { added, problems } = (await response.json()) as { added: number; problems: Record<string, string>[] };
  expect(added).toBe(0);
  expect(problems.map(({ outcome, reason = '' }) => `${outcome} ${reason}`)).toEqual([
    'refused malformed',
    'refused folder',
    'refused malformed',
    'missing ',
    'refused name',
  ]);
  expect(problems[1]!.sentence).toBe(`By its header, this file belongs to ${first.path}. Move it there from ${elsewhere.path}.`);
  expect(await env.ARCHIVE.head(`jp2/${cut.path}`)).not.toBeNull();
});

it('a bucket that others write to finds an object whose content was changed under the name of an image', async () => {
  await copyToBucket(first);
  await notify(sized(first));
  const changed = first.bytes.slice();
  changed[changed.length - 40]! ^= 1;
  await env.ARCHIVE.put(`jp2/${first.path}`, changed);
  await notify(sized(first));
  const image = await (await send(`/admin/images/${first.name}`)).json();
  const { problems } = (await (await post([{ path: first.path, size: 7 }])).json()) as { problems: unknown[] };
  expect(problems).toMatchObject([{ outcome: 'conflict' }]);
  expect(await (await send(`/admin/images/${first.name}`)).json()).toEqual(image);
});

it('a bucket that others write to refuses a body that is no list of objects', async () => {
  for (const body of ['', '{"objects": 7}', JSON.stringify({ objects: Array(101).fill({ path: 'a.jp2', size: 1 }) })]) {
    const response = await send('/admin/objects', { method: 'POST', body });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: expect.stringMatching(/^The body has to be/) },
    ]);
  }
  expect((await send('/admin/objects?limit=0')).status).toBe(400);
});

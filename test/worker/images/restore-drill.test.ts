// Histories of the databases that an operator may cause: an older state restored, an index rebuilt from its files. An
// address that was given out before shows what it showed then, or says that it cannot.
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { forgetWorker } from '../../../src/composition/worker.ts';
import { SEQUENCES } from '../../../src/config/limits/images.ts';
import { SHARDS } from '../../../src/domain/shards.ts';
import { claimStatement } from '../../../src/storage/images/shard-claims.ts';
import { sha256Hex } from '../../../src/util/bytes.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/util/durations.ts';
import { buildMovie } from '../clients/archive.ts';
import type { SampleFile } from '../samples/provide-samples.ts';
import { recent, samples } from '../samples/sample-files.ts';
import { send as cached } from '../service.ts';
import { authorised, BEFORE, idOf, put, type Send, service } from '../services.ts';
import { restore, stateOf } from './database-states.ts';

const [first, second] = samples as [SampleFile, SampleFile];
/** Six images of the same source on another day: one is ingested later than the others, of which movies are made. */
const [third, ...frames] = recent.files.filter(({ sourceId }) => sourceId === 10);
const FRAMES_MS = recent.todayMs - 15 * DAY_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const PERIOD = `startTime=${iso(FRAMES_MS - 6 * MINUTE_MS)}&endTime=${iso(FRAMES_MS)}`;

/** Addresses that were given out, and the digest of what they showed. */
const given = new Map<string, string>();

const digestOf = async (response: Response) => sha256Hex(new Uint8Array(await response.arrayBuffer()));

async function giveOut(path: string): Promise<void> {
  const response = await cached(path);
  expect([path, response.status]).toEqual([path, 200]);
  given.set(path, await digestOf(response));
}

async function giveOutImage(file: SampleFile, flags = ''): Promise<number> {
  const id = await idOf(await put(cached, file, flags));
  await giveOut(`/v2/getTile/?id=${id}&x=0&y=0&imageScale=9.68176352`);
  await giveOut(`/v2/getJP2Header/?id=${id}`);
  return id;
}

const jsonOf = async <T>(response: Response) => (await response.json()) as T;
const RANGE = 'startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T12:10:00Z';
const FIELD = 'imageScale=9.6&x0=0&y0=0&width=64&height=64';

/** A screenshot, a JPX file and a finished movie of the present images. */
async function giveOutDerived(mark: string): Promise<void> {
  const { id } = await jsonOf<{ id: number }>(
    await cached(`/v2/takeScreenshot/?date=2024-05-10T12:00:30Z&layers=[10,1,100]&${FIELD}`),
  );
  await giveOut(`/v2/downloadScreenshot/?id=${id}`);
  const { uri } = await jsonOf<{ uri: string }>(await cached(`/v2/getJPX/?sourceId=10&${RANGE}&verbose=true&linked=false`));
  await giveOut(new URL(uri).pathname);
  // Another frame rate than that of the movies before, which would share its build.
  const region = 'imageScale=9.6&x0=0&y0=0&width=480&height=480';
  const movie = `${PERIOD}&layers=[10,1,100]&events=&eventsLabels=false&${region}&frameRate=${given.size}`;
  const queued = await jsonOf<{ id: string }>(await cached(`/v2/queueMovie/?${movie}`));
  expect(queued, movie).toMatchObject({ id: expect.any(String) });
  await buildMovie(mark);
  await giveOut(`/v2/downloadMovie/?id=${queued.id}&format=mp4&hq=true`);
}

/** The addresses that show something else than they did, and the number of those that show the same. */
async function recheck(send: Send): Promise<{ wrong: string[]; right: number }> {
  const wrong: string[] = [];
  let right = 0;
  for (const [path, digest] of given) {
    const response = await send(path);
    // A JPX file whose image is missing breaks off.
    const shown = await digestOf(response).catch(() => null);
    const isSame = shown === digest;
    if (response.status === 200 && shown !== null && !isSame) wrong.push(path);
    if (response.status === 200 && isSame) right += 1;
    if (response.status !== 200 && ![404, 410, 500].includes(response.status)) wrong.push(`${response.status} ${path}`);
  }
  return { wrong, right };
}

/** The answers behind the cache and without it. */
async function expectNothingWrong(send: Send, atLeastRight: number): Promise<void> {
  for (const each of [cached, send]) {
    const { wrong, right } = await recheck(each);
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThanOrEqual(atLeastRight);
  }
}

afterEach(() => {
  vi.restoreAllMocks();
  given.clear();
});

it('No answer is wrong after a restored database and a rebuilt index, cached ones included.', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const uncached = service(BEFORE);
  const ids = [await giveOutImage(first), await giveOutImage(second)];
  for (const file of frames) await put(cached, file);
  await giveOutDerived('one');
  const older = { main: await stateOf(env.DB), images: await stateOf(env.IMAGES) };

  ids.push(await giveOutImage(third!));
  expect((await cached(`/admin/images/${second.name}`, { method: 'DELETE', headers: authorised })).status).toBe(200);
  ids.push(await giveOutImage(second, '?restore=true'));
  await giveOutDerived('second');
  await expectNothingWrong(uncached, 9);
  const newer = { main: await stateOf(env.DB), images: await stateOf(env.IMAGES) };

  // The older databases: images, screenshots and movies since then are unknown to them.
  await restore(env.DB, older.main);
  await restore(env.IMAGES, older.images);
  await expectNothingWrong(uncached, 5);
  // The file was left, and states its id.
  expect(await idOf(await put(uncached, third!))).toBe(ids[2]);
  // The restored row of the withdrawn image has no file any more: the operator withdraws it again.
  expect((await uncached(`/admin/images/${second.name}`, { method: 'DELETE', headers: authorised })).status).toBe(200);
  expect(ids).not.toContain(await idOf(await put(uncached, second, '?restore=true')));
  await giveOutDerived('third time');
  await expectNothingWrong(uncached, 8);

  // The restoration of the visitors' database undone for a moment: a build of the same number has made another movie meanwhile.
  const restored = await stateOf(env.DB);
  await restore(env.DB, newer.main);
  await expectNothingWrong(uncached, 6);
  await restore(env.DB, restored);

  // The index rebuilt from the files of the archive.
  const files = await Promise.all(
    (await env.ARCHIVE.list({ prefix: 'jp2/' })).objects.map(async ({ key }) => ({
      name: key.slice(key.lastIndexOf('/') + 1),
      base64: Buffer.from(await (await env.ARCHIVE.get(key))!.arrayBuffer()).toString('base64'),
    })),
  );
  for (const table of ['images', 'withdrawn_images', 'foreign_names', 'held_shards']) {
    await env.IMAGES.prepare(`DELETE FROM ${table}`).run();
  }
  await env.IMAGES.prepare(claimStatement(SHARDS.filter((shard) => shard % 2 === 0))).run();
  await expectNothingWrong(uncached, 1);
  const rebuilt = await Promise.all(files.map(async (file) => idOf(await put(uncached, file as SampleFile))));
  expect(rebuilt, 'the files state their ids').toEqual(expect.arrayContaining([ids[0], ids[2]]));
  await giveOutDerived('after the rebuilding');
  await expectNothingWrong(uncached, 4);
});

/** Copies files into the bucket, as others do, and indexes what it has. */
async function indexBucket(send: Send, files: readonly SampleFile[] = []): Promise<void> {
  for (const { name, base64 } of files) {
    const [, year, month, day] = /^(\d{4})_(\d\d)_(\d\d)__/.exec(name)!;
    await env.ARCHIVE.put(`jp2/AIA/${year}/${month}/${day}/171/${name}`, Buffer.from(base64, 'base64'));
  }
  const { objects } = await jsonOf<{ objects: unknown }>(await send('/admin/objects', { headers: authorised }));
  const response = await send('/admin/objects', { method: 'POST', headers: authorised, body: JSON.stringify({ objects }) });
  expect(await response.json()).toMatchObject({ problems: [] });
}

/** Loses the rows of the images with the sequences of ids, and what is made again from the files. */
async function loseImages(): Promise<void> {
  for (const table of ['images', 'withdrawn_images', 'foreign_names', 'image_counts', 'held_shards']) {
    await env.IMAGES.prepare(`DELETE FROM ${table}`).run();
  }
  await env.IMAGES.prepare(claimStatement(SHARDS.filter((shard) => shard % 2 === 0))).run();
  const sequence = env.ID_SEQUENCES.get(env.ID_SEQUENCES.idFromName('images-10'));
  await runInDurableObject(sequence, (_, { storage }) => storage.deleteAll());
  for (const prefix of ['facts/', 'idx/', 'derived/']) {
    const { objects } = await env.ARCHIVE.list({ prefix });
    await env.ARCHIVE.delete(objects.map(({ key }) => key));
  }
  forgetWorker();
}

it('An index that is rebuilt from the files of an archive has the ids that it had, of uploads and of files of others.', async () => {
  const ids = [await giveOutImage(first)];
  await indexBucket(cached, [second, ...frames]);
  for (const file of [second, frames[0]!]) ids.push(await giveOutImage(file));
  // A later version of a file, at a path of its own.
  const last = frames.at(-1)!;
  expect((await cached(`/admin/images/${last.name}`, { method: 'DELETE', headers: authorised })).status).toBe(200);
  ids.push(await giveOutImage(last, '?restore=true'));
  await giveOutDerived('before the loss');
  const before = given.size;
  expect(await recheck(service(BEFORE))).toEqual({ wrong: [], right: before });

  await loseImages();
  expect((await recheck(service(BEFORE))).right).toBeLessThan(before);
  const rebuilt = service(BEFORE);
  await indexBucket(rebuilt);
  // The files of the movie are made again from its recipe, with other bytes.
  const { wrong, right } = await recheck(rebuilt);
  expect(wrong.filter((path) => !path.includes('downloadMovie'))).toEqual([]);
  expect(right).toBe(before - 1);
  const added = await idOf(await put(rebuilt, third!));
  expect(added).toBeGreaterThan(Math.max(...ids) + 16 * SEQUENCES.margin);

  // Without the marks below ids/, and with half of the files only: what comes later keeps its id as well.
  await env.ARCHIVE.delete('ids/last/images-10');
  await loseImages();
  await indexBucket(service(BEFORE));
  expect(await idOf(await put(service(BEFORE), third!))).toBe(added);
});

/** Responses for an image, of tiles that were never drawn before as well. */
async function shown(send: Send, id: number): Promise<string[]> {
  const tiles = ['x=0&y=0&imageScale=9.68176352', 'x=-1&y=-1&imageScale=4.84088176', 'x=0&y=0&imageScale=2.42044088'];
  const paths = [
    ...tiles.map((tile) => `getTile/?id=${id}&${tile}`),
    ...['getJP2Header/', 'getJP2Image/', 'downloadImage/'].map((operation) => `${operation}?id=${id}`),
    `downloadImage/?id=${id}&width=128`,
  ];
  const answers = await Promise.all(
    [...paths.map((path) => `/v2/${path}`), ...given.keys()].map(async (path) => {
      const response = await send(path);
      await response.arrayBuffer().catch(() => undefined);
      return `${path} ${response.status}`;
    }),
  );
  return answers.filter((answer) => !/ (404|410)$/.test(answer));
}

it('A withdrawal reaches the id that a restored database has lost, and all that was made of it.', async () => {
  const older = await stateOf(env.IMAGES);
  const lost = await giveOutImage(first);
  await giveOut(`/v2/downloadImage/?id=${lost}&width=128`);
  const { id } = await jsonOf<{ id: number }>(
    await cached(`/v2/takeScreenshot/?date=2024-05-10T12:00:30Z&layers=[10,1,100]&${FIELD}`),
  );
  await giveOut(`/v2/downloadScreenshot/?id=${id}`);
  const { uri } = await jsonOf<{ uri: string }>(await cached(`/v2/getJPX/?sourceId=10&${RANGE}&verbose=true&linked=false`));
  await giveOut(new URL(uri).pathname);

  await restore(env.IMAGES, older);
  // Without its metadata, as some programs copy files.
  const [{ key } = expect.fail('no file')] = (await env.ARCHIVE.list({ prefix: 'jp2/' })).objects;
  await env.ARCHIVE.put(key, Buffer.from(first.base64, 'base64'));
  const again = await idOf(await put(cached, first));
  expect(again).not.toBe(lost);
  expect(await recheck(cached)).toEqual({ wrong: [], right: given.size });
  expect((await cached(`/admin/images/${first.name}`, { method: 'DELETE', headers: authorised })).status).toBe(200);
  for (const send of [cached, service(BEFORE)]) {
    for (const each of [lost, again]) expect(await shown(send, each)).toEqual([]);
  }
  const { objects } = await env.ARCHIVE.list();
  expect(
    objects.map(({ key }) => key).filter((key) => /^(jp2|idx|facts|derived\/(coefficients|grids|laws|v))/.test(key)),
  ).toEqual([]);
});

it('An image that a restored database has back after its withdrawal is shown by no picture, and reconciliation withdraws it.', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const id = await giveOutImage(first);
  await giveOut(`/v2/downloadImage/?id=${id}&width=128`);
  // Derived copies and coefficients are stored behind the responses.
  await vi.waitFor(async () => expect((await env.ARCHIVE.list({ prefix: 'derived/' })).objects.length).toBeGreaterThan(1));
  const older = await stateOf(env.IMAGES);
  expect((await cached(`/admin/images/${first.name}`, { method: 'DELETE', headers: authorised })).status).toBe(200);
  await restore(env.IMAGES, older);
  const pictures = (await shown(service(BEFORE), id)).filter((answer) => !answer.endsWith(' 500'));
  expect(pictures).toEqual([]);
  for (let cursor: unknown = null, steps = 0; steps < 20 && (steps === 0 || cursor !== null); steps += 1) {
    const body = JSON.stringify({ cursor, mend: true });
    cursor = (
      await jsonOf<{ next: unknown }>(await cached('/admin/reconciliation', { method: 'POST', headers: authorised, body }))
    ).next;
  }
  expect(await shown(service(BEFORE), id)).toEqual([]);
});

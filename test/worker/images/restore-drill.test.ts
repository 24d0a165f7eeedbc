// Histories of the databases that an operator may cause: an older state restored, an index rebuilt from its files, a shard moved. An
// address that was given out before shows what it showed then, or says that it cannot.
import { env } from 'cloudflare:workers';
import { afterEach, expect, inject, it, vi } from 'vitest';
import { moveShard } from '../../../src/cli/shards/move-shard.ts';
import { SHARDS } from '../../../src/domain/shards.ts';
import { claimStatement } from '../../../src/storage/images/image-tables.ts';
import { sha256Hex } from '../../../src/util/digest.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/util/durations.ts';
import { buildMovie, recent } from '../clients/archive.ts';
import type { SampleFile } from '../sample.ts';
import { fetchService } from '../service.ts';
import { AFTER, authorised, BEFORE, client, idOf, put, type Send, SHARD, service } from '../services.ts';

const [first, second] = inject('samples') as [SampleFile, SampleFile];
/** Six images of the same source on another day: one is ingested later than the others, of which movies are made. */
const [third, ...frames] = recent.files.filter(({ sourceId }) => sourceId === 10);
const FRAMES_MS = recent.todayMs - 15 * DAY_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const PERIOD = `startTime=${iso(FRAMES_MS - 6 * MINUTE_MS)}&endTime=${iso(FRAMES_MS)}`;

/** The service behind its cache. */
const cached: Send = (path, init) => fetchService(new Request(`http://helioedge.test${path}`, init));

type Tables = ReadonlyMap<string, readonly Record<string, unknown>[]>;

/** The rows of all tables. */
async function stateOf(database: D1Database): Promise<Tables> {
  const { results } = await database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
    )
    .all<{ name: string }>();
  const rows = results.map(
    async ({ name }) =>
      [name, (await database.prepare(`SELECT * FROM "${name}"`).all<Record<string, unknown>>()).results] as const,
  );
  // Numbers of rows that are issued next.
  const sequences = database.prepare('SELECT * FROM sqlite_sequence').all<Record<string, unknown>>();
  return new Map([...(await Promise.all(rows)), ['sqlite_sequence', (await sequences).results]]);
}

/** Replaces all rows, as Time Travel does. */
async function restore(database: D1Database, tables: Tables): Promise<void> {
  const statements = [...tables].flatMap(([name, rows]) => [
    database.prepare(`DELETE FROM "${name}"`),
    ...rows.map((row) => {
      const values = Object.values(row).map((value) => (Array.isArray(value) ? Uint8Array.from(value) : value));
      return database.prepare(`INSERT INTO "${name}" VALUES (${values.map(() => '?').join(', ')})`).bind(...values);
    }),
  ]);
  await database.batch(statements);
}

/** Addresses that were given out, and the digest of what they showed. */
const given = new Map<string, string>();

const digestOf = async (response: Response) => sha256Hex(new Uint8Array(await response.arrayBuffer()));

async function giveOut(path: string): Promise<void> {
  const response = await cached(path);
  expect([path, response.status]).toEqual([path, 200]);
  given.set(path, await digestOf(response));
}

async function giveOutImage(file: SampleFile): Promise<number> {
  const id = await idOf(await put(cached, file));
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

it('No answer is wrong after a restored database, a rebuilt index and a moved shard, cached ones included.', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const uncached = service(BEFORE);
  const ids = [await giveOutImage(first), await giveOutImage(second)];
  for (const file of frames) await put(cached, file);
  await giveOutDerived('one');
  const older = { main: await stateOf(env.DB), images: await stateOf(env.IMAGES) };

  ids.push(await giveOutImage(third!));
  expect((await cached(`/admin/images/${second.name}`, { method: 'DELETE', headers: authorised })).status).toBe(200);
  ids.push(await giveOutImage(second));
  await giveOutDerived('second');
  await expectNothingWrong(uncached, 9);
  const newer = { main: await stateOf(env.DB), images: await stateOf(env.IMAGES) };

  // The older databases: images, screenshots and movies since then are unknown to them.
  await restore(env.DB, older.main);
  await restore(env.IMAGES, older.images);
  await expectNothingWrong(uncached, 5);
  const again = await idOf(await put(uncached, third!));
  expect(ids).not.toContain(again);
  // The restored row of the withdrawn image has no file any more: the operator withdraws it again.
  expect((await uncached(`/admin/images/${second.name}`, { method: 'DELETE', headers: authorised })).status).toBe(200);
  expect(ids).not.toContain(await idOf(await put(uncached, second)));
  await giveOutDerived('third time');
  await expectNothingWrong(uncached, 8);

  // The restoration of the main database undone for a moment: a build of the same number has made another movie meanwhile.
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
  expect(rebuilt.filter((id) => [...ids, again].includes(id))).toEqual([]);
  await giveOutDerived('after the rebuilding');
  await expectNothingWrong(uncached, 4);

  // A moved shard.
  const move = (send: Send) =>
    moveShard({ client: client(send), shard: SHARD, to: 'IMAGES_SPARE', wait: async () => undefined, say: () => undefined });
  expect(await move(uncached)).toBe(false);
  const moved = service(AFTER);
  expect(await move(moved)).toBe(true);
  const { wrong, right } = await recheck(moved);
  expect([wrong, right >= 4]).toEqual([[], true]);
});

// An index that is rebuilt from its files: an address that was given out before shows what it showed then.
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { SEQUENCES } from '../../../src/platform/limits/images.ts';
import { claimStatement, SHARDS } from '../../../src/platform/storage/shards.ts';
import { sha256Hex } from '../../../src/platform/util/bytes.ts';
import { forgetWorker } from '../../../src/worker/worker.ts';
import type { SampleFile } from '../samples/provide-samples.ts';
import { minutes, samples } from '../samples/sample-files.ts';
import { send as cached } from '../service.ts';
import { authorised, BEFORE, idOf, jsonOf, loseSequence, put, type Send, service } from '../services.ts';
import { buildMovie, queueMovie } from './built-movie.ts';

const [first, second] = samples as [SampleFile, SampleFile];
/** Images of another day: one is ingested later than the others, of which movies are made. */
const [third, ...frames] = minutes;

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

const RANGE = 'startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T12:10:00Z';
const FIELD = 'imageScale=9.6&x0=0&y0=0&width=64&height=64';

/** A screenshot, a JPX file and a finished movie of the present images. */
async function giveOutDerived(): Promise<void> {
  const { id } = await jsonOf<{ id: number }>(
    await cached(`/v2/takeScreenshot/?date=2024-05-10T12:00:30Z&layers=[10,1,100]&${FIELD}`),
  );
  await giveOut(`/v2/downloadScreenshot/?id=${id}`);
  const { uri } = await jsonOf<{ uri: string }>(await cached(`/v2/getJPX/?sourceId=10&${RANGE}&verbose=true&linked=false`));
  await giveOut(new URL(uri).pathname);
  const movie = await queueMovie(cached);
  await buildMovie('one');
  await giveOut(`/v2/downloadMovie/?id=${movie}&format=mp4&hq=true`);
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
  await loseSequence();
  for (const prefix of ['facts/', 'idx/', 'derived/']) {
    const { objects } = await env.ARCHIVE.list({ prefix });
    await env.ARCHIVE.delete(objects.map(({ key }) => key));
  }
  forgetWorker();
}

it('an index that is rebuilt from the files of an archive has the ids that it had, of uploads and of files of others.', async () => {
  const ids = [await giveOutImage(first)];
  await indexBucket(cached, [second, ...frames]);
  for (const file of [second, frames[0]!]) ids.push(await giveOutImage(file));
  // A later version of a file, at a path of its own.
  const last = frames.at(-1)!;
  expect((await cached(`/admin/images/${last.name}`, { method: 'DELETE', headers: authorised })).status).toBe(200);
  ids.push(await giveOutImage(last, '?restore=true'));
  await giveOutDerived();
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
  // Marks of a sequence are written every `marked` numbers.
  expect(added).toBeGreaterThan(Math.max(...ids) + 16 * (SEQUENCES.margin - SEQUENCES.marked));

  // Without the marks below ids/, and with half of the files only: what comes later keeps its id as well.
  await env.ARCHIVE.delete('ids/last/images-10');
  await loseImages();
  await indexBucket(service(BEFORE));
  expect(await idOf(await put(service(BEFORE), third!))).toBe(added);
});

// A backup, and its restoration in a new account: the rows of the databases, and the objects below jp2/ and states/. Everything else is made
// again: sidecars, records, pictures, movies, and the sequences of ids.
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { sha256Hex } from '../../../src/platform/util/bytes.ts';
import { VIEW } from '../../support/sharing/web-client-view.ts';
import type { SampleFile } from '../samples/provide-samples.ts';
import { minutes as frames, samples } from '../samples/sample-files.ts';
import { authorised, BEFORE, idOf, jsonOf, loseSequence, put, reconcile, type Send, service } from '../services.ts';
import { buildMovie, queueMovie } from './built-movie.ts';
import { restore, stateOf } from './database-states.ts';

const [first, second] = samples as [SampleFile, SampleFile];
const DATABASES = [env.DB, env.OPERATIONS, env.IMAGES, env.IMAGES_ODD];
const BACKED_UP = ['jp2/', 'states/'];

const digestOf = async (response: Response) => sha256Hex(new Uint8Array(await response.arrayBuffer()));
const keysBelow = async (prefix: string) => (await env.ARCHIVE.list({ prefix })).objects.map(({ key }) => key);

async function backup() {
  const databases = await Promise.all(DATABASES.map(stateOf));
  const keys = (await Promise.all(BACKED_UP.map(keysBelow))).flat();
  const objects = await Promise.all(keys.map(async (key) => [key, await (await env.ARCHIVE.get(key))!.arrayBuffer()] as const));
  return { databases, objects };
}

/** What a new account has: migrated databases without rows, an empty bucket, and sequences that begin anew. */
async function startAnew(): Promise<void> {
  for (const database of DATABASES) {
    const tables = [...(await stateOf(database)).keys()].filter((name) => name !== 'd1_migrations');
    await restore(database, new Map(tables.map((name) => [name, []])));
  }
  await env.ARCHIVE.delete(await keysBelow(''));
  await loseSequence();
}

it('A backup of the databases, of jp2/ and of states/ restores every address in a new account.', async () => {
  const before = service(BEFORE);
  const id = await idOf(await put(before, first));
  const withdrawn = await idOf(await put(before, second));
  expect((await before(`/admin/images/${second.name}`, { method: 'DELETE', headers: authorised })).status).toBe(200);
  for (const file of frames) await put(before, file);
  const field = 'imageScale=9.6&x0=0&y0=0&width=64&height=64';
  const screenshot = await idOf(await before(`/v2/takeScreenshot/?date=2024-05-10T12:00:30Z&layers=[10,1,100]&${field}`));
  const movie = await queueMovie(before);
  await buildMovie('one');
  const saved = await jsonOf<{ data: string }>(
    await before('//?action=saveWebClientState', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(VIEW),
    }),
  );
  const addresses = [
    `/v2/getTile/?id=${id}&x=0&y=0&imageScale=9.68176352`,
    `/v2/getJP2Header/?id=${id}`,
    `/v2/getJP2Image/?id=${id}`,
    `/v2/downloadScreenshot/?id=${screenshot}`,
    `/?action=getWebClientState&state_id=${saved.data}`,
    '/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:30Z',
    '/v2/getDataCoverage/?imageLayers=[10,1,100]&startDate=1715299200000&endDate=1715385600000',
  ];
  const answers = async (send: Send) =>
    Promise.all(
      addresses.map(async (path) => {
        const response = await send(path);
        return [path, response.status, await digestOf(response)];
      }),
    );
  const shown = await answers(before);
  expect(shown.map(([, status]) => status)).toEqual(addresses.map(() => 200));
  const { databases, objects } = await backup();

  await startAnew();
  expect((await service(BEFORE)(addresses[0]!)).status).not.toBe(200);
  for (const [i, database] of DATABASES.entries()) await restore(database, databases[i]!);
  for (const [key, bytes] of objects) await env.ARCHIVE.put(key, bytes);

  const after = service(BEFORE);
  expect(await answers(after)).toEqual(shown);
  expect((await after(`/v2/getTile/?id=${withdrawn}&x=0&y=0&imageScale=9.68176352`)).status).toBe(410);
  expect(await reconcile(after, false)).toEqual([]);
  // A number that was issued before is not issued again, although the sequences are lost.
  expect(await idOf(await put(after, second, '?restore=true'))).toBeGreaterThan(
    Math.max(id, withdrawn) + 16 * (frames.length - 1),
  );
  const again = await idOf(await after(`/v2/takeScreenshot/?date=2024-05-10T12:00:30Z&layers=[10,1,50]&${field}`));
  expect(again).not.toBe(screenshot);
  // The files of the movie were not in the backup: the download queues it anew, and it is made again.
  const download = () => after(`/v2/downloadMovie/?id=${movie}&format=mp4&hq=true`);
  expect((await download()).status).toBe(202);
  await buildMovie('two');
  expect((await download()).status).toBe(200);
});

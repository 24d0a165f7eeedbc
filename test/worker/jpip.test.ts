import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, expect, it } from 'vitest';
import { SCHEMA } from '../../src/faces/jpip/jpip-channel.ts';
import { ChannelIds } from '../../src/faces/jpip/response.ts';
import { JPIP } from '../../src/platform/limits/jpx.ts';
import { HOUR_MS } from '../../src/platform/util/durations.ts';
import { ingest, samples, send } from './service.ts';

const TOKEN = 'a-token-for-tests-only';
const PATHS = samples.map(({ name }) => `/AIA/2024/05/10/171/${name}`) as [string, string];
const WHOLE = 'stream=0&fsiz=256,256,closest';
/** The same data-bins in other words: a repeated request would say that the response was lost. */
const SAME_WINDOW = `${WHOLE}&rsiz=256,256`;
/** An end-of-response message alone. */
const NOTHING_NEW = [0, 2, 0];

const channelIds = new ChannelIds({ secret: TOKEN, clock: Date.now });

const bytesOf = async (target: string) => [...new Uint8Array(await (await send(target)).arrayBuffer())];
const errorOf = async (target: string) => {
  const response = await send(target);
  const { error, parameter } = (await response.json()) as { error: string; parameter?: string };
  return [response.status, parameter, error];
};

/** Drops the channel's object from memory, as the runtime does with idle objects. */
async function evict(cid: string): Promise<void> {
  const channel = env.JPIP_CHANNELS.get(env.JPIP_CHANNELS.idFromName(cid));
  await expect(runInDurableObject(channel, (_, state) => state.abort('evicted'))).rejects.toThrow();
}

/** Id of a new channel. */
let mine: string;

beforeEach(async () => {
  mine = await channelIds.next();
  for (const file of samples) await ingest(file);
});

it('a JPIP channel appears in the response that opens it, and sends no data twice unless a finished window is requested again', async () => {
  const opened = await send(`${PATHS[0]}?cnew=http&type=jpp-stream&tid=0&len=512`);
  expect(opened.status).toBe(200);
  expect(opened.headers.get('Content-Type')).toBe('image/jpp-stream');
  expect(opened.headers.get('JPIP-tid')).toMatch(/^[0-9a-f]{32}$/);
  const [, cid] = /^cid=([0-9a-f]{40}),path=(.*),transport=http$/.exec(opened.headers.get('JPIP-cnew') ?? '') ?? [];
  expect((await opened.arrayBuffer()).byteLength).toBeGreaterThan(450);
  const first = await bytesOf(`${PATHS[0]}?cid=${cid}&${WHOLE}`);
  expect(first.length).toBeGreaterThan(5_000);
  expect(await bytesOf(`${PATHS[0]}?cid=${cid}&${SAME_WINDOW}`)).toEqual(NOTHING_NEW);
  expect(await bytesOf(`${PATHS[0]}?cid=${cid}&${WHOLE}`)).toEqual(first);
});

it('a JPIP channel makes no object for an invented, altered or old id, which is 404, and one for its own', async () => {
  const objects = async () => (await listDurableObjectIds(env.JPIP_CHANNELS)).length;
  const before = await objects();
  const altered = `${mine.slice(0, -1)}${mine.endsWith('0') ? '1' : '0'}`;
  for (const cid of [altered, 'c'.repeat(40), '0', 'x'.repeat(64)]) {
    for (const field of [`cid=${cid}&${WHOLE}`, `cclose=${cid}`, `cid=${cid}&cclose=*`]) {
      expect(await errorOf(`${PATHS[0]}?${field}`), field).toEqual([
        404,
        'cid',
        `No channel has the id ${cid}. The parameter cnew opens one.`,
      ]);
    }
  }
  const late = await new ChannelIds({ secret: TOKEN, clock: () => Date.now() - 26 * HOUR_MS }).next();
  const early = await new ChannelIds({ secret: TOKEN, clock: () => Date.now() - 23 * HOUR_MS }).next();
  expect((await errorOf(`${PATHS[0]}?cid=${late}&${WHOLE}`))[0]).toBe(404);
  expect(await objects()).toBe(before);
  await bytesOf(`${PATHS[0]}?cid=${early}&${WHOLE}`);
  expect(await objects()).toBe(before + 1);
  await bytesOf(`${PATHS[0]}?cid=${mine}&${WHOLE}`);
  expect(await objects()).toBe(before + 2);
});

it('a JPIP channel leads to its target by its path, in every form of the request', async () => {
  for (const target of [PATHS[0], `/jpip${PATHS[0]}`, `/jpip?target=${PATHS[0].slice(1)}&`]) {
    const opened = await send(`${target}${target.includes('?') ? '' : '?'}cnew=http&len=0`);
    const [, cid, path] = /^cid=(\w+),path=(.*),transport=http$/.exec(opened.headers.get('JPIP-cnew') ?? '') ?? [];
    expect((await bytesOf(`/${path}?cid=${cid}&${WHOLE}`)).length).toBeGreaterThan(5_000);
  }
});

it('a JPIP channel starts with an empty cache model after it was closed or has expired', async () => {
  const first = await bytesOf(`${PATHS[0]}?cid=${mine}&${WHOLE}`);
  expect(await bytesOf(`${PATHS[0]}?cid=${mine}&${SAME_WINDOW}`)).toEqual(NOTHING_NEW);
  expect(await bytesOf(`${PATHS[0]}?cclose=${mine}&len=0`)).toEqual([]);
  expect(await bytesOf(`${PATHS[0]}?cid=${mine}&${WHOLE}`)).toEqual(first);
  const channel = env.JPIP_CHANNELS.get(env.JPIP_CHANNELS.idFromName(mine));
  expect(await runDurableObjectAlarm(channel)).toBe(true);
  expect(await bytesOf(`${PATHS[0]}?cid=${mine}&${WHOLE}`)).toEqual(first);
});

it('a JPIP channel refuses another target', async () => {
  await bytesOf(`${PATHS[0]}?cid=${mine}&${WHOLE}`);
  const sentence = (name: string) => `The channel of ${name} belongs to another target.`;
  expect(await errorOf(`${PATHS[1]}?cid=${mine}&${WHOLE}`)).toEqual([400, 'cid', sentence('cid')]);
  expect(await errorOf(`${PATHS[1]}?cclose=${mine}`)).toEqual([400, 'cclose', sentence('cclose')]);
  expect(await bytesOf(`${PATHS[0]}?cid=${mine}&${SAME_WINDOW}`)).toEqual(NOTHING_NEW);
});

it('a JPIP channel that is evicted while deliveries wait loses no more than these', async () => {
  const window = (i: number) => `${PATHS[0]}?cid=${mine}&stream=0&fsiz=256,256&roff=${i},${i}&rsiz=8,8`;
  for (let i = 0; i < JPIP.writesAtOnce; i += 1) await bytesOf(window(i));
  await bytesOf(`${PATHS[0]}?cid=${mine}&${WHOLE}`);
  await evict(mine);
  expect(await runDurableObjectAlarm(env.JPIP_CHANNELS.get(env.JPIP_CHANNELS.idFromName(mine)))).toBe(true);
  expect(await bytesOf(`${window(0)}&layers=100`)).toEqual(NOTHING_NEW);
});

it('a JPIP channel keeps its cache model and its answered windows when the runtime evicts it', async () => {
  const query = `${PATHS[0]}?cid=${mine}&${WHOLE}&len=2000`;
  const first = await bytesOf(query);
  const second = await bytesOf(query);
  expect(second).not.toEqual(first);
  await evict(mine);
  const third = await bytesOf(query);
  expect([first, second].some((earlier) => JSON.stringify(earlier) === JSON.stringify(third))).toBe(false);
  // Bounded, because a loop of responses of this isolate leaves no time to the time limit of the test.
  for (let i = 0; (await bytesOf(query)).at(-2) !== 2; i += 1) expect(i).toBeLessThan(100);
  await evict(mine);
  expect(await bytesOf(`${PATHS[0]}?cid=${mine}&${SAME_WINDOW}`)).toEqual(NOTHING_NEW);
  expect(await bytesOf(query)).toEqual(first);
});

it('a JPIP channel repeats the response of a request ID, an eviction later as well', async () => {
  const query = `${PATHS[0]}?cid=${mine}&${WHOLE}&len=2000`;
  const response = await send(`${query}&qid=5`);
  expect(response.headers.get('JPIP-qid')).toBe('5');
  const first = [...new Uint8Array(await response.arrayBuffer())];
  await evict(mine);
  expect(await bytesOf(`${query}&qid=5`)).toEqual(first);
  expect(await bytesOf(`${query}&qid=6`)).not.toEqual(first);
});

it('a JPIP channel starts with an empty cache model when its state has another form', async () => {
  const channel = env.JPIP_CHANNELS.get(env.JPIP_CHANNELS.idFromName(mine));
  const first = await bytesOf(`${PATHS[0]}?cid=${mine}&${WHOLE}`);
  await runInDurableObject(channel, (_, { storage: { sql } }) => {
    const answers = sql.exec<{ answer: string }>('SELECT answer FROM answered').toArray();
    const members = answers.map(({ answer }) => JSON.parse(answer) as { start: object });
    // A change of the members has to change the text of the tables, and so the form.
    expect(SCHEMA).toContain(`answer: ${Object.keys(members[0]!).join(', ')};`);
    expect(SCHEMA).toContain(`rest: ${Object.keys(members[0]!.start).join(', ')}\n`);
    sql.exec("UPDATE channel SET tid = replace(tid, '.', '.of-another-version.')");
    sql.exec('ALTER TABLE sent RENAME COLUMN partial TO parts');
  });
  await evict(mine);
  expect(await bytesOf(`${PATHS[0]}?cid=${mine}&${SAME_WINDOW}`)).toEqual(first);
  expect(await bytesOf(`${PATHS[0]}?cid=${mine}&${WHOLE}`)).toEqual(NOTHING_NEW);
});

it('a JPIP request of pages of other origins exposes the JPIP headers, and gets 404, and no path, for other paths', async () => {
  const opened = await send(`${PATHS[0]}?cnew=http&len=0`);
  expect(opened.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(opened.headers.get('Access-Control-Expose-Headers')).toContain('JPIP-cnew, JPIP-qid, JPIP-tid');
  expect(opened.headers.get('Cache-Control')).toBe('no-cache');
  const name = PATHS[0].slice(PATHS[0].lastIndexOf('/') + 1);
  const inFolders = ['/AIA/2024/05/10/172/', '/AIA/..%2f2024/05/10/171/'].map((folder) => folder + name);
  const others = ['/AIA/2024/05/10/171/none.jp2', '/../admin-token.jp2', '/%00.jp2', '/%ff.jp2', '/movies/none.jpx'];
  for (const path of [...inFolders, ...others, '/movies/..%2f..%2fjp2.jpx'])
    expect([path, ...(await errorOf(`${path}?cnew=http`))]).toEqual([
      path,
      404,
      undefined,
      'No image or JPX movie has this path.',
    ]);
});

// One service, seen by the check of a deployment and by JPIP clients, because a start takes some seconds of processor time.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { archivePath } from '../../demo/image-file.ts';
import { serviceAccess } from '../../src/cli/command.ts';
import { CHECK_WAITS, type CheckedRow, checkService, ROW_NAMES } from '../../src/cli/deploy/check.ts';
import { runCommand, WITHOUT_EVENTS } from '../support/commands.ts';
import { openjpegDecode } from '../support/jp2/openjpeg.ts';
import { JpipConnection, openedChannel } from '../support/jpx/jpip-client.ts';
import { rebuildCodestream } from '../support/jpx/jpip-rebuild.ts';
import { BinCache } from '../support/jpx/jpip-stream.ts';
import { archiveFiles, readArchiveFile } from '../support/real-files.ts';
import { sampleFile } from '../support/sample-files.ts';
import { serveApp } from '../support/serve-app.ts';
import { type ServedArchive, serveArchive } from '../support/served-archive.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const AIA_171 = 10;
const SIDE = 512;
const FRAMES = 4;
const EIGHTH = 3;

const minute = (n: number) => NOON + n * 60_000;
const iso = (timeMs: number) => new Date(timeMs).toISOString();
const shots = Array.from({ length: FRAMES }, (_, n) => ({ sourceId: AIA_171, timeMs: minute(n), size: SIDE }));

const METRICS_TOKEN = 'a-token-that-only-reads-the-metrics';

let archive: ServedArchive;
let env: NodeJS.ProcessEnv;
let connection: JpipConnection;
/** Bare codestreams of the files by the path of the file. */
const codestreams = new Map<string, Uint8Array>();
const aiaPaths = shots.map((shot) => `/${archivePath(shot)}`);

/** Content of the codestream box, which is the last of the file. */
function codestreamOf(jp2: Uint8Array): Uint8Array {
  const bytes = Buffer.from(jp2);
  const at = bytes.indexOf('jp2c');
  const length = bytes.readUInt32BE(at - 4);
  return length === 0 ? bytes.subarray(at + 4) : bytes.subarray(at + 4, at - 4 + length);
}

beforeAll(async () => {
  for (const shot of shots) codestreams.set(`/${archivePath(shot)}`, codestreamOf(await sampleFile(shot)));
  archive = await serveArchive(shots, {
    ...WITHOUT_EVENTS,
    MOVIE_WORKERS: '1',
    ADMIN_TOKENS: `monitoring/metrics:${METRICS_TOKEN}`,
  });
  env = { HELIOEDGE_URL: archive.service.url, STATE_DIR: archive.stateDir };
});

afterAll(() => archive?.close());

beforeEach(async () => {
  connection = await JpipConnection.open(archive.service.url);
});

afterEach(() => connection.close());

/** Sources that have images. */
async function heldSources(): Promise<number[]> {
  const [url, token] = await serviceAccess(env);
  const list = await fetch(`${url}/admin/images`, { headers: { Authorization: `Bearer ${token}` } });
  return ((await list.json()) as { sources: { sourceId: number }[] }).sources.map(({ sourceId }) => sourceId);
}

/** A check of the service of the archive, with other options in place of some. */
async function checkOf(changed: Partial<Parameters<typeof checkService>[0]>) {
  const [serviceUrl, token] = await serviceAccess(env);
  const { signal } = new AbortController();
  return checkService({ serviceUrl, token, hasMovies: true, nowMs: Date.now(), waits: CHECK_WAITS, signal, ...changed });
}

/** Names and outcomes of the printed table. */
const outcomes = (stdout: string) =>
  Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/).slice(0, 2)),
  );

/** As a zone that blocks assistants. */
const isAssistant = ({ headers }: Request) => /GPTBot/.test(String(headers.get('user-agent')));

/** A proxy of the service that ignores ranges and conditions, refuses some requests, and keeps repeating the first response to each tile. */
async function lyingProxy(refuses = isAssistant): Promise<string> {
  const tiles = new Map<string, Response>();
  const server = await serveApp(async (request) => {
    const headers = new Headers(request.headers);
    for (const name of ['range', 'if-none-match', 'host', 'connection']) headers.delete(name);
    if (refuses(request)) return new Response('blocked', { status: 403 });
    const { pathname, search } = new URL(request.url);
    const { method } = request;
    const known = method === 'GET' ? tiles.get(pathname + search) : undefined;
    const body = request.body && (await request.arrayBuffer());
    const answer = known ?? (await fetch(archive.service.url + pathname + search, { method, headers, body }));
    if (pathname.startsWith('/v2/getTile/') && method === 'GET') tiles.set(pathname + search, answer.clone());
    const sent = [...answer.headers].filter(
      ([name]) => !/^(content-encoding|content-length|transfer-encoding|connection)$/.test(name),
    );
    return new Response(answer.clone().body, { status: answer.status, headers: sent });
  });
  onTestFinished(() => server.close());
  return server.url;
}

it('a check of a service finds everything that a local service can show, says what it cannot, and leaves no image', async () => {
  const { code, stdout, stderr } = await runCommand('src/cli/deploy.ts', ['--check'], env);
  expect(Object.keys(outcomes(stdout))).toEqual(ROW_NAMES);
  expect(Object.entries(outcomes(stdout)).filter(([, outcome]) => outcome !== 'ok')).toEqual([
    ['page at the edge', 'not shown'],
    ['statements of an invocation', 'not shown'],
  ]);
  expect(stdout).toMatch(
    /^statements of an invocation +not shown +1001 ran in one invocation, because the local runtime has no limit$/m,
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(await heldSources()).toEqual([10]);
});

it('a check of a service names the scope that its token does not have, and ends with status 1', async () => {
  const { code, stdout } = await runCommand('src/cli/deploy.ts', ['--check'], { ...env, ADMIN_TOKEN: METRICS_TOKEN });
  expect(stdout).toMatch(/^upload +failed +Status 403: The token of monitoring does not have the scope ingest/m);
  expect(outcomes(stdout)).toMatchObject({
    health: 'ok',
    'HEAD, Range, 304': 'not shown',
    movie: 'not shown',
    withdrawal: 'failed',
  });
  expect(code).toBe(1);
});

it('a check of a service fails for a service that ignores ranges and conditions, and shows withdrawn images', async () => {
  const waits = { ...CHECK_WAITS, purgeMs: 500 };
  const check = await checkOf({ serviceUrl: await lyingProxy(), hasMovies: false, waits });
  const rows: CheckedRow[] = [];
  for await (const row of check) rows.push(row);
  expect(rows.filter(({ outcome }) => outcome === 'failed')).toEqual([
    {
      name: 'programs',
      outcome: 'failed',
      detail: expect.stringContaining('GPTBot/1.2 at /v2/getStatus/ (403), GPTBot/1.2 at /llms.txt'),
    },
    { name: 'HEAD, Range, 304', outcome: 'failed', detail: expect.stringMatching(/^wrong: 304, Range, of a tile of \d+ bytes$/) },
    { name: 'purge by tag', outcome: 'failed', detail: 'the withdrawn image was still shown within 0.5 s' },
  ]);
  expect(rows).toContainEqual({ name: 'movie', outcome: 'not shown', detail: 'the deployment has no movie workers' });
});

it('a check of a service withdraws what it has uploaded when it is interrupted, and names what it cannot withdraw', async () => {
  const interruption = new AbortController();
  let withdrawals = 0;
  const serviceUrl = await lyingProxy(({ method }) => method === 'DELETE' && withdrawals++ === 0);
  const rows: CheckedRow[] = [];
  for await (const row of await checkOf({ serviceUrl, signal: interruption.signal })) {
    rows.push(row);
    if (row.name === 'upload') interruption.abort();
  }
  expect(rows.map(({ name }) => name).slice(-2)).toEqual(['upload', 'withdrawal']);
  const left = /^not withdrawn: (\S+) \(Status 403: Forbidden\); repeat DELETE \/admin\/images\/<name> for each$/;
  const [, name] = left.exec(rows.at(-1)!.detail)!;
  const [url, token] = await serviceAccess(env);
  await fetch(`${url}/admin/images/${name}`, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } });
  expect(await heldSources()).toEqual([10]);
});

const whole = (reduce: number) => [SIDE, SIDE].map((side) => Math.ceil(side / 2 ** reduce)).join(',');
/** A whole frame as desktop clients ask for it. */
const frameQuery = (cid: string, stream: number, reduce: number) =>
  `?stream=${stream}&fsiz=${whole(reduce)},closest&rsiz=${whole(reduce)}&roff=0,0&len=2097152&cid=${cid}`;
const pixels = (codestream: Uint8Array, reduce: number) => openjpegDecode(codestream, reduce);

/** Opens a channel and takes all metadata, as desktop clients do. */
async function openChannel(path: string, cache: BinCache): Promise<{ cid: string; path: string }> {
  const opened = await connection.stream(`${path}?cnew=http&type=jpp-stream&tid=0&len=512`);
  expect(opened.body.length).toBeLessThanOrEqual(512);
  let { reason } = cache.take(opened.body);
  const channel = openedChannel(opened);
  while (reason === 4) {
    const more = await connection.stream(`${channel.path}?stream=0&metareq=[*]!!&len=2000000&cid=${channel.cid}`);
    reason = cache.take(more.body).reason;
  }
  expect([reason, cache.bin(8, 0, 0)?.complete]).toEqual([2, true]);
  return channel;
}

/** What is in the boxes of a type on the outside of a metadata-bin. */
function contentsOf(bin: Uint8Array, type: string): Buffer[] {
  const bytes = Buffer.from(bin);
  const contents: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === type) contents.push(bytes.subarray(at + 8, at + length));
    at += length;
  }
  return contents;
}

/** The path of the JPX movie of the frames. */
async function movieOf(linked: boolean): Promise<string> {
  const range = `startTime=${iso(minute(-1))}&endTime=${iso(minute(FRAMES))}`;
  const response = await fetch(`${archive.service.url}/v2/getJPX/?sourceId=${AIA_171}&${range}&linked=${linked}&jpip=true`);
  return (await response.text()).replace(/^jpips?:\/\/[^/]+/, '');
}

it.each([
  ['an embedded JPX movie', 'one request after another', 'jp2c'],
  ['a linked JPX movie', 'requests that do not wait for responses', 'ftbl'],
])('%s gives every frame small and then whole over one connection, by %s', async (_, way, kind) => {
  const path = await movieOf(kind === 'ftbl');
  const cache = new BinCache();
  const { cid } = await openChannel(path, cache);
  const metadata = cache.bin(8, 0, 0)?.bytes as Uint8Array;
  const placeholders = contentsOf(metadata, 'phld');
  expect(placeholders.map((content) => content.toString('latin1', 16, 20))).toEqual(Array(FRAMES).fill(kind));
  expect(placeholders.map((content) => Number(content.readBigUInt64BE(36)))).toEqual([0, 1, 2, 3]);
  expect(
    Buffer.from(metadata)
      .toString('latin1')
      .match(/<meta>/g),
  ).toHaveLength(FRAMES);
  for (const reduce of [EIGHTH, 0]) {
    const targets = aiaPaths.map((__, n) => path + frameQuery(cid, n, reduce));
    const replies = [];
    if (way.startsWith('one')) for (const target of targets) replies.push(await connection.stream(target));
    else replies.push(...(await Promise.all(targets.map((target) => connection.stream(target)))));
    const reasons = replies.map(({ body }) => cache.take(body).reason);
    expect(reasons).toEqual(reduce === EIGHTH ? [2, 2, 2, 2] : [2, 2, 2, 1]);
    for (const [n, source] of aiaPaths.entries()) {
      expect(pixels(rebuildCodestream(cache, n), reduce)).toEqual(pixels(codestreams.get(source)!, reduce));
    }
  }
  expect([cache.repeatedBytes, cache.repeatedBins]).toEqual([0, 0]);
});

it.each([
  ['metadata', 'metareq=[*]!!&stream=0'],
  ['the first response of a browser client', 'cnew=http&type=jpp-stream&stream=0&fsiz=1,1,closest'],
])('a client that accepts gzip gets %s compressed, with the same bytes', async (_, query) => {
  const path = await movieOf(true);
  const plain = await connection.stream(`${path}?${query}`);
  expect([plain.headers.get('Content-Encoding'), plain.headers.get('Vary')]).toEqual([undefined, 'Accept-Encoding']);
  expect((await connection.stream(`${path}?${query}`, 'deflate, gzip;q=0')).headers.get('Content-Encoding')).toBeUndefined();
  const { headers, body, stream } = await connection.compressedStream(`${path}?${query}`);
  expect([headers.get('Content-Encoding'), headers.get('Vary')]).toEqual(['gzip', 'Accept-Encoding']);
  expect(Buffer.from(stream).equals(plain.body)).toBe(true);
  expect(body.length).toBeLessThan(plain.body.length / 2);
});

it('an invalid request gets an error, and the connection stays usable', async () => {
  const path = aiaPaths[0] as string;
  const wrong = await connection.request(`${path}?stream=0&fsiz=64`);
  expect(wrong.status).toBe('HTTP/1.1 400 Bad Request');
  expect(JSON.parse(Buffer.from(wrong.body).toString())).toMatchObject({ parameter: 'fsiz' });
  const nowhere = await connection.request('/AIA/../../etc/passwd.jp2?cnew=http');
  expect([nowhere.status, nowhere.body.length < 300]).toEqual(['HTTP/1.1 404 Not Found', true]);
  expect((await connection.stream(`${path}?stream=0&fsiz=64,64`)).body.length).toBeGreaterThan(100);
});

it.skipIf(archiveFiles.length === 0)(
  'every real archive file of SAMPLES_DIR is ingested, returned unchanged, and drawn',
  async () => {
    const files = join(archive.folder, 'real');
    await mkdir(files);
    for (const name of archiveFiles) await writeFile(join(files, name), readArchiveFile(name));
    const { code, stdout } = await runCommand('src/cli/ingest.ts', [files], env);
    expect([code, stdout.split('\n')[0]]).toEqual([0, `accepted      ${archiveFiles.length}`]);
    const [url, token] = await serviceAccess(env);
    for (const name of archiveFiles) {
      const card = await fetch(`${url}/admin/images/${name}`, { headers: { Authorization: `Bearer ${token}` } });
      const { id } = (await card.json()) as { id: number };
      const original = await fetch(`${url}/v2/getJP2Image/?id=${id}`);
      expect(Buffer.from(await original.arrayBuffer()).equals(readArchiveFile(name)), name).toBe(true);
      const tile = await fetch(`${url}/v2/getTile/?id=${id}&x=0&y=0&imageScale=4.8`);
      expect([name, tile.status, tile.headers.get('Content-Type')]).toEqual([name, 200, 'image/png']);
    }
  },
);

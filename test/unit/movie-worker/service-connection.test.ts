import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  HttpObjects,
  LeaseLost,
  RequestRejected,
  reportIntervalMs,
  ServiceClient,
  ServiceConnection,
  ServiceUnavailable,
} from '../../../containers/movie/service.ts';
import { readSettings } from '../../../containers/movie/settings.ts';
import { PART_BYTES } from '../../../src/movies/worker-protocol.ts';
import { freePort } from '../../support/commands.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { MovieTestService } from '../../support/movies/movie-service.ts';
import { movieArchive, plannedBuild } from '../../support/movies/planned-builds.ts';

const never = new AbortController().signal;

it('the reports of a movie worker come every five seconds, or four times in a short lease', () => {
  expect([4_000, 12_000, 30_000, 600_000].map(reportIntervalMs)).toEqual([1_000, 3_000, 5_000, 5_000]);
});

const archive = await movieArchive(2);
const planned = await plannedBuild(archive);
const fake = await MovieTestService.start(archive);
const connection = new ServiceConnection({ url: fake.url, token: MOVIE_TOKEN });
const service = new ServiceClient(connection);

describe('the connection of a movie worker to the service', () => {
  afterEach(() => {
    fake.fault = () => undefined;
  });
  afterAll(() => fake.close());

  async function claimed() {
    const build = await fake.add(planned);
    const claim = await service.claim('tester', never);
    if (!claim) throw new Error('No build was claimed.');
    return { build, claim };
  }

  it('retries while the service fails, drops connections or responds too late', async () => {
    const [key = ''] = archive.objects.objects.keys();
    const faults = [500, 'drop', 503, 'drop-response', 429] as const;
    let requests = 0;
    fake.fault = () => faults[requests++];
    const bytes = await new HttpObjects(connection).readAll(key);
    expect(bytes).toEqual(archive.objects.objects.get(key));
    expect(requests).toBe(6);
    fake.fault = () => (requests++ < 8 ? 'hang' : undefined);
    const late = await connection.send({ method: 'GET', path: `/internal/objects/${key}`, timeoutMs: 100 });
    expect(late.status).toBe(200);
  });

  it('stops retrying when its time limit or its signal ends it', async () => {
    fake.fault = () => 500;
    await expect(connection.send({ method: 'GET', path: '/x', retryForMs: 400 })).rejects.toThrow(ServiceUnavailable);
    const stop = new AbortController();
    const request = connection.send({ method: 'GET', path: '/x', signal: stop.signal });
    setTimeout(() => stop.abort(new Error('stopped')), 50);
    await expect(request).rejects.toThrow('stopped');
    const unreachable = new ServiceConnection({ url: `http://127.0.0.1:${await freePort()}`, token: MOVIE_TOKEN });
    await expect(unreachable.send({ method: 'GET', path: '/x', retryForMs: 300 })).rejects.toThrow('ECONNREFUSED');
  });

  it('reads exact ranges, and tells a short object from a missing one', async () => {
    const objects = new HttpObjects(connection);
    const [key = '', whole = new Uint8Array(0)] = [...archive.objects.objects].find(([name]) => name.startsWith('jp2/')) ?? [];
    expect(await objects.read(key, 100, 50)).toEqual(whole.slice(100, 150));
    expect(await objects.read(key, 100, 0)).toEqual(new Uint8Array(0));
    await expect(objects.read(key, whole.length - 10, 11)).rejects.toThrow(RangeError);
    await expect(objects.read(key, whole.length + 10, 11)).rejects.toThrow(RangeError);
    expect(await objects.read('jp2/none.jp2', 0, 4)).toBeNull();
    expect(await objects.readAll('jp2/none.jp2')).toBeNull();
    await objects.put('idx/2/new.idx', whole.subarray(0, 9), 'application/octet-stream');
    expect(archive.objects.objects.get('idx/2/new.idx')).toEqual(whole.slice(0, 9));
  });

  it('sends a long file in parts and repeats each one whose response is lost', async () => {
    const { build, claim } = await claimed();
    const bytes = new Uint8Array(Buffer.alloc(2 * PART_BYTES + 1000, 'bytes that repeat'));
    let puts = 0;
    fake.fault = ({ method }) => (method === 'PUT' && puts++ % 2 === 0 ? 'drop-response' : undefined);
    await service.store(claim, 'movie.mp4', new Blob([bytes]), never);
    expect(puts).toBe(6);
    expect(Buffer.compare(build.files.get('movie.mp4') ?? new Uint8Array(0), bytes)).toBe(0);
    await service.report(claim, 'fail', { reason: 'enough', isFinal: true }, { retryForMs: 1000 });
  });

  it('tells a lost lease from a rejected request', async () => {
    const { claim } = await claimed();
    const nothing = { framesSkipped: 0, files: [], totalMs: 1 };
    await expect(service.report({ ...claim, lease: 'another' }, 'finish', nothing, {})).rejects.toThrow(LeaseLost);
    await expect(service.report(claim, 'finish', nothing, {})).rejects.toThrow(RequestRejected);
    await expect(new ServiceClient(new ServiceConnection({ url: fake.url, token: 'wrong' })).claim('x', never)).rejects.toThrow(
      '401',
    );
  });
});

const env = { SERVICE_URL: 'http://127.0.0.1:8787/', MOVIE_TOKEN: 'a-secret' };

it('the settings of a movie worker default all settings but the service and the token', () => {
  const settings = readSettings(env);
  expect(settings).toMatchObject({
    PORT: 8080,
    HOST: '127.0.0.1',
    SERVICE_URL: 'http://127.0.0.1:8787',
    // One user of a machine may not write to the folder of another.
    workDir: join(tmpdir(), `helioedge-movies-${process.getuid!()}`),
    pollMs: 0,
  });
  expect(settings.name).toMatch(/^worker-[0-9a-f]{8}$/);
  expect(settings.drawThreads).toBeGreaterThanOrEqual(1);
  expect(settings.drawThreads).toBeLessThanOrEqual(8);
});

it.each([
  [{ PORT: '70000' }, 'Expected a number from 0 to 65535 for PORT, got 70000.'],
  [{ DRAW_THREADS: 'many' }, 'Expected a number from 1 to 64 for DRAW_THREADS, got many.'],
  [{ SERVICE_URL: 'ftp://x' }, 'Expected http://<host> or https://<host> for SERVICE_URL, got ftp://x.'],
  [{ MOVIE_TOKEN: ' ' }, 'Expected the secret shared with the service for MOVIE_TOKEN, got nothing.'],
])('the settings of a movie worker: %j are refused with their reason', (wrong, sentence) => {
  expect(() => readSettings({ ...env, ...wrong })).toThrow(sentence);
});

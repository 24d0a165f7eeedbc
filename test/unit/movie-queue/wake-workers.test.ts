import type { RequestListener } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { wakeMovieWorkers, wakingOfSettings } from '../../../src/movies/worker-service.ts';
import { MOVIE_BUILDS } from '../../../src/platform/limits/movies.ts';
import type { Log } from '../../../src/platform/ports/timing.ts';
import type { MovieQueueSettings } from '../../../src/platform/settings/movies.ts';
import { type LocalServer, localServer } from '../../support/system/local-server.ts';

const TOKEN = 'a-token-of-the-movie-workers';
const servers: LocalServer[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const settings = (change: Partial<MovieQueueSettings>): MovieQueueSettings => ({
  MOVIE_TOKEN: TOKEN,
  MOVIE_WORKER_URL: [],
  MOVIE_CONTAINERS: 0,
  MOVIE_LEASE_SECONDS: 30,
  ...change,
});

const wakingUrls = (urls: string[], log: Log) => wakingOfSettings(settings({ MOVIE_WORKER_URL: urls }), () => undefined, log);

/** A worker at a URL that records its calls. */
async function worker(listener?: RequestListener) {
  const calls: string[] = [];
  const server = await localServer((request, response) => {
    calls.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    if (listener) listener(request, response);
    else response.writeHead(202).end('{}');
  });
  servers.push(server);
  return { url: server.url, calls };
}

/** A URL without a server. */
async function unusedUrl(): Promise<string> {
  const { url } = await worker();
  await servers.pop()!.close();
  return url;
}

const unable = (status: number) => worker((_, response) => response.writeHead(status).end('no'));

it('workers at URLs wakes the requested number of workers, with the token', async () => {
  const workers = await Promise.all([worker(), worker(), worker()]);
  const log = vi.fn();
  const urls = workers.map(({ url }) => url);
  await wakingUrls(urls, log)(2);
  const call = `POST /wake Bearer ${TOKEN}`;
  expect(workers.map(({ calls }) => calls)).toEqual([[call], [call], []]);
  await wakingUrls(urls, log)(17);
  expect(workers.map(({ calls }) => calls.length)).toEqual([2, 2, 1]);
  expect(log).not.toHaveBeenCalled();
});

it('workers at URLs replaces workers that refuse, fail or are unreachable, and logs them without the token', async () => {
  const [refusing, failing, good, spare] = await Promise.all([unable(401), unable(500), worker(), worker()]);
  const gone = await unusedUrl();
  const log = vi.fn();
  await wakingUrls([gone, refusing.url, failing.url, good.url, spare.url], log)(1);
  expect([good.calls.length, spare.calls.length]).toEqual([1, 0]);
  expect(log.mock.calls).toEqual([
    [{ movieWorker: gone, unreachable: expect.any(String) }],
    [{ movieWorker: refusing.url, status: 401 }],
    [{ movieWorker: failing.url, status: 500 }],
  ]);
  expect(JSON.stringify(log.mock.calls)).not.toContain(TOKEN);
});

it('workers at URLs follows no redirect of a worker to another URL', async () => {
  const elsewhere = await worker();
  const leading = await worker((_, response) => response.writeHead(307, { Location: `${elsewhere.url}/wake` }).end());
  const log = vi.fn();
  await wakingUrls([leading.url], log)(1);
  expect([leading.calls.length, elsewhere.calls]).toEqual([1, []]);
  expect(log.mock.calls).toEqual([[{ movieWorker: leading.url, status: 307 }]]);
});

it('workers at URLs gives workers up at the timeout, without delaying the others', async () => {
  const deadlines: AbortController[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    expect(ms).toBe(MOVIE_BUILDS.wakeDeadlineMs);
    return deadlines[deadlines.push(new AbortController()) - 1]!.signal;
  });
  // Its deadline passes once it has the request.
  const late = () => deadlines[0]!.abort(new DOMException('too late', 'TimeoutError'));
  const [hanging, good] = await Promise.all([worker(late), worker()]);
  const log = vi.fn();
  await wakingUrls([hanging.url, good.url], log)(2);
  vi.restoreAllMocks();
  expect(good.calls).toHaveLength(1);
  expect(log.mock.calls).toEqual([[{ movieWorker: hanging.url, unreachable: expect.stringContaining('too late') }]]);
});

/** A Durable Object namespace that records the calls. */
function namespace() {
  const woken: string[] = [];
  const stub = (name: string) => ({
    fetch: async (url: string) => {
      woken.push(`${name} ${url}`);
      return new Response(null, { status: 202 });
    },
  });
  return { woken, binding: { getByName: stub } as unknown as DurableObjectNamespace };
}
it('the configured workers are the containers, in order, unless there are workers at URLs', async () => {
  const { woken, binding } = namespace();
  await wakingOfSettings(settings({ MOVIE_CONTAINERS: 3 }), () => binding, vi.fn())(2);
  expect(woken).toEqual(['movie-1 http://movie/wake', 'movie-2 http://movie/wake']);
  const { calls, url } = await worker();
  const containers = vi.fn();
  await wakingOfSettings(settings({ MOVIE_CONTAINERS: 3, MOVIE_WORKER_URL: [url] }), containers, vi.fn())(3);
  expect(calls).toHaveLength(1);
  expect(containers).not.toHaveBeenCalled();
});

it.each([
  ['without a token', { MOVIE_TOKEN: null, MOVIE_CONTAINERS: 3 }],
  ['without containers', { MOVIE_CONTAINERS: 0 }],
])('the configured workers finds no workers %s, without access to the containers', async (_, change) => {
  const containers = vi.fn();
  const log = vi.fn();
  await wakingOfSettings(settings(change), containers, log)(3);
  expect(containers).not.toHaveBeenCalled();
  expect(log).not.toHaveBeenCalled();
});

const register = (queued: number, processing: number) => ({ queueLength: async () => ({ queued, processing }) });

it.each([
  [0, 0, []],
  [0, 3, []],
  [1, 0, [1]],
  [2, 3, [5]],
])('queued movies wake workers: %i queued, %i running', async (queued, processing, woken) => {
  const counts: number[] = [];
  const wake = async (count: number) => void counts.push(count);
  await wakeMovieWorkers({ register: register(queued, processing) as never, wake });
  expect(counts).toEqual(woken);
});

// The Durable Object of a movie container in workerd, over a fake container, and the proxy from a container to the Worker.
import { runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { movieFileKey } from '../../src/archive/keys.ts';
import { D1Movies } from '../../src/movies/d1-movies.ts';
import { MovieContainer } from '../../src/movies/movie-container.ts';
import { R2MovieFrames } from '../../src/movies/movie-plan.ts';
import { type BuildClaim, PART_BYTES, WORKER_VERSION } from '../../src/movies/worker-protocol.ts';
import { databasesFrom } from '../../src/platform/storage/databases.ts';
import { R2ObjectStore } from '../../src/platform/storage/r2-object-store.ts';
import { addMovie, newBuild, request } from '../support/movies/movie-builds.ts';

const SERVICE = 'http://helioedge.internal';
const TOKEN = 'a-token-of-the-movie-workers';
const SIGTERM = 15;

/** Fake of the platform's container API. */
class FakeContainer {
  running = false;
  readonly starts: ContainerStartupOptions[] = [];
  readonly signals: number[] = [];
  readonly calls: string[] = [];
  readonly intercepted: string[] = [];
  /** Responses of the program in the container. */
  response: (path: string) => Response = () => Response.json({}, { status: 202 });
  #end: () => void = () => undefined;

  start(options: ContainerStartupOptions): void {
    this.running = true;
    this.starts.push(options);
  }

  monitor(): Promise<void> {
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  signal(number: number): void {
    this.signals.push(number);
    this.running = false;
    this.#end();
  }

  async interceptOutboundHttp(host: string): Promise<void> {
    this.intercepted.push(host);
  }

  getTcpPort(port: number) {
    return {
      fetch: async (input: RequestInfo, init?: RequestInit) => {
        const { method, url } = new Request(input, init);
        this.calls.push(`${method} ${port} ${new URL(url).pathname}`);
        return this.response(new URL(url).pathname);
      },
    };
  }
}

/** Runs `work` with a MovieContainer over the fake. */
async function withContainer(work: (object: MovieContainer, container: FakeContainer) => Promise<void>): Promise<void> {
  await runInDurableObject(env.JPIP_CHANNELS.get(env.JPIP_CHANNELS.newUniqueId()), async (_, state) => {
    const container = new FakeContainer();
    Object.defineProperty(state, 'container', { value: container });
    await work(new MovieContainer(state as never, { MOVIE_TOKEN: TOKEN }), container);
    await state.storage.deleteAlarm();
  });
}

const wake = () => new Request('http://movie/wake', { method: 'POST' });

it('waking a container starts it once, without internet access and with a proxy to the service, and forwards the call', async () => {
  await withContainer(async (object, container) => {
    const responses = await Promise.all([object.fetch(wake()), object.fetch(wake())]);
    expect(responses.map(({ status }) => status)).toEqual([202, 202]);
    expect(container.starts).toEqual([
      {
        enableInternet: false,
        env: { SERVICE_URL: SERVICE, MOVIE_TOKEN: TOKEN, WORKER_NAME: expect.stringMatching(/^container-[0-9a-f]{12}$/) },
      },
    ]);
    expect(container.intercepted).toEqual(['helioedge.internal']);
    expect(container.calls.filter((call) => call === 'POST 8080 /wake')).toHaveLength(2);
  });
});

it('waking a container stops a container with an outdated token, and the next call starts another', async () => {
  await withContainer(async (object, container) => {
    container.response = (path) => new Response(null, { status: path === '/wake' ? 401 : 202 });
    expect((await object.fetch(wake())).status).toBe(401);
    expect(container.signals).toEqual([SIGTERM]);
    container.response = () => new Response(null, { status: 202 });
    expect((await object.fetch(wake())).status).toBe(202);
    expect(container.starts).toHaveLength(2);
  });
});

it.each([
  ['keeps running while its worker is busy', () => Response.json({ ok: true, busy: true }), []],
  ['is stopped when its worker has no job', () => Response.json({ ok: true, busy: false }), [SIGTERM]],
  ['is stopped when the health check of its worker fails', () => new Response('broken', { status: 500 }), [SIGTERM]],
  ['is stopped when the health response of its worker is malformed', () => new Response('{'), [SIGTERM]],
])('an idle container: %s', async (_, health, signals) => {
  await withContainer(async (object, container) => {
    await object.fetch(wake());
    container.response = health;
    await object.onActivityExpired();
    expect(container.signals).toEqual(signals);
  });
});

it('an idle container stays asleep for a health check', async () => {
  await withContainer(async (object, container) => {
    await object.onActivityExpired();
    expect([container.starts, container.calls]).toEqual([[], []]);
  });
});

const proxy = (exports as unknown as Record<string, (options: object) => Fetcher>).ContainerProxy!({
  props: { className: MovieContainer.name, containerId: 'c', enableInternet: false, interceptAll: false },
});
const call = (path: string, init: RequestInit = {}) =>
  proxy.fetch(SERVICE + path, { ...init, headers: { Authorization: `Bearer ${TOKEN}` } });

it('a request of a container reaches the Worker: a claim, a large file in parts that are each sent twice, and a download', async () => {
  const planned = newBuild('a');
  await new R2MovieFrames(new R2ObjectStore(env.ARCHIVE)).keep(planned.key, planned.frames);
  await addMovie(new D1Movies(databasesFrom(env)), request(), planned, Date.now());
  const claimed = await call('/internal/movies/claim', {
    method: 'POST',
    body: JSON.stringify({ worker: 'container-1', version: WORKER_VERSION }),
  });
  expect(claimed.status).toBe(200);
  const { build, lease } = await claimed.json<BuildClaim>();
  const path = (name: string) => `/internal/movies/${build}/files/${name}?lease=${lease}`;
  const put = async (part: number, body: BodyInit) =>
    (await call(`${path('movie-hq.mp4')}&part=${part}&of=2`, { method: 'PUT', body })).status;
  const first = new Uint8Array(PART_BYTES).fill(7);
  expect([await put(1, first), await put(1, first)]).toEqual([204, 204]);
  expect((await env.ARCHIVE.list({ prefix: 'derived/movies/' })).objects).toEqual([]);
  expect([await put(2, 'end'), await put(2, 'end')]).toEqual([204, 204]);
  const key = movieFileKey({ ...planned, generation: 1 }, 'movie-hq.mp4');
  const stored = await env.ARCHIVE.get(key, { range: { offset: PART_BYTES - 1, length: 100 } });
  expect(await stored!.text()).toBe('\u0007end');
  const segment = path('part-0000-0004.mp4.mp4');
  expect((await call(segment, { method: 'PUT', body: 'a segment' })).status).toBe(204);
  expect(await (await call(segment)).text()).toBe('a segment');
});

it('a request of a container needs the token', async () => {
  const response = await proxy.fetch(`${SERVICE}/internal/movies/claim`, { method: 'POST' });
  expect(response.status).toBe(401);
});

it('a request of a container cannot reach other hosts', async () => {
  const response = await proxy.fetch('http://example.com/');
  expect([response.status, await response.text()]).toEqual([520, 'Origin is disallowed']);
});

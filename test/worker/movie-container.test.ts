// The container's Durable Object in workerd, over a container that is none; and the way from a container to the Worker.
import { runInDurableObject } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { MovieJob } from '../../src/domain/movies/job.ts';
import { databasesFrom } from '../../src/storage/databases.ts';
import { movieFileKey } from '../../src/storage/keys.ts';
import { D1Movies } from '../../src/storage/movies/d1-movies.ts';
import { MovieContainer } from '../../src/upstreams/movie-container.ts';
import { plan, request } from '../support/movies/movie-builds.ts';

const SERVICE = 'http://helioedge.internal';
const TOKEN = 'a-token-of-the-movie-workers';
const SIGTERM = 15;

/** Stands in for what the platform gives a Durable Object with a container. */
class FakeContainer {
  running = false;
  readonly starts: ContainerStartupOptions[] = [];
  readonly signals: number[] = [];
  readonly calls: string[] = [];
  readonly intercepted: string[] = [];
  /** What the program in the container answers. */
  answer: (path: string) => Response = () => Response.json({}, { status: 202 });
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
        return this.answer(new URL(url).pathname);
      },
    };
  }
}

/** Does something with a movie container over the fake one. */
async function withContainer(work: (object: MovieContainer, container: FakeContainer) => Promise<void>): Promise<void> {
  await runInDurableObject(env.JPIP_CHANNELS.get(env.JPIP_CHANNELS.newUniqueId()), async (_, state) => {
    const container = new FakeContainer();
    Object.defineProperty(state, 'container', { value: container });
    await work(new MovieContainer(state as never, { MOVIE_TOKEN: TOKEN }), container);
    await state.storage.deleteAlarm();
  });
}

const wake = () => new Request('http://movie/wake', { method: 'POST' });

describe('a container that is woken', () => {
  it('is started once, without the internet, with the way to the service, and passes the call on', async () => {
    await withContainer(async (object, container) => {
      const answers = await Promise.all([object.fetch(wake()), object.fetch(wake())]);
      expect(answers.map(({ status }) => status)).toEqual([202, 202]);
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

  it('that was started with another token is ended, and started anew by the next call', async () => {
    await withContainer(async (object, container) => {
      container.answer = (path) => new Response(null, { status: path === '/wake' ? 401 : 202 });
      expect((await object.fetch(wake())).status).toBe(401);
      expect(container.signals).toEqual([SIGTERM]);
      container.answer = () => new Response(null, { status: 202 });
      expect((await object.fetch(wake())).status).toBe(202);
      expect(container.starts).toHaveLength(2);
    });
  });
});

describe('a container that nobody calls', () => {
  it.each([
    ['goes on while its worker is busy', () => Response.json({ ok: true, busy: true }), []],
    ['is told to end when its worker has nothing to do', () => Response.json({ ok: true, busy: false }), [SIGTERM]],
    ['is told to end when its worker fails', () => new Response('broken', { status: 500 }), [SIGTERM]],
    ['is told to end when its worker talks nonsense', () => new Response('{'), [SIGTERM]],
  ])('%s', async (_, health, signals) => {
    await withContainer(async (object, container) => {
      await object.fetch(wake());
      container.answer = health;
      await object.onActivityExpired();
      expect(container.signals).toEqual(signals);
    });
  });

  it('is not started only to be asked whether it is busy', async () => {
    await withContainer(async (object, container) => {
      await object.onActivityExpired();
      expect([container.starts, container.calls]).toEqual([[], []]);
    });
  });
});

describe('what a container asks of the service', () => {
  const proxy = (exports as unknown as Record<string, (options: object) => Fetcher>).ContainerProxy!({
    props: { className: MovieContainer.name, containerId: 'c', enableInternet: false, interceptAll: false },
  });
  const call = (path: string, init: RequestInit = {}) =>
    proxy.fetch(SERVICE + path, { ...init, headers: { Authorization: `Bearer ${TOKEN}` } });

  it('reaches the Worker: a job, a file of it with its length, and back', async () => {
    await new D1Movies(databasesFrom(env)).add(request(), plan('a'), { nowMs: Date.now() });
    const claimed = await call('/internal/movies/claim', { method: 'POST', body: JSON.stringify({ worker: 'container-1' }) });
    expect(claimed.status).toBe(200);
    const { build, lease } = await claimed.json<MovieJob>();
    const path = `/internal/movies/${build}/files/part-0000-0004.mp4.mp4?lease=${lease}`;
    const bytes = Uint8Array.from({ length: 3 << 20 }, (_, i) => (i * 31) % 251);
    expect((await call(path, { method: 'PUT', body: bytes })).status).toBe(204);
    const stored = await env.ARCHIVE.head(movieFileKey(build, 'part-0000-0004.mp4.mp4' as never));
    expect(stored?.size).toBe(bytes.length);
    const read = new Uint8Array(await (await call(path)).arrayBuffer());
    expect(read.every((byte, i) => byte === bytes[i])).toBe(true);
  });

  it('needs the token', async () => {
    const answer = await proxy.fetch(`${SERVICE}/internal/movies/claim`, { method: 'POST' });
    expect(answer.status).toBe(401);
  });

  it('goes nowhere else', async () => {
    const answer = await proxy.fetch('http://example.com/');
    expect([answer.status, await answer.text()]).toEqual([520, 'Origin is disallowed']);
  });
});

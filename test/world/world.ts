// A world: the service of several isolates over a platform in memory, in two data centres, with movie workers, receivers and a clock.
import { AsyncLocalStorage } from 'node:async_hooks';
import { purgesBy } from '../../src/archive/purges.ts';
import type { JobName } from '../../src/operator/status/jobs.ts';
import { Turns } from '../../src/platform/admission/turns.ts';
import { LocalCache, type PurgeCall } from '../../src/platform/http/local-cache.ts';
import { SHARDS } from '../../src/platform/storage/shards.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/platform/util/durations.ts';
import { consumeQueue, runCron } from '../../src/worker/background.ts';
import { respond } from '../../src/worker/gateway.ts';
import { type Env, platformOf } from '../../src/worker/platform.ts';
import { type Composed, composeServices } from '../../src/worker/services.ts';
import { createApp } from '../../src/worker/worker.ts';
import { randomNumbers } from '../support/imaging/rasters.ts';
import { type Armed, Calls, type Costs, type Outages } from './calls.ts';
import type { Action } from './clients/actions.ts';
import { type Answer, BROKEN } from './clients/answers.ts';
import { ELSEWHERE } from './files.ts';
import { replaceGlobals } from './globals.ts';
import { idleJobs } from './jobs.ts';
import { MovieWorkers } from './movie-workers.ts';
import { NONE, type Planted } from './planted.ts';
import { type Contents, d1Binding, databasesOf } from './platform/d1.ts';
import { Channels, idsBinding, type Storages } from './platform/durable-objects.ts';
import { Queues } from './platform/queues.ts';
import { Bucket, r2Binding } from './platform/r2.ts';
import { type Life, never, Scheduler } from './scheduler.ts';
import { MIRRORED, MirroredArchive } from './upstreams/mirrored.ts';
import { VIDEO_HOST, VideoHost } from './upstreams/video-host.ts';

export const START_MS = Date.UTC(2024, 4, 12, 6);
export const ADMIN_TOKEN = 'a-token-of-the-operator';
const MOVIE_TOKEN = 'a-token-of-the-movie-workers';
export const ORIGIN = 'https://helioedge.example.org';
const RECEIVER = 'https://receiver.example.org';
/** Megapixels of movies that a client can have built in an hour: four of the least. */
export const CLIENT_COST = 40;
const CENTRES = 2;
/** Isolates of a data centre, besides that of cron and queues. */
const ISOLATES = 2;
/** Longest time that a purge takes to reach another data centre, and that of one that lags. */
const PURGE_MS = 3 * SECOND_MS;
const LATE_PURGE_MS = 30 * SECOND_MS;
/** Time for which requests reach isolates of both versions after a deployment. */
const GRADUAL_MS = 10 * MINUTE_MS;

const brokenBody = () => new ReadableStream({ pull: (controller) => controller.error(new Error('The body breaks off.')) });

interface Settings {
  readonly tokens: { readonly admin: string; readonly movies: string };
  /** The database of each shard. */
  readonly holders: readonly string[];
}

interface Isolate {
  readonly life: Life;
  /** Runs an invocation of a kind, whose calls are counted, until its end or that of the isolate. */
  readonly run: <T>(kind: string, work: () => Promise<T>) => Promise<T | typeof BROKEN>;
  readonly app: ReturnType<typeof createApp>;
  readonly services: Composed;
  readonly turns: Turns;
  readonly end: () => void;
}

/** The calls of the invocation in which code runs. */
const invocation = new AsyncLocalStorage<Calls>();

interface Centre {
  readonly cache: LocalCache;
  isolates: (Isolate | null)[];
  /** Isolates of the version before. */
  older: (Isolate | null)[];
}

export class World {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly armed: Armed[] = [];
  readonly outages: Outages = new Map();
  /** Numbers of the faults that happened. */
  readonly happened = new Map<string, number>();
  readonly bucket = new Bucket();
  readonly databases: ReturnType<typeof databasesOf>;
  readonly storages: Storages = new Map();
  readonly queues: Queues;
  /** Null where the clock mirrors nothing. */
  readonly mirrored: MirroredArchive | null;
  readonly videoHost = new VideoHost();
  readonly workers: MovieWorkers;
  readonly planted: Planted;
  readonly logged: string[] = [];
  /** Bodies of the deliveries that the receiver of webhooks has accepted. */
  readonly received: string[] = [];
  /** Statuses with which the receiver refuses the next deliveries. */
  refusals: number[] = [];
  kills = 0;
  /** Notices of objects that the platform has lost. */
  lostNotices = 0;
  /** Time of the last fault. */
  lastFaultMs = START_MS;
  /** The most that an invocation of each kind has cost. */
  readonly costs = new Map<string, Costs>();
  readonly #channels = new Channels();
  /** The settings of the versions to come, of the present one, and of the one before. */
  #settings: Settings = {
    tokens: { admin: ADMIN_TOKEN, movies: MOVIE_TOKEN },
    holders: SHARDS.map((shard) => (shard % 2 === 0 ? 'IMAGES' : 'IMAGES_ODD')),
  };
  #present = this.#settings;
  #before = this.#settings;
  readonly #centres: Centre[];
  readonly #restore: () => void;
  readonly #idle: ReadonlySet<JobName>;
  #background: Isolate | null = null;
  #gradualUntilMs = 0;
  #names = 0;
  #requests = 0;

  /** `actions`: those to come, by which jobs run. */
  constructor(
    seed: number,
    planted: Planted = NONE,
    actions: readonly Action[] = [],
    { startMs = START_MS, contents = {} }: { readonly startMs?: number; readonly contents?: Contents } = {},
  ) {
    this.seed = seed;
    this.databases = databasesOf(contents);
    this.scheduler = new Scheduler(seed, startMs);
    this.planted = planted;
    this.#idle = idleJobs(seed, actions);
    this.mirrored = actions.some((action) => action.do === 'appear') ? new MirroredArchive() : null;
    this.appear(0);
    const log = (line: string) => void (this.logged.push(line) > 400 && this.logged.shift());
    const fetch = (input: string | URL | Request, init?: RequestInit) => this.#fetch(new Request(input, init));
    this.#restore = replaceGlobals({ scheduler: this.scheduler, random: randomNumbers(seed ^ 0x5eed), fetch, log });
    this.queues = new Queues(
      this.scheduler,
      (batch) => this.#consume(batch),
      (body) => this.#isAside(body),
    );
    Object.assign(this.queues, planted.queues);
    this.bucket.onChange = (action, key, size) => this.#notify(action, key, size);
    this.workers = new MovieWorkers(this);
    this.#centres = Array.from({ length: CENTRES }, () => this.#centre());
  }

  /** Ends the world, after which the runtime has its own globals again. */
  close(): void {
    this.#restore();
  }

  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  // Isolates

  #isolate(name: string, settings = this.#present): Isolate {
    this.#names += 1;
    const life: Life = { name: `${name}${this.#names}`, isAlive: true };
    const { promise: ended, resolve } = Promise.withResolvers<typeof BROKEN>();
    const { scheduler } = this;
    const end = () => {
      this.fault('kill');
      this.kills += 1;
      scheduler.kill(life);
      resolve(BROKEN);
    };
    const start = new Calls(scheduler, life, 'start', this, end);
    const calls = () => invocation.getStore() ?? start;
    const turns = new Turns();
    const purges = purgesBy(this.#purge(calls, name.startsWith('jobs')));
    const services = composeServices(platformOf(this.#bindings(calls, life, settings), purges, turns));
    return {
      life,
      app: createApp(services),
      services,
      turns,
      run: async (kind, work) => {
        const own = new Calls(scheduler, life, kind, this, end);
        const result = await Promise.race([invocation.run(own, work), ended]);
        this.#spent(kind, own.costs);
        return result;
      },
      end,
    };
  }

  #bindings(calls: () => Calls, life: Life, settings: Settings): Env {
    const { planted, databases, bucket, storages, queues } = this;
    const caller = {
      random: this.scheduler.random,
      pick: <T>(values: readonly T[]) => this.scheduler.pick(values),
      nowMs: () => this.scheduler.nowMs,
      call: (...given: Parameters<Calls['call']>) => calls().call(...given),
    } as unknown as Calls;
    const limiter = { limit: async () => ({ success: true }) };
    const bindings = Object.fromEntries(
      Object.entries(databases).map(([name, stored]) => [name, d1Binding(name, stored, caller, planted, this.happened)]),
    );
    const queueNames = ['JOBS', 'LONG_JOBS', 'OBJECTS', 'WEBHOOKS'];
    return {
      ...bindings,
      ...Object.fromEntries(queueNames.map((name) => [name, queues.binding(name, caller)])),
      ...Object.fromEntries(['RENDER_LIMIT', 'JPIP_LIMIT', 'PICTURE_LIMIT', 'GATEWAY_LIMIT'].map((name) => [name, limiter])),
      ARCHIVE: r2Binding(bucket, caller, { ignoresConditions: false, keeps: null, ...planted.bucket }),
      ID_SEQUENCES: idsBinding(storages, caller),
      JPIP_CHANNELS: this.#channels.binding(caller),
      ASSETS: { fetch: async () => new Response(null, { status: 404 }) },
      SHARD_DATABASES: settings.holders.join(','),
      ADMIN_TOKEN: settings.tokens.admin,
      MOVIE_TOKEN: settings.tokens.movies,
      MOVIE_WORKER_URL: 'http://movie-1.example.org,http://movie-2.example.org',
      EVENTS_UPSTREAM: 'http://events.example.org',
      ...this.videoHost.host.environment(),
      MOVIE_CLIENT_COST: String(CLIENT_COST),
      ...(this.mirrored ? { MIRROR_TREE_URL: MIRRORED, MIRROR_SOURCES: '14', MIRROR_FROM: '2024-05-10' } : {}),
      WORLD_LIFE: life.name,
    } as unknown as Env;
  }

  #centre(): Centre {
    const centre: Centre = {
      cache: new LocalCache({ service: (request) => this.#direct(centre, request), clock: () => this.nowMs }),
      isolates: Array.from({ length: ISOLATES }, () => null),
      older: Array.from({ length: ISOLATES }, () => null),
    };
    return centre;
  }

  #isolateOf(centre: Centre): Isolate {
    const { below, nowMs } = this.scheduler;
    const version = nowMs < this.#gradualUntilMs && below(2) === 0 ? centre.older : centre.isolates;
    const place = below(ISOLATES);
    const known = version[place];
    if (known?.life.isAlive) return known;
    const settings = version === centre.older ? this.#before : this.#present;
    const made = this.#isolate(`isolate-${this.#centres.indexOf(centre)}.`, settings);
    version[place] = made;
    return made;
  }

  #backgroundIsolate(): Isolate {
    if (!this.#background?.life.isAlive) this.#background = this.#isolate('jobs-');
    return this.#background;
  }

  /** Ends isolates between two of their awaits. */
  kill(): void {
    const all = [this.#background, ...this.#centres.flatMap(({ isolates, older }) => [...isolates, ...older])];
    const alive = all.filter((each) => each?.life.isAlive);
    if (alive.length > 0) this.scheduler.pick(alive)!.end();
  }

  /** The header of an operator's requests. */
  get operator(): { readonly Authorization: string } {
    return { Authorization: `Bearer ${this.#present.tokens.admin}` };
  }

  /** The token with which movie workers start. */
  get movieToken(): string {
    return this.#present.tokens.movies;
  }

  /** Other tokens of the operator and of the movie workers to come, with a version of the Worker that takes these alone. */
  rotateTokens(): void {
    const number = this.scheduler.below(1000);
    const tokens = { admin: `${ADMIN_TOKEN}-${number}`, movies: `${MOVIE_TOKEN}-${number}` };
    this.#settings = { ...this.#settings, tokens };
    this.deploy(0);
  }

  /** Deploys the map in which another database has a shard. */
  moveTo(shard: number, database: string): void {
    this.#settings = { ...this.#settings, holders: this.#settings.holders.with(shard, database) };
    this.deploy();
  }

  fault(name: string): void {
    this.lastFaultMs = this.nowMs;
    this.happened.set(name, (this.happened.get(name) ?? 0) + 1);
  }

  // Requests

  /** A request of a client at a data centre, through gateway and edge cache. */
  async request(path: string, init: RequestInit & { readonly client?: string; readonly centre?: number } = {}): Promise<Answer> {
    this.#requests += 1;
    const { kills } = this;
    const {
      client = `10.0.${this.#requests >> 8}.${this.#requests & 255}`,
      centre: number = this.scheduler.below(CENTRES),
      ...given
    } = init;
    const centre = this.#centres[number]!;
    const headers = new Headers(given.headers);
    headers.set('CF-Connecting-IP', client);
    // As every client sends it for bytes that it has.
    if (given.body instanceof Uint8Array) headers.set('Content-Length', String(given.body.byteLength));
    const request = new Request(ORIGIN + path, { ...given, headers });
    const key = this.planted.cacheKey ?? ((each: string) => each);
    const response = await respond(request, {
      cached: (cacheable, own) => centre.cache.fetch(cacheable, key(own)),
      direct: (other) => this.#direct(centre, other),
      limiter: { limit: async () => ({ success: true }) },
      turns: new Turns(),
      logFault: () => undefined,
    });
    const read = await response.arrayBuffer().catch(() => null);
    const body = read ? new Uint8Array(read) : new Uint8Array(0);
    const sent = new Headers(response.headers);
    // The gateway answers for an isolate that has ended, and for those that waited for it.
    if (this.kills > kills) sent.set('X-World', BROKEN);
    // A client that gets fewer bytes than were announced knows that its connection broke.
    const announced = init.method === 'HEAD' ? null : sent.get('Content-Length');
    if (!read || (response.status !== 304 && announced !== null && Number(announced) !== body.length)) {
      sent.set('X-World', BROKEN);
      return { status: 0, headers: sent, body };
    }
    return { status: response.status, headers: sent, body };
  }

  /** A request past the edge cache. */
  async direct(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await this.#direct(this.#centres[0]!, new Request(ORIGIN + path, init));
    return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
  }

  async #direct(centre: Centre, request: Request): Promise<Response> {
    const isolate = this.#isolateOf(centre);
    const waitUntil = (work: Promise<unknown>) => void work.catch(() => undefined);
    const context = { waitUntil, passThroughOnException: () => undefined, props: {} } as unknown as ExecutionContext;
    const work = async () => {
      const response = await isolate.app.fetch(request, {}, context);
      // A body that breaks off does so for the client as well.
      const body = await response.arrayBuffer().catch(brokenBody);
      return new Response(response.status === 204 || response.status === 304 ? null : body, response);
    };
    const result = await isolate.run(isInternal(request) ? 'movie worker' : 'request', work);
    if (result !== BROKEN) return result;
    // As the platform answers for a Worker that has ended.
    return new Response('error code: 1101', { status: 500, headers: { 'X-World': BROKEN } });
  }

  #spent(kind: string, { calls, statements }: Costs): void {
    const most = this.costs.get(kind) ?? { calls: 0, statements: 0 };
    this.costs.set(kind, { calls: Math.max(most.calls, calls), statements: Math.max(most.statements, statements) });
  }

  // Platform

  #purge(calls: () => Calls, isOfJobs: boolean): PurgeCall {
    return (what) => {
      const { forgetsPurges, purgesHere = false } = this.planted;
      if (forgetsPurges === 'all' || (forgetsPurges === 'repeated' && isOfJobs)) return Promise.resolve(true);
      const errorOf = () => new Error('Network connection lost.');
      const purge = (mostMs: number) => async () => {
        const [here, ...others] = this.#centres;
        if (!(await here!.cache.purge(what))) return false;
        for (const { cache } of purgesHere ? [] : others) {
          const { nowMs, random } = this.scheduler;
          this.scheduler.at(nowMs + random() * mostMs, 'purge elsewhere', () => void cache.purge(what));
        }
        return true;
      };
      return calls().call('cache', 'purge', errorOf, 1, purge(PURGE_MS), purge(LATE_PURGE_MS));
    };
  }

  #notify(action: string, key: string, size: number): void {
    if (!key.startsWith('jp2/')) return;
    const object = action === 'DeleteObject' ? { key } : { key, size };
    const body = { action, object, eventTime: new Date(this.nowMs).toISOString() };
    const { random, nowMs } = this.scheduler;
    const chance = random();
    if (chance < 0.1) {
      this.lostNotices += 1;
      return;
    }
    for (let copy = 0; copy < (chance < 0.2 ? 2 : 1); copy += 1)
      this.scheduler.at(nowMs + random() * 10 * SECOND_MS, 'notice', () => this.queues.send('helioedge-objects', body));
  }

  /** Lists a file of the archive that is mirrored. */
  appear(number: number): void {
    const file = ELSEWHERE[number]!;
    this.mirrored?.files.set(file.key.slice('jp2/'.length), file);
  }

  /** Whether a job runs here. The messages of one that does not are lost in the queue. */
  runs(name: JobName): boolean {
    return !this.#idle.has(name) && !(name === 'mirror' && !this.mirrored);
  }

  #isAside(body: unknown): boolean {
    const { name } = body as { name?: JobName };
    return name !== undefined && (!this.runs(name) || name === this.planted.forgetsJob);
  }

  async #consume(batch: MessageBatch): Promise<boolean> {
    const { kind, name = kind } = batch.messages[0]!.body as { readonly kind?: string; readonly name?: string };
    const spent = batch.queue === 'helioedge-long-jobs' ? `job ${name}` : batch.queue;
    const { run, services } = this.#backgroundIsolate();
    const consumed = () =>
      consumeQueue(batch, services).then(
        () => true,
        () => false,
      );
    return (await run(spent, consumed)) === true;
  }

  /**
   * Another version of the Worker takes the messages to come, and a part of the requests for a while, then all; with an empty edge cache.
   * Isolates of the one before end what they have begun.
   */
  deploy(gradualMs = GRADUAL_MS): void {
    this.fault('deployment');
    this.#background = null;
    [this.#before, this.#present] = [this.#present, this.#settings];
    // Operators change tokens at once, so that theirs is the one that is asked for.
    this.#gradualUntilMs = this.nowMs + (this.#before.tokens === this.#present.tokens ? gradualMs : 0);
    for (const centre of this.#centres) {
      centre.cache.entries.clear();
      centre.older = centre.isolates;
      centre.isolates = centre.older.map(() => null);
    }
  }

  /** The version before takes all requests again, in the isolates that it had. */
  rollBack(): void {
    this.fault('roll back');
    this.#gradualUntilMs = 0;
    this.#background = null;
    [this.#before, this.#present] = [this.#present, this.#before];
    for (const centre of this.#centres) [centre.isolates, centre.older] = [centre.older, centre.isolates];
  }

  /** Runs the cron trigger. */
  async cron(): Promise<void> {
    const { run, services } = this.#backgroundIsolate();
    const idle = Object.fromEntries([...this.#idle].map((name) => [name, async () => 0]));
    await run('cron', () => runCron({ ...services, ...idle }).catch(() => undefined));
  }

  async #fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const worker = /^movie-(\d+)\./.exec(url.hostname);
    if (worker) return this.workers.wake(Number(worker[1]));
    const life = this.workers.lifeOf(url.hostname);
    const { signal } = request;
    const isSent = !life || life.isAlive;
    if (isSent) signal.throwIfAborted();

    const aborted = new Promise<never>((_, reject) => {
      if (isSent) signal.addEventListener('abort', () => reject(signal.reason));
    });
    return Promise.race([this.#answer(url, request, life), aborted]);
  }

  async #answer(url: URL, request: Request, life: Life | null): Promise<Response> {
    await this.scheduler.turn(`fetch ${url.hostname.split('.')[0]}`, life);
    if (life) {
      const answer = await this.#internal(url, request);
      return life.isAlive ? answer : never();
    }
    if (url.origin === RECEIVER) return this.#receive(request);
    if (url.origin === VIDEO_HOST) return this.videoHost.answer(request);
    if (this.mirrored && url.href.startsWith(MIRRORED)) return this.mirrored.answer(url, this.scheduler);
    return new Response(null, { status: 404 });
  }

  /** A request of a movie worker, which comes from the Worker itself. */
  async #internal({ pathname, search }: URL, request: Request): Promise<Response> {
    const { method, headers } = request;
    const body = method === 'GET' ? null : await request.arrayBuffer();
    const sent = new Headers(headers);
    if (body) sent.set('Content-Length', String(body.byteLength));
    return this.#direct(this.#centres[0]!, new Request(ORIGIN + pathname + search, { method, headers: sent, body }));
  }

  async #receive(request: Request): Promise<Response> {
    const refusal = this.refusals.shift();
    if (refusal !== undefined) return new Response(null, { status: refusal });
    this.received.push(await request.text());
    return new Response(null, { status: 204 });
  }

  // Time

  /** Lets time pass, with a cron trigger each minute, or fewer of them in longer times. */
  async pass(ms: number, triggers = Math.min(3, Math.floor(ms / MINUTE_MS)), mostSteps = 20_000): Promise<void> {
    const endMs = this.nowMs + ms;
    const everyMs = ms / Math.max(1, triggers);
    for (let i = 0; i < triggers; i += 1) this.scheduler.at(this.nowMs + i * everyMs, 'cron', () => void this.cron());
    await this.scheduler.run(endMs, mostSteps);
  }
}

const isInternal = ({ url }: Request) => new URL(url).pathname.startsWith('/internal');

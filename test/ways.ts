// Traces the ways of requests: the files of ours of which a function runs for one, by V8's precise coverage. As a program, which `npm run docs`
// runs, it writes their lists. The Worker runs in this process on the bindings of a local runtime, behind an edge cache that has nothing, and
// the movie worker in its own.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type Profiler, Session } from 'node:inspector';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { seriesShots } from '../demo/archive.ts';
import { projectRoot } from '../src/cli/command.ts';
import { readBuiltWorker } from '../src/cli/local/built-worker.ts';
import { localDatabases } from '../src/cli/local/migrations.ts';
import { freePort, WITHOUT_EVENTS } from './support/commands.ts';
import { hekRecord } from './support/events/event-records.ts';
import { MOVIE_TOKEN } from './support/movies/internal-service.ts';
import { startMovieWorker } from './support/movies/planned-builds.ts';
import { serveApp } from './support/serve-app.ts';
import { serveArchive } from './support/served-archive.ts';
import { localServer } from './support/system/local-server.ts';
import { withStateRuntime } from './support/system/state-runtime.ts';

const START = '2014-01-01T12:00:00Z';
const MINUTE_MS = 60_000;
const OWN_CODE = ['src', 'containers'].map((folder) => pathToFileURL(join(projectRoot, folder, '/')).href);
/** The runtime's module, as far as the entry point uses it. */
const RUNTIME = `export class WorkerEntrypoint { constructor(ctx, env) { Object.assign(this, { ctx, env }); } }
export { WorkerEntrypoint as Container, WorkerEntrypoint as ContainerProxy, WorkerEntrypoint as DurableObject };
export const exports = {};`;

/** Made by drawing threads that have nothing to draw, which happens in some movies. */
const IDLE_WORK = 'src/jp2/coefficients/transcode.ts';
/** A rate limit that no client exceeds. */
const LIMIT = { limit: async () => ({ success: true }) };

/** How often each function ran that is not the whole of a file, by the file and its place there. */
type Counts = ReadonlyMap<string, number>;

const countsOf = (scripts: readonly Profiler.ScriptCoverage[]): Counts =>
  new Map(
    scripts
      .filter(({ url }) => OWN_CODE.some((folder) => url.startsWith(folder)))
      .flatMap(({ url, functions }) =>
        functions.flatMap(({ ranges: [range] }) =>
          range && range.startOffset > 0 ? [[`${url} ${range.startOffset}`, range.count] as const] : [],
        ),
      ),
  );

/** The files of functions that ran more often than in `before`, in their order. */
function filesOf(counts: Counts, before: Counts = new Map()): string[] {
  const ran = [...counts].filter(([name, count]) => count > (before.get(name) ?? 0));
  return [...new Set(ran.map(([name]) => relative(projectRoot, fileURLToPath(name.split(' ')[0]!))))].sort();
}

/** Counts functions of this thread. */
function counter() {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    /** Counts since the last call. An inspector of its own thread answers at once. */
    take(): Counts {
      let counts: Counts = new Map();
      session.post('Profiler.takePreciseCoverage', (error, answer) => {
        if (error) throw error;
        counts = countsOf(answer.result);
      });
      return counts;
    },
    end: () => session.disconnect(),
  };
}

/** What a program and its threads have counted by NODE_V8_COVERAGE. */
async function writtenCounts(folder: string): Promise<Counts> {
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  const all = new Map<string, number>();
  for (const text of files)
    for (const [name, count] of countsOf((JSON.parse(text) as { result: Profiler.ScriptCoverage[] }).result))
      all.set(name, (all.get(name) ?? 0) + count);
  return all;
}

const query = (parameters: Readonly<Record<string, string | number>>) =>
  new URLSearchParams(parameters as Record<string, string>);
const at = (minutes: number) => new Date(Date.parse(START) + minutes * MINUTE_MS).toISOString();

const SCENE = { layers: '[10,1,100]', imageScale: 5, x0: 0, y0: 0, width: 512, height: 384 };
const PATHS = {
  image: `/v2/getClosestImage/?${query({ sourceId: 10, date: START })}`,
  tile: (id: number, x: number) => `/v2/getTile/?${query({ id, x, y: -1, imageScale: 19.36352704 })}`,
  curve: (minutes: number) =>
    `/v2/getLightCurve/?${query({ sourceId: 10, startTime: START, endTime: at(minutes), x: 0, y: 0, width: 300, height: 300, unit: 'level' })}`,
  screenshot: (events: string, date = START) => `/v2/takeScreenshot/?${query({ ...SCENE, date, display: 'true', events })}`,
  movie: (from: number, to: number) => `/v2/queueMovie/?${query({ ...SCENE, startTime: at(from), endTime: at(to), events: '' })}`,
  status: (id: string) => `/v2/getMovieStatus/?${query({ id, format: 'mp4' })}`,
  file: (id: string) => `/v2/downloadMovie/?${query({ id, format: 'mp4' })}`,
};

/** The files of each way, by its name. */
export async function tracedWays(): Promise<Readonly<Record<string, readonly string[]>>> {
  registerHooks({
    resolve: (specifier, context, next) =>
      ['cloudflare:workers', '@cloudflare/containers'].includes(specifier)
        ? { url: `data:text/javascript,${encodeURIComponent(RUNTIME)}`, format: 'module', shortCircuit: true }
        : next(specifier, context),
  });
  const shots = seriesShots({
    sources: [10],
    fromMs: Date.parse(START),
    toMs: Date.parse(at(17)),
    cadenceMs: MINUTE_MS,
    size: 256,
  });
  const archive = await serveArchive(shots, WITHOUT_EVENTS);
  await archive.service.interrupt();
  const databases = await localDatabases();
  const resources = {
    d1Databases: Object.fromEntries(databases.map(({ binding, id }) => [binding, id])),
    r2Buckets: { ARCHIVE: 'helioedge-archive' },
  };
  try {
    return await withStateRuntime(archive.stateDir, resources, async (runtime) => trace(await runtime.getBindings()));
  } finally {
    await archive.close();
  }
}

/** A bucket whose bodies are in this process: the binding of the runtime reads each chunk of a stream by a call that stops the thread. */
function nearBucket(bucket: R2Bucket): R2Bucket {
  const whole = async (body: unknown) =>
    (body instanceof ReadableStream ? new Response(body).arrayBuffer() : body) as Promise<ArrayBuffer>;
  const changed: Partial<R2Bucket> = {
    get: (async (...given: Parameters<R2Bucket['get']>) => {
      const object = await bucket.get(...given);
      if (!object || !('arrayBuffer' in object)) return object;
      const { key, size, etag, httpEtag, uploaded, httpMetadata, customMetadata } = object;
      const bytes = await object.arrayBuffer();
      const body = new Blob([bytes]).stream();
      return { key, size, etag, httpEtag, uploaded, httpMetadata, customMetadata, body, arrayBuffer: async () => bytes };
    }) as never,
    put: (async (key: string, body: unknown, options: R2PutOptions) => bucket.put(key, await whole(body), options)) as never,
    resumeMultipartUpload: (...given) => {
      const upload = bucket.resumeMultipartUpload(...given);
      return {
        uploadPart: async (part: number, body: unknown) => upload.uploadPart(part, await whole(body)),
        complete: async (parts: R2UploadedPart[]) => upload.complete(parts),
      } as never;
    },
  };
  return new Proxy(bucket, {
    get: (target, name) =>
      changed[name as keyof R2Bucket] ??
      ((...given: never[]) => (target[name as 'list'] as (...all: never[]) => unknown)(...given)),
  });
}

async function trace(bindings: object): Promise<Readonly<Record<string, readonly string[]>>> {
  const hek = await localServer((_, response) => response.end(JSON.stringify({ result: [hekRecord()], overmax: false })));
  const { options } = await readBuiltWorker();
  const port = String(await freePort());
  const messages: unknown[] = [];
  const env = {
    ...(options.bindings as object),
    ...bindings,
    ARCHIVE: nearBucket((bindings as { ARCHIVE: R2Bucket }).ARCHIVE),
    JOBS: { sendBatch: async (batch: { body: unknown }[]) => void messages.push(...batch.map(({ body }) => body)) },
    ...Object.fromEntries(['RENDER_LIMIT', 'JPIP_LIMIT', 'PICTURE_LIMIT', 'GATEWAY_LIMIT'].map((name) => [name, LIMIT])),
    EVENTS_UPSTREAM: hek.url,
    MOVIE_TOKEN,
    MOVIE_WORKER_URL: `http://127.0.0.1:${port}`,
  } as never;
  const { CachedService, default: worker } = await import('../src/worker/index.ts');
  const { exports } = await import('cloudflare:workers');
  const pending: Promise<unknown>[] = [];
  const context = {
    waitUntil: (work: Promise<unknown>) => void pending.push(work),
    passThroughOnException: () => undefined,
  } as never;
  const service = new CachedService(context, env);
  Object.assign(exports, { CachedService: { fetch: (request: Request) => service.fetch(request), purge: async () => true } });
  const settled = async () => {
    while (pending.length > 0) await pending.shift();
  };
  const respond = async (request: Request): Promise<Response> => worker.fetch!(request as never, env, context);
  const get = async (path: string) => {
    const response = await respond(new Request(`http://sun.test${path}`));
    const bytes = Buffer.from(await response.arrayBuffer());
    await settled();
    if (!response.ok || /=(?!ok)/.test(response.headers.get('X-Events-Sources') ?? ''))
      throw new Error(`${path}: ${response.status} ${response.headers.get('X-Events-Sources') ?? bytes}`);
    return bytes;
  };
  const coverage = counter();
  /** Counts of each of some requests, one after another; the first of them warm the isolate. */
  const traced = async (...paths: string[]): Promise<Counts[]> => {
    const each: Counts[] = [];
    for (const path of paths) {
      coverage.take();
      await get(path);
      each.push(coverage.take());
    }
    return each;
  };
  const json = async <T>(path: string) => JSON.parse(String(await get(path))) as T;
  const build = async (from: number, to: number) => {
    const { id } = await json<{ id: string }>(PATHS.movie(from, to));
    const batch = messages.splice(0).map((body) => ({ body, ack: () => undefined, retry: () => undefined }));
    await worker.queue!({ queue: 'helioedge-jobs', messages: batch } as never, env, context);
    for (let status = 0; status !== 2; await sleep(100)) {
      status = (await json<{ status: number }>(PATHS.status(id))).status;
      if (status > 2) throw new Error(`The movie has the status ${status}.`);
    }
    await get(PATHS.file(id));
  };
  const served = await serveApp(respond);
  const folder = await mkdtemp(join(tmpdir(), 'helioedge-ways-'));
  const builtBy = async (name: string, ...ranges: [number, number][]): Promise<Counts> => {
    const variables = { NODE_V8_COVERAGE: join(folder, name), WORKER_NAME: name, PORT: port, POLL_SECONDS: '600' };
    const program = await startMovieWorker(
      served.url,
      join(folder, 'work'),
      variables,
      join(projectRoot, 'containers/movie/main.ts'),
    );
    for (const range of ranges) {
      coverage.take();
      await build(...range);
    }
    program.kill('SIGTERM');
    await program.ended;
    return writtenCounts(join(folder, name));
  };
  try {
    const { id } = await json<{ id: number }>(PATHS.image);
    const tile = filesOf((await traced(PATHS.tile(id, 0), PATHS.tile(id, -1)))[1]!);
    const curve = filesOf((await traced(PATHS.curve(2), PATHS.curve(4)))[1]!);
    // Requests without events, cold, with coefficients that the first has left, and of another time: what a cache or a new thread runs is not the pin's.
    const plain = await traced(...[at(14_400), at(14_400), START, START].map((date) => PATHS.screenshot('', date)));
    const [, pinned] = await traced(PATHS.screenshot('[AR,all,1]', at(14_400)), PATHS.screenshot('[AR,all,1]'));
    const pin = filesOf(new Map([...pinned!].filter(([name]) => !plain.some((counts) => counts.get(name)))));
    // What a program does when it starts is done once for one movie and for two.
    const one = await builtBy('one', [0, 5]);
    const two = await builtBy('two', [6, 11], [12, 17]);
    const movie = [...new Set([...filesOf(coverage.take()), ...filesOf(two, one)])].filter((file) => file !== IDLE_WORK).sort();
    return { 'A tile': tile, 'A light curve': curve, 'A movie': movie, 'An event pin on a screenshot': pin };
  } finally {
    coverage.end();
    await Promise.all([served.close(), hek.close(), rm(folder, { recursive: true })]);
  }
}

/** The list of a way in Markdown, a line a folder. */
function printed(way: string, files: readonly string[]): string {
  const folders = Map.groupBy(files, (file) => dirname(file));
  const lines = [...folders].map(([folder, in_]) => `- \`${folder}/\`: ${in_.map((file) => basename(file, '.ts')).join(', ')}`);
  return `### ${way}: ${files.length} files\n\n${lines.join('\n')}\n`;
}

const PAGE = join(projectRoot, 'docs/architecture.md');
const LISTS = /(?<=<!-- ways -->\n\n)[\s\S]*?(?=\n<!-- end of ways -->)/;

/** The files that the architecture lists, by way. */
export async function listedWays(): Promise<Readonly<Record<string, readonly string[]>>> {
  const [lists = ''] = LISTS.exec(await readFile(PAGE, 'utf8')) ?? [];
  const ways = lists
    .split('### ')
    .slice(1)
    .map((text) => {
      const rows = [...text.matchAll(/^- `(.+)`: (.+)$/gm)];
      return [
        text.slice(0, text.indexOf(':')),
        rows.flatMap(([, folder, names]) => names!.split(', ').map((name) => `${folder}${name}.ts`)),
      ] as const;
    });
  return Object.fromEntries(ways);
}

if (import.meta.main) {
  const lists = Object.entries(await tracedWays()).map(([way, files]) => printed(way, files));
  await writeFile(
    PAGE,
    (await readFile(PAGE, 'utf8')).replace(LISTS, () => lists.join('\n')),
  );
  process.exit();
}

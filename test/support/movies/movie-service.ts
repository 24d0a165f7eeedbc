// A fake service for movie workers: the protocol of src/movies/worker-protocol.ts over an archive in memory, with injected faults.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrameMarkers } from '../../../src/archive/drawing/frame-renderer.ts';
import { MOVIE_FILES, SEGMENT_NAME } from '../../../src/movies/movie.ts';
import { type BuildClaim, PART_BYTES, WORKER_VERSION } from '../../../src/movies/worker-protocol.ts';
import type { Failed, Finish, Progress } from '../../../src/movies/worker-reports.ts';
import type { SampleArchive } from '../sample-archive.ts';

export type PlannedBuild = Pick<BuildClaim, 'recipe' | 'frames' | 'images' | 'output' | 'metadata'> & {
  readonly markers?: readonly FrameMarkers[];
};

/** Fault of a request: a status, or a connection that ends before or after the effect of the request, or hangs. */
export type Fault = number | 'drop' | 'drop-response' | 'hang';

export interface FakeBuild {
  readonly id: number;
  readonly planned: PlannedBuild;
  status: 'queued' | 'processing' | 'finished' | 'invalid';
  attempts: number;
  lease: string | null;
  leaseUntilMs: number;
  progress: Omit<Progress, 'lease'>[];
  /** Stored files by name, and the parts of uploads in progress. */
  readonly files: Map<string, Uint8Array>;
  readonly parts: Map<string, Uint8Array[]>;
  /** Every accepted call of finish. */
  readonly finishes: Finish[];
  readonly failures: Failed[];
  releases: number;
}

export interface FakeRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
}

const ATTEMPTS = 3;
const LEASE_MS = 30_000;

export const MOVIE_TOKEN = 'token-of-the-movie-tests';

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await request.toArray());

export class FakeMovieService {
  /** In order of arrival. */
  readonly builds: FakeBuild[] = [];
  readonly requests: FakeRequest[] = [];
  /** Fault of each request. */
  fault: (request: FakeRequest) => Fault | undefined = () => undefined;
  /** Lease of later claims. */
  leaseMs = LEASE_MS;
  readonly #archive: SampleArchive;
  readonly #server: Server;

  private constructor(archive: SampleArchive) {
    this.#archive = archive;
    this.#server = createServer((request, response) => void this.#serve(request, response).catch(() => response.destroy()));
  }

  static async start(archive: SampleArchive): Promise<FakeMovieService> {
    const service = new FakeMovieService(archive);
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends the faults, and gives leases of their usual length again. */
  reset(): void {
    this.fault = () => undefined;
    this.leaseMs = LEASE_MS;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  add(planned: PlannedBuild): FakeBuild {
    const build: FakeBuild = {
      id: this.builds.length + 1,
      planned,
      status: 'queued',
      attempts: 0,
      lease: null,
      leaseUntilMs: 0,
      progress: [],
      files: new Map(),
      parts: new Map(),
      finishes: [],
      failures: [],
      releases: 0,
    };
    this.builds.push(build);
    return build;
  }

  /**
   * Waits until `condition` holds.
   * @throws Error after `timeoutMs`
   */
  async until(condition: () => boolean, what: string, timeoutMs = 60_000): Promise<void> {
    for (const end = performance.now() + timeoutMs; !condition(); await sleep(20)) {
      this.#expire();
      if (performance.now() > end) throw new Error(`Expected ${what} in time, got ${JSON.stringify(this.builds.map(stateOf))}.`);
    }
  }

  /** Waits until a build is finished or invalid. */
  ended(build: FakeBuild, timeoutMs?: number): Promise<void> {
    return this.until(() => build.status === 'finished' || build.status === 'invalid', `the end of build ${build.id}`, timeoutMs);
  }

  #expire(): void {
    for (const build of this.builds) {
      if (build.status !== 'processing' || build.leaseUntilMs > Date.now()) continue;
      this.#retry(build);
    }
  }

  #retry(build: FakeBuild): void {
    build.lease = null;
    build.status = build.attempts < ATTEMPTS ? 'queued' : 'invalid';
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    const call = { method: request.method ?? '', path: decodeURIComponent(url.pathname) };
    this.requests.push(call);
    const fault = this.fault(call);
    if (fault === 'drop') return void request.socket.destroy();
    const body = await bodyOf(request);
    if (fault === 'hang') return;
    if (typeof fault === 'number') return void response.writeHead(fault).end();
    if (request.headers.authorization !== `Bearer ${MOVIE_TOKEN}`) return void response.writeHead(401).end();
    const { status, bytes = new Uint8Array(0) } = this.#handle(call, url.searchParams, body, request.headers);
    if (fault === 'drop-response') return void request.socket.destroy();
    response.writeHead(status, { 'Content-Length': bytes.length }).end(bytes);
  }

  #handle(
    { method, path }: FakeRequest,
    query: URLSearchParams,
    body: Buffer,
    headers: IncomingMessage['headers'],
  ): { status: number; bytes?: Uint8Array } {
    if (path.startsWith('/internal/objects/')) return this.#object(method, path.slice(18), body, headers.range);
    if (path === '/internal/movies/claim') {
      const { version } = JSON.parse(body.toString()) as { version?: string };
      return version === WORKER_VERSION ? this.#claim() : { status: 204 };
    }
    const [, id, rest = ''] = /^\/internal\/movies\/(\d+)\/(.*)$/.exec(path) ?? [];
    const build = this.builds.find((known) => known.id === Number(id));
    if (!build) return { status: 404 };
    const given = method === 'POST' ? (JSON.parse(body.toString()) as { lease: string }) : { lease: query.get('lease') };
    this.#expire();
    if (build.lease === null || given.lease !== build.lease) return { status: 409 };
    if (method === 'POST') return this.#report(build, rest, given);
    if (rest === 'markers') return this.#markers(build, Number(query.get('from')), Number(query.get('to')));
    const name = rest.slice('files/'.length);
    if (method === 'PUT') return this.#put(build, name, query, body, headers['content-length']);
    const bytes = build.files.get(name);
    return bytes ? { status: 200, bytes } : { status: 404 };
  }

  #object(method: string, key: string, body: Buffer, range: string | undefined): { status: number; bytes?: Uint8Array } {
    const { objects } = this.#archive.objects;
    if (method === 'PUT') {
      if (!key.startsWith('idx/') && !key.startsWith('derived/coefficients/a/')) return { status: 403 };
      objects.set(key, new Uint8Array(body));
      return { status: 204 };
    }
    const bytes = objects.get(key);
    if (!bytes) return { status: 404 };
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    if (from === undefined) return { status: 200, bytes };
    if (Number(from) >= bytes.length) return { status: 416 };
    return { status: 206, bytes: bytes.subarray(Number(from), Number(to) + 1) };
  }

  #claim(): { status: number; bytes?: Uint8Array } {
    this.#expire();
    const build = this.builds.find(({ status }) => status === 'queued');
    if (!build) return { status: 204 };
    build.status = 'processing';
    build.attempts += 1;
    build.lease = randomBytes(8).toString('hex');
    build.leaseUntilMs = Date.now() + this.leaseMs;
    const { markers: _, ...planned } = build.planned;
    const claim: BuildClaim = {
      ...planned,
      build: build.id,
      lease: build.lease,
      leaseMs: this.leaseMs,
      attempt: build.attempts,
      segments: [...build.files.keys()].filter((name) => SEGMENT_NAME.test(name)),
    };
    return { status: 200, bytes: Buffer.from(JSON.stringify(claim)) };
  }

  #report(build: FakeBuild, kind: string, report: unknown): { status: number } {
    if (kind === 'progress') {
      const { lease: _, ...progress } = report as Progress;
      build.progress.push(progress);
      build.leaseUntilMs = Date.now() + this.leaseMs;
      return { status: 204 };
    }
    if (kind === 'finish') {
      const finish = report as Finish;
      const isStored = (name: string) =>
        finish.files.some((file) => file.name === name && build.files.get(name)?.length === file.size);
      if (!Object.keys(MOVIE_FILES).every(isStored)) return { status: 422 };
      build.finishes.push(finish);
      build.status = 'finished';
      build.lease = null;
      for (const name of build.files.keys()) if (SEGMENT_NAME.test(name)) build.files.delete(name);
    } else if (kind === 'fail') {
      build.failures.push(report as Failed);
      if ((report as Failed).isFinal) build.attempts = ATTEMPTS;
      this.#retry(build);
    } else if (kind === 'release') {
      build.releases += 1;
      build.attempts -= 1;
      this.#retry(build);
    } else return { status: 404 };
    return { status: 204 };
  }

  #markers({ planned }: FakeBuild, from: number, to: number): { status: number; bytes?: Uint8Array } {
    if (!(from < to && to - from <= 50 && to <= planned.frames.length)) return { status: 400 };
    const markers = Array.from({ length: to - from }, (_, i) => planned.markers?.[from + i] ?? {});
    return { status: 200, bytes: Buffer.from(JSON.stringify(markers)) };
  }

  #put(build: FakeBuild, name: string, query: URLSearchParams, body: Buffer, length: string | undefined): { status: number } {
    if (length === undefined) return { status: 411 };
    if (body.length > PART_BYTES || !(name in MOVIE_FILES || SEGMENT_NAME.test(name))) return { status: 400 };
    const part = Number(query.get('part') ?? 1);
    const of = Number(query.get('of') ?? 1);
    const parts = part === 1 ? [] : (build.parts.get(name) ?? []);
    if (part > parts.length + 1) return { status: 400 };
    parts[part - 1] = new Uint8Array(body);
    build.parts.set(name, parts);
    if (part === of) build.files.set(name, Buffer.concat(parts));
    return { status: 204 };
  }
}

const stateOf = ({ id, status, attempts, progress, failures }: FakeBuild) => ({
  id,
  status,
  attempts,
  progress: progress.at(-1),
  failures: failures.map(({ reason }) => reason),
});

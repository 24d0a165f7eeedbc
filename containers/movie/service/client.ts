// The service as a movie worker sees it: src/domain/movies/job.ts in calls.
import type { MovieFileName } from '../../../src/domain/movies/formats.ts';
import { type Failed, type Finish, type MovieJob, PART_BYTES, type Progress } from '../../../src/domain/movies/job.ts';
import type { FrameMarkers } from '../../../src/services/rendering/frame-renderer.ts';
import type { Answer, Call, ServiceConnection } from './connection.ts';

/** Somebody else has the job, or nobody wants it any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The service does not take what the protocol allows: a bug, or another version of it. */
export class ServiceRefused extends Error {
  override readonly name = 'ServiceRefused';
}

/** How long and how often to try. */
type Trying = Pick<Call, 'timeoutMs' | 'patienceMs' | 'signal'>;

/** Milliseconds to upload PART_BYTES: 270 kB/s. */
const UPLOAD_TIMEOUT_MS = 120_000;
/** A claim is tried again by who asked; a long wait would keep a worker that is told to stop. */
const CLAIM_TIMEOUT_MS = 15_000;

const JSON_TYPE = { 'Content-Type': 'application/json' };

function expected(answer: Answer, call: Pick<Call, 'method' | 'path'>, ...statuses: number[]): Answer {
  if (statuses.includes(answer.status)) return answer;
  if (answer.status === 409) throw new LeaseLost('The lease is lost.');
  const text = new TextDecoder().decode(answer.bytes.subarray(0, 300));
  throw new ServiceRefused(`${call.method} ${call.path.split('?')[0]}: answered ${answer.status} ${text}`);
}

const parsed = <T>({ bytes }: Answer): T => JSON.parse(new TextDecoder().decode(bytes)) as T;

export class ServiceClient {
  readonly #connection: ServiceConnection;

  constructor(connection: ServiceConnection) {
    this.#connection = connection;
  }

  async #post(path: string, body: unknown, trying: Trying, ...statuses: number[]): Promise<Answer> {
    const call: Call = {
      ...trying,
      method: 'POST',
      path: `/internal/movies/${path}`,
      body: JSON.stringify(body),
      headers: JSON_TYPE,
    };
    return expected(await this.#connection.call(call), call, ...statuses);
  }

  async #get(path: string, trying: Trying, ...statuses: number[]): Promise<Answer> {
    const call: Call = { ...trying, method: 'GET', path: `/internal/movies/${path}` };
    return expected(await this.#connection.call(call), call, ...statuses);
  }

  /** The oldest waiting job, or null. One try: an answer that was lost leaves a lease that nobody knows. */
  async claim(worker: string, signal: AbortSignal): Promise<MovieJob | null> {
    const trying = { timeoutMs: CLAIM_TIMEOUT_MS, patienceMs: 0, signal };
    const answer = await this.#post('claim', { worker }, trying, 200, 204);
    return answer.status === 204 ? null : parsed<MovieJob>(answer);
  }

  /** One try: the next report follows soon. */
  async progress({ build }: MovieJob, progress: Progress, timeoutMs: number): Promise<void> {
    await this.#post(`${build}/progress`, progress, { timeoutMs, patienceMs: 0 }, 204);
  }

  /** What stands on the frames from..to-1. */
  async markers({ build, lease }: MovieJob, from: number, to: number, trying: Trying): Promise<FrameMarkers[]> {
    const query = new URLSearchParams({ lease, from: String(from), to: String(to) });
    const markers = parsed<FrameMarkers[]>(await this.#get(`${build}/markers?${query}`, trying, 200));
    if (!Array.isArray(markers) || markers.length !== to - from) throw new ServiceRefused('Expected the markers of every frame.');
    return markers;
  }

  /** A segment that an earlier attempt stored; null when it is gone. */
  async segment({ build, lease }: MovieJob, name: string, signal: AbortSignal): Promise<Uint8Array | null> {
    const path = `${build}/files/${name}?${new URLSearchParams({ lease })}`;
    const answer = await this.#get(path, { timeoutMs: UPLOAD_TIMEOUT_MS, signal }, 200, 404);
    return answer.status === 404 ? null : answer.bytes;
  }

  /** Stores a file or one part of it, numbered from 1. */
  async #put(job: MovieJob, name: string, body: Uint8Array, { part, of }: { part: number; of: number }, signal: AbortSignal) {
    const multipart = of > 1 ? { part: String(part), of: String(of) } : {};
    const query = new URLSearchParams({ lease: job.lease, ...multipart });
    const call: Call = {
      method: 'PUT',
      path: `/internal/movies/${job.build}/files/${name}?${query}`,
      body,
      headers: { 'Content-Type': 'application/octet-stream' },
      timeoutMs: UPLOAD_TIMEOUT_MS,
      signal,
    };
    expected(await this.#connection.call(call), call, 204);
  }

  /** Stores a file of `size` bytes, of which `read` gives any range. */
  async store(
    job: MovieJob,
    name: MovieFileName | string,
    { size, read }: { size: number; read: (offset: number, length: number) => Promise<Uint8Array> },
    signal: AbortSignal,
  ): Promise<void> {
    const of = Math.max(1, Math.ceil(size / PART_BYTES));
    for (let part = 1; part <= of; part++) {
      const offset = (part - 1) * PART_BYTES;
      const body = await read(offset, Math.min(PART_BYTES, size - offset));
      await this.#put(job, name, body, { part, of }, signal);
    }
  }

  async finish({ build }: MovieJob, finish: Finish, signal: AbortSignal): Promise<void> {
    await this.#post(`${build}/finish`, finish, { signal }, 204);
  }

  async fail({ build, lease }: MovieJob, failure: Omit<Failed, 'lease'>, patienceMs: number): Promise<void> {
    await this.#post(`${build}/fail`, { lease, ...failure }, { patienceMs }, 204);
  }

  async release({ build, lease }: MovieJob, patienceMs: number): Promise<void> {
    await this.#post(`${build}/release`, { lease }, { patienceMs, timeoutMs: patienceMs }, 204);
  }
}

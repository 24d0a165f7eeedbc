// Client of the service's operations for movie workers, as src/domain/movies/job.ts specifies them.
import type { MovieFileName } from '../../../src/domain/movies/formats.ts';
import { type Failed, type Finish, type MovieJob, PART_BYTES, type Progress } from '../../../src/domain/movies/job.ts';
import type { FrameMarkers } from '../../../src/services/rendering/frame-renderer.ts';
import type { ServiceConnection, ServiceRequest, ServiceResponse } from './connection.ts';

/** Another worker has the job, or the job is no longer needed. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The service rejected a valid request, because of a bug or a different version of the protocol. */
export class RequestRejected extends Error {
  override readonly name = 'RequestRejected';
}

type RetryOptions = Pick<ServiceRequest, 'timeoutMs' | 'retryForMs' | 'signal'>;

/** Allows PART_BYTES at 270 kB/s. */
const UPLOAD_TIMEOUT_MS = 120_000;
/** Short, because a worker that is told to stop waits for it. */
const CLAIM_TIMEOUT_MS = 15_000;
/** Characters of a response that an error message quotes. */
const QUOTED_CHARACTERS = 300;

const JSON_TYPE = { 'Content-Type': 'application/json' };

const jsonOf = <T>({ bytes }: ServiceResponse): T => JSON.parse(new TextDecoder().decode(bytes)) as T;

/** Every method throws LeaseLost, RequestRejected, ServiceUnavailable, or the reason of its signal. */
export class ServiceClient {
  readonly #connection: ServiceConnection;

  constructor(connection: ServiceConnection) {
    this.#connection = connection;
  }

  /** Sends a request below /internal/movies and checks that the response has one of these statuses. */
  async #send(request: ServiceRequest, ...statuses: number[]): Promise<ServiceResponse> {
    const response = await this.#connection.send({ ...request, path: `/internal/movies/${request.path}` });
    if (statuses.includes(response.status)) return response;
    if (response.status === 409) throw new LeaseLost('The lease is lost.');
    const text = new TextDecoder().decode(response.bytes).slice(0, QUOTED_CHARACTERS);
    throw new RequestRejected(`${request.method} ${request.path.split('?')[0]}: status ${response.status} ${text}`);
  }

  #post(path: string, body: unknown, options: RetryOptions, ...statuses: number[]): Promise<ServiceResponse> {
    return this.#send({ ...options, method: 'POST', path, body: JSON.stringify(body), headers: JSON_TYPE }, ...statuses);
  }

  /** The oldest queued job, or null. Not retried, because a lost response leaves a lease that must expire first. */
  async claim(worker: string, signal: AbortSignal): Promise<MovieJob | null> {
    const options = { timeoutMs: CLAIM_TIMEOUT_MS, retryForMs: 0, signal };
    const response = await this.#post('claim', { worker }, options, 200, 204);
    return response.status === 204 ? null : jsonOf<MovieJob>(response);
  }

  /** Not retried, because the next report follows soon. */
  async progress({ build }: MovieJob, progress: Progress, timeoutMs: number): Promise<void> {
    await this.#post(`${build}/progress`, progress, { timeoutMs, retryForMs: 0 }, 204);
  }

  /** The markers of the frames from..to-1. */
  async markers({ build, lease }: MovieJob, from: number, to: number, options: RetryOptions): Promise<FrameMarkers[]> {
    const query = new URLSearchParams({ lease, from: String(from), to: String(to) });
    const markers = jsonOf<FrameMarkers[]>(
      await this.#send({ ...options, method: 'GET', path: `${build}/markers?${query}` }, 200),
    );
    if (!Array.isArray(markers) || markers.length !== to - from) {
      throw new RequestRejected(`Expected the markers of ${to - from} frames, got a different response.`);
    }
    return markers;
  }

  /** A segment that an earlier attempt stored; null if it is gone. */
  async segment({ build, lease }: MovieJob, name: string, signal: AbortSignal): Promise<Uint8Array | null> {
    const path = `${build}/files/${name}?${new URLSearchParams({ lease })}`;
    const response = await this.#send({ method: 'GET', path, timeoutMs: UPLOAD_TIMEOUT_MS, signal }, 200, 404);
    return response.status === 404 ? null : response.bytes;
  }

  /** Stores a file, in several parts if it is longer than PART_BYTES. */
  async store({ build, lease }: MovieJob, name: MovieFileName | string, file: Blob, signal: AbortSignal): Promise<void> {
    const parts = Math.max(1, Math.ceil(file.size / PART_BYTES));
    for (let part = 1; part <= parts; part++) {
      const multipart = parts > 1 ? { part: String(part), of: String(parts) } : {};
      const query = new URLSearchParams({ lease, ...multipart });
      const request: ServiceRequest = {
        method: 'PUT',
        path: `${build}/files/${name}?${query}`,
        body: new Uint8Array(await file.slice((part - 1) * PART_BYTES, part * PART_BYTES).arrayBuffer()),
        headers: { 'Content-Type': 'application/octet-stream' },
        timeoutMs: UPLOAD_TIMEOUT_MS,
        signal,
      };
      await this.#send(request, 204);
    }
  }

  async finish({ build }: MovieJob, finish: Finish, signal: AbortSignal): Promise<void> {
    await this.#post(`${build}/finish`, finish, { signal }, 204);
  }

  async fail({ build, lease }: MovieJob, failure: Omit<Failed, 'lease'>, retryForMs: number): Promise<void> {
    await this.#post(`${build}/fail`, { lease, ...failure }, { retryForMs }, 204);
  }

  async release({ build, lease }: MovieJob, retryForMs: number): Promise<void> {
    await this.#post(`${build}/release`, { lease }, { retryForMs, timeoutMs: retryForMs }, 204);
  }
}

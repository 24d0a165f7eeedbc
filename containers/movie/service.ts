// The service as movie workers see it: HTTP with retries, objects of the archive, the worker protocol, and the heartbeat of a lease.
import type { FrameMarkers } from '../../src/archive/drawing/frame-renderer.ts';
import type { ImageObjects } from '../../src/archive/reading/image-reader.ts';
import type { MovieFileName } from '../../src/movies/movie.ts';
import { type BuildClaim, PART_BYTES, WORKER_VERSION } from '../../src/movies/worker-protocol.ts';
import type { Failed, Finish, Progress } from '../../src/movies/worker-reports.ts';
import { MOVIE_BUILDS } from '../../src/platform/limits/movies.ts';
import { delay, retry } from '../../src/platform/util/retry.ts';
import { Service } from '../../src/platform/util/service.ts';

interface ServiceRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Time limit of all attempts; 0 for a single attempt. */
  readonly retryForMs?: number;
  readonly signal?: AbortSignal | undefined;
}

type ServiceResponse = { readonly status: number; readonly bytes: Uint8Array<ArrayBuffer> };

/** The service could not be reached, or kept failing, until the retries ran out. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';
}

const TIMEOUT_MS = 30_000;
const RETRY_FOR_MS = 180_000;
const RETRY_DELAYS = { firstMs: 100, longestMs: 10_000 };
const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

export class ServiceConnection extends Service<{ readonly url: string; readonly token: string }> {
  /** The complete response, whatever its status, after retries of transient failures. @throws ServiceUnavailable, or the reason of the signal */
  async send(request: ServiceRequest): Promise<ServiceResponse> {
    const { retryForMs: forMs = RETRY_FOR_MS, signal } = request;
    const isTransient = (error: unknown) => error instanceof ServiceUnavailable;
    return retry(() => this.#attempt(request), {
      ...RETRY_DELAYS,
      ...(forMs > 0 ? { forMs } : { attempts: 1 }),
      signal,
      isTransient,
    });
  }

  async #attempt(request: ServiceRequest): Promise<ServiceResponse> {
    const { method, path, body, headers, timeoutMs = TIMEOUT_MS, signal } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(this.ports.url + path, {
        method,
        headers: { ...headers, Authorization: `Bearer ${this.ports.token}` },
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> | string }),
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (TRANSIENT_STATUSES.has(response.status)) throw new Error(`status ${response.status}`);
      return { status: response.status, bytes };
    } catch (error) {
      signal?.throwIfAborted();
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
      throw new ServiceUnavailable(`${method} ${path}: ${reason}`);
    }
  }
}

/** Escapes everything but the slashes, because keys may hold characters that paths may not. */
const pathOf = (key: string) => `/internal/objects/${key.split('/').map(encodeURIComponent).join('/')}`;

/** Images and sidecars of the archive over HTTP. Methods retry while the service fails, and then throw ServiceUnavailable. */
export class HttpObjects extends Service<ServiceConnection> implements ImageObjects {
  /** @throws RangeError when the object is shorter */
  async read(key: string, offset: number, length: number): Promise<Uint8Array | null> {
    if (length === 0) return new Uint8Array(0);
    const headers = { Range: `bytes=${offset}-${offset + length - 1}` };
    const { status, bytes } = await this.ports.send({ method: 'GET', path: pathOf(key), headers });
    if (status === 404) return null;
    const range = status === 200 ? bytes.subarray(offset, offset + length) : bytes;
    if (status === 416 || ((status === 200 || status === 206) && range.length !== length))
      throw new RangeError(`The object ends before byte ${offset + length}.`);
    if (status !== 200 && status !== 206) throw new ServiceUnavailable(`GET of an object: status ${status}`);
    return range;
  }

  async readAll(key: string): Promise<Uint8Array | null> {
    const { status, bytes } = await this.ports.send({ method: 'GET', path: pathOf(key) });
    if (status !== 200 && status !== 404) throw new ServiceUnavailable(`GET of an object: status ${status}`);
    return status === 404 ? null : bytes;
  }

  /** Stores a sidecar. Errors are ignored, because the sidecar is usable without being stored. */
  async put(key: string, body: Uint8Array, contentType: string) {
    const headers = { 'Content-Type': contentType };
    await this.ports.send({ method: 'PUT', path: pathOf(key), body, headers, retryForMs: 0 }).catch(() => undefined);
    return { size: body.length, etag: '""', uploadedAtMs: Date.now() };
  }
}

/** Another worker has the build, or it is no longer needed. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The service rejected a valid request, because of a bug or a different version of the protocol. */
export class RequestRejected extends Error {
  override readonly name = 'RequestRejected';
}

type RetryOptions = Pick<ServiceRequest, 'timeoutMs' | 'retryForMs' | 'signal'>;

/** Reports about a build, to which the client adds its lease. */
interface Reports {
  readonly progress: Omit<Progress, 'lease'>;
  readonly finish: Omit<Finish, 'lease'>;
  readonly fail: Omit<Failed, 'lease'>;
  readonly release: Readonly<Record<string, never>>;
}

/** Allows PART_BYTES at 270 kB/s. */
const UPLOAD_TIMEOUT_MS = 120_000;
/** Short, because a worker that is told to stop waits for it. */
const CLAIM_TIMEOUT_MS = 15_000;
const QUOTED_CHARACTERS = 300;

const JSON_TYPE = { 'Content-Type': 'application/json' };

const jsonOf = <T>({ bytes }: ServiceResponse): T => JSON.parse(new TextDecoder().decode(bytes)) as T;

/** Every method throws LeaseLost, RequestRejected, ServiceUnavailable, or the reason of its signal. */
export class ServiceClient extends Service<ServiceConnection> {
  /** Sends a request below /internal/movies and checks that the response has one of these statuses. */
  async #send(request: ServiceRequest, ...statuses: number[]): Promise<ServiceResponse> {
    const response = await this.ports.send({ ...request, path: `/internal/movies/${request.path}` });
    if (statuses.includes(response.status)) return response;
    if (response.status === 409) throw new LeaseLost('The lease is lost.');
    const text = new TextDecoder().decode(response.bytes).slice(0, QUOTED_CHARACTERS);
    throw new RequestRejected(`${request.method} ${request.path.split('?')[0]}: status ${response.status} ${text}`);
  }

  #post(path: string, body: unknown, options: RetryOptions, ...statuses: number[]): Promise<ServiceResponse> {
    return this.#send({ ...options, method: 'POST', path, body: JSON.stringify(body), headers: JSON_TYPE }, ...statuses);
  }

  /** The next queued build, or null. Not retried, because a lost response leaves a lease that must expire first. */
  async claim(worker: string, signal: AbortSignal): Promise<BuildClaim | null> {
    const options = { timeoutMs: CLAIM_TIMEOUT_MS, retryForMs: 0, signal };
    const response = await this.#post('claim', { worker, version: WORKER_VERSION }, options, 200, 204);
    return response.status === 204 ? null : jsonOf<BuildClaim>(response);
  }

  async markers({ build, lease }: BuildClaim, from: number, to: number, options: RetryOptions): Promise<FrameMarkers[]> {
    const query = new URLSearchParams({ lease, from: String(from), to: String(to) });
    const markers = jsonOf<FrameMarkers[]>(
      await this.#send({ ...options, method: 'GET', path: `${build}/markers?${query}` }, 200),
    );
    if (!Array.isArray(markers) || markers.length !== to - from)
      throw new RequestRejected(`The response does not have the markers of ${to - from} frames.`);
    return markers;
  }

  /** A segment that an earlier attempt stored; null if it is gone. */
  async segment({ build, lease }: BuildClaim, name: string, signal: AbortSignal): Promise<Uint8Array | null> {
    const path = `${build}/files/${name}?${new URLSearchParams({ lease })}`;
    const response = await this.#send({ method: 'GET', path, timeoutMs: UPLOAD_TIMEOUT_MS, signal }, 200, 404);
    return response.status === 404 ? null : response.bytes;
  }

  /** Stores a file, in several parts if it is longer than PART_BYTES. */
  async store({ build, lease }: BuildClaim, name: MovieFileName | string, file: Blob, signal: AbortSignal): Promise<void> {
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

  async report<Kind extends keyof Reports>(
    { build, lease }: BuildClaim,
    kind: Kind,
    report: Reports[Kind],
    options: RetryOptions,
  ) {
    await this.#post(`${build}/${kind}`, { lease, ...report }, options, 204);
  }
}

/** Milliseconds between reports: a quarter of a short lease, so that one may be lost. */
export const reportIntervalMs = (leaseMs: number): number => Math.min(MOVIE_BUILDS.reportMs, leaseMs / 4);

/** Reports progress, which extends the lease of a build. Without a successful report for the length of a lease, it is lost. */
export class Heartbeat extends Service<{
  readonly service: ServiceClient;
  readonly claim: BuildClaim;
  /** Called when the lease is lost, after which there are no more reports. */
  readonly onLost: (reason: LeaseLost) => void;
}> {
  /** Content of the next report. */
  progress: Reports['progress'] = { framesDone: 0, framesSkipped: 0, stage: 'drawing' };
  readonly #stopped = new AbortController();
  /** Begins at once. */
  readonly #running = this.#run();

  async #run(): Promise<void> {
    const { service, claim, onLost } = this.ports;
    const { leaseMs } = claim;
    const { signal } = this.#stopped;
    let heldUntil = performance.now() + leaseMs;
    while (!signal.aborted) {
      const sentAt = performance.now();
      try {
        // Not retried, because the next report follows soon.
        await service.report(claim, 'progress', this.progress, { timeoutMs: leaseMs / 2, retryForMs: 0 });
        heldUntil = sentAt + leaseMs;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLost || error instanceof RequestRejected) return onLost(new LeaseLost(error.message));
        if (performance.now() > heldUntil)
          return onLost(new LeaseLost('The lease expired, because the service did not respond.'));
      }
      await delay(reportIntervalMs(leaseMs), signal).catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }
}

// Requests to the upstream of a mirror: at a limited rate, repeated with growing pauses while it fails, paused for as long as it asks.
import { MIRROR_REQUESTS } from '../../config/limits/mirror.ts';
import { MirrorError } from '../../ports/mirror.ts';
import { SECOND_MS } from '../../util/durations.ts';
import { backoffMs, delay } from '../../util/timeout.ts';
import { fetchWithinHost, responseBody, UpstreamError } from '../http/bounded-fetch.ts';

export interface Politeness {
  /** Requests a second. */
  readonly perSecond: number;
  /** Requests at once. */
  readonly parallel: number;
  readonly attempts: number;
  /** Milliseconds for one response. */
  readonly attemptMs: number;
  readonly firstRetryMs: number;
  /** Longest pause within a request, in milliseconds; a longer one that the upstream asks for ends the request. */
  readonly longestWaitMs: number;
}

export interface PoliteRequest {
  readonly accept: string;
  readonly maxBytes: number;
  /** Conditions, as If-None-Match. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Inspects the body of a response with status 200. @throws MirrorError, upon which the request is repeated */
  readonly check?: (bytes: Uint8Array, headers: Headers) => void;
}

/** Status 200 or 304; the body of 304 is empty. */
export interface PoliteResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

const NOT_MODIFIED = 304;
const ABSENT: readonly number[] = [404, 410];
const PAUSING: readonly number[] = [429, 503];

/** Milliseconds of a Retry-After header (RFC 9110, 10.2.3), which has seconds or a date. Null without a valid one. */
export function retryAfterMs(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? null : Math.max(waitMs, 0);
}

export class PoliteClient {
  readonly #politeness: Politeness;
  readonly #interrupted: AbortSignal | undefined;
  /** Time before which no request is sent: the rate, and the pauses that the upstream asks for. */
  #nextAtMs = 0;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param interrupted Ends requests and pauses */
  constructor(politeness: Politeness, interrupted?: AbortSignal) {
    this.#politeness = politeness;
    this.#interrupted = interrupted;
  }

  /** @throws MirrorError */
  async get(url: URL, request: PoliteRequest): Promise<PoliteResponse> {
    while (this.#running >= this.#politeness.parallel) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
    try {
      return await this.#repeated(url, request);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #repeated(url: URL, request: PoliteRequest): Promise<PoliteResponse> {
    const { attempts, firstRetryMs, longestWaitMs } = this.#politeness;
    for (let attempt = 1; ; attempt += 1) {
      await this.#turn();
      const result = await this.#attempt(url, request).catch((error: unknown) => asMirrorError(error, url));
      if (!(result instanceof MirrorError)) return result;
      const { problem } = result;
      if (problem !== 'failing' && problem !== 'busy') throw result;
      const waitMs = result.waitMs ?? backoffMs(attempt, firstRetryMs);
      if (attempt >= attempts || waitMs > longestWaitMs || this.#interrupted?.aborted) throw result;
      if (problem === 'busy') this.#nextAtMs = Math.max(this.#nextAtMs, Date.now() + waitMs);
      else await this.#pause(waitMs);
    }
  }

  /** Waits for the turn of the next request. */
  async #turn(): Promise<void> {
    const nowMs = Date.now();
    const atMs = Math.max(nowMs, this.#nextAtMs);
    this.#nextAtMs = atMs + SECOND_MS / this.#politeness.perSecond;
    if (atMs > nowMs) await this.#pause(atMs - nowMs);
  }

  async #pause(ms: number): Promise<void> {
    const interrupted = this.#interrupted;
    if (!interrupted) return delay(ms);
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        interrupted.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      interrupted.addEventListener('abort', end);
      if (interrupted.aborted) end();
    });
    if (interrupted.aborted) throw new MirrorError('failing', 'The run was interrupted.');
  }

  async #attempt(url: URL, { accept, maxBytes, headers = {}, check }: PoliteRequest): Promise<PoliteResponse> {
    const { attemptMs } = this.#politeness;
    const signals = [AbortSignal.timeout(attemptMs), ...(this.#interrupted ? [this.#interrupted] : [])];
    const bounds = { signal: AbortSignal.any(signals), maxBytes, redirects: MIRROR_REQUESTS.redirects, accept, headers };
    const response = await fetchWithinHost(url, bounds);
    if (response.status === 200) {
      const length = Number(response.headers.get('Content-Length') ?? Number.NaN);
      if (length > maxBytes) {
        await response.body?.cancel();
        throw new MirrorError('too-large', `Expected at most ${maxBytes} bytes, got ${length}.`);
      }
      const bytes = await responseBody(response, url, bounds);
      // A body that a decoder has unpacked has another length than the one that was announced.
      if (!Number.isNaN(length) && !response.headers.has('Content-Encoding') && bytes.length !== length) {
        throw new MirrorError('failing', `Expected ${length} bytes, got ${bytes.length}.`);
      }
      check?.(bytes, response.headers);
      return { status: 200, headers: response.headers, bytes };
    }
    await response.body?.cancel();
    if (response.status === NOT_MODIFIED) return { status: NOT_MODIFIED, headers: response.headers, bytes: new Uint8Array(0) };
    throw statusError(response);
  }
}

function statusError({ status, headers }: Response): MirrorError {
  const sentence = `Expected status 200, got ${status}.`;
  if (ABSENT.includes(status)) return new MirrorError('absent', sentence);
  const waitMs = retryAfterMs(headers.get('Retry-After'), Date.now());
  if (PAUSING.includes(status)) return new MirrorError('busy', sentence, { waitMs });
  return new MirrorError(status >= 500 || status === 408 ? 'failing' : 'refusing', sentence);
}

function asMirrorError(error: unknown, { host }: URL): MirrorError {
  if (error instanceof MirrorError) return error;
  if (error instanceof UpstreamError) return new MirrorError(error.isTooLarge ? 'too-large' : 'refusing', error.message);
  return new MirrorError('failing', `Expected a complete response of ${host} in time, got none.`);
}

// Requests to the upstream of a mirror, at a limited rate, repeated after failures, paused as it asks; and its JP2 files, in place of which it may send something else.
import { fetchWithinHost, responseBody, UpstreamError } from '../../../platform/http/bounded-fetch.ts';
import { UPLOAD } from '../../../platform/limits/images.ts';
import { MIRROR_REQUESTS } from '../../../platform/limits/mirror.ts';
import { sameBytes } from '../../../platform/util/bytes.ts';
import { SECOND_MS } from '../../../platform/util/durations.ts';
import { delay, retry, retryAfterMs } from '../../../platform/util/retry.ts';
import { Service } from '../../../platform/util/service.ts';
import { MirrorError, type UpstreamFile, type UpstreamPage, type UpstreamQuery } from '../ports.ts';

export interface Politeness {
  readonly perSecond: number;
  readonly parallel: number;
  readonly attempts: number;
  /** Milliseconds for one response. */
  readonly attemptMs: number;
  readonly firstRetryMs: number;
  /** Longest pause within a request, in milliseconds; a longer one that the upstream asks for ends the request. */
  readonly longestWaitMs: number;
}

interface PoliteRequest<Found> {
  readonly accept: string;
  readonly maxBytes: number;
  /** Conditions, as If-None-Match. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the body of a response with status 200. @throws MirrorError, upon which the request is repeated */
  readonly read: (bytes: Uint8Array, headers: Headers) => Found | Promise<Found>;
  /** What stands for a response with status 304. Unset: it fails. */
  readonly unchanged?: Found;
}

const NOT_MODIFIED = 304;
const ABSENT: readonly number[] = [404, 410];
const PAUSING: readonly number[] = [429, 503];

export class PoliteClient extends Service<Politeness> {
  /** Time before which no request is sent: the rate, and the pauses that the upstream asks for. */
  #nextAtMs = 0;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @throws MirrorError */
  async get<Found>(url: URL, request: PoliteRequest<Found>): Promise<Found> {
    while (this.#running >= this.ports.parallel) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
    try {
      return await this.#repeated(url, request);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  #repeated<Found>(url: URL, request: PoliteRequest<Found>): Promise<Found> {
    const { attempts, firstRetryMs, longestWaitMs } = this.ports;
    const attempt = async () => {
      await this.#turn();
      return this.#attempt(url, request).catch((error: unknown) => Promise.reject(asMirrorError(error, url)));
    };
    return retry(attempt, {
      attempts,
      firstMs: firstRetryMs,
      longestMs: longestWaitMs,
      isTransient: (error) => isTransient(error as MirrorError) && ((error as MirrorError).retryAfterMs ?? 0) <= longestWaitMs,
      onRetry: (error, waitMs) => {
        if ((error as MirrorError).problem === 'busy') this.#nextAtMs = Math.max(this.#nextAtMs, Date.now() + waitMs);
      },
    });
  }

  async #turn(): Promise<void> {
    const nowMs = Date.now();
    const atMs = Math.max(nowMs, this.#nextAtMs);
    this.#nextAtMs = atMs + SECOND_MS / this.ports.perSecond;
    if (atMs > nowMs) await delay(atMs - nowMs);
  }

  async #attempt<Found>(url: URL, { accept, maxBytes, headers = {}, read, unchanged }: PoliteRequest<Found>): Promise<Found> {
    const { attemptMs } = this.ports;
    const signal = AbortSignal.timeout(attemptMs);
    const bounds = { signal, maxBytes, redirects: MIRROR_REQUESTS.redirects, accept, headers };
    const response = await fetchWithinHost(url, bounds);
    if (response.status === 200) {
      const length = Number(response.headers.get('Content-Length') ?? Number.NaN);
      if (length > maxBytes) {
        await response.body?.cancel();
        throw new MirrorError('too-large', `The response has ${length} bytes, more than the ${maxBytes} that are accepted.`);
      }
      const bytes = await responseBody(response, url, bounds);
      // A body that a decoder has unpacked has another length than the one that was announced.
      if (!Number.isNaN(length) && !response.headers.has('Content-Encoding') && bytes.length !== length)
        throw new MirrorError('failing', `The response has ${bytes.length} bytes of ${length}.`);
      return read(bytes, response.headers);
    }
    await response.body?.cancel();
    if (response.status === NOT_MODIFIED && unchanged !== undefined) return unchanged;
    throw statusError(response);
  }
}

function statusError({ status, headers }: Response): MirrorError {
  const sentence = `The upstream responds with status ${status}.`;
  if (ABSENT.includes(status)) return new MirrorError('absent', sentence);
  if (PAUSING.includes(status)) return new MirrorError('busy', sentence, retryAfterMs(headers.get('Retry-After'), Date.now()));
  return new MirrorError(status >= 500 || status === 408 ? 'failing' : 'refusing', sentence);
}

const isTransient = ({ problem }: MirrorError) => problem === 'failing' || problem === 'busy';

function asMirrorError(error: unknown, { host }: URL): MirrorError {
  if (error instanceof MirrorError) return error;
  if (error instanceof UpstreamError) return new MirrorError(error.isTooLarge ? 'too-large' : 'refusing', error.message);
  return new MirrorError('failing', `${host} sends no complete response in time.`);
}

/** An archive that a mirror copies. */
export abstract class MirrorUpstream extends Service<{ readonly root: URL; readonly client: PoliteClient }> {
  /** Time from which files may be added to a list later: it is read again that far back. */
  abstract readonly lateMs: number;
  /** The pages of a source in the order of their times. @throws MirrorError when the list cannot be read */
  abstract pages(query: UpstreamQuery): AsyncGenerator<UpstreamPage>;
  /** The sources that the upstream has. @throws MirrorError */
  abstract sources(): Promise<readonly number[]>;

  get address(): string {
    return this.ports.root.href;
  }

  /** `check` inspects the headers. @throws MirrorError, also for a page of a proxy or a login in place of the file */
  download({ address }: Pick<UpstreamFile, 'fileName' | 'address'>, check?: (headers: Headers) => void): Promise<Uint8Array> {
    return this.ports.client.get(new URL(address), {
      accept: 'image/jp2, */*;q=0.5',
      maxBytes: UPLOAD.bodyBytes,
      read: (bytes, headers) => {
        expectJp2(bytes, headers);
        check?.(headers);
        return bytes;
      },
    });
  }
}

/** The signature box (ISO/IEC 15444-1, I.5.1). */
const SIGNATURE = Uint8Array.from([0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a]);

/** Start of the codestream of a file that has no boxes (ISO/IEC 15444-1, A.4.1); ingest says why it takes none. */
const SOC = Uint8Array.from([0xff, 0x4f, 0xff, 0x51]);

const beginsWith = (bytes: Uint8Array, start: Uint8Array) => sameBytes(bytes.subarray(0, start.length), start);

function expectJp2(bytes: Uint8Array, headers: Headers): void {
  if (beginsWith(bytes, SIGNATURE) || beginsWith(bytes, SOC)) return;
  const type = headers.get('Content-Type')?.slice(0, 60) ?? 'no type';
  throw new MirrorError('failing', `The ${bytes.length} bytes are no JPEG 2000 file (${type}).`);
}

// A running check of a service, which the rows of `npm run deploy -- --check` drive.
import { FROM_CACHE } from '../../platform/http/response.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { delay } from '../../platform/util/retry.ts';
import { adminJson } from '../ingest/admin-client.ts';

/** Scale of the uploaded images in full resolution, arcseconds a pixel. */
export const IMAGE_SCALE = 19.2;
const REQUEST_TIMEOUT_MS = 60_000;
const POLL_MS = 1_000;

/** Milliseconds for what happens behind a response. */
export const CHECK_WAITS = {
  cacheMs: 10_000,
  /** A container starts in about a minute. */
  movieMs: 300_000,
  /** Isolates that know a withdrawn image may show it for a minute, and the purge is repeated two to three minutes later. */
  purgeMs: 300_000,
};

export interface CheckOptions {
  readonly serviceUrl: string;
  /** With the scopes `ingest` and `withdraw`. */
  readonly token: string;
  readonly hasMovies: boolean;
  readonly nowMs: number;
  readonly waits: typeof CHECK_WAITS;
  /** Leaves out the rows that are left, and withdraws what was uploaded. */
  readonly signal: AbortSignal;
}

/** A row that cannot be shown here; the message says why. */
export class NotShown extends Error {}

export class Check {
  readonly options: CheckOptions;
  readonly admin: ReturnType<typeof adminJson>;
  readonly ids: number[] = [];
  /** SHA-256 of the files that were sent. */
  readonly digests: string[] = [];
  /** Names that were sent, also those without a response. */
  readonly sent: string[] = [];
  readonly startMs: number;

  constructor(options: CheckOptions) {
    this.options = options;
    this.admin = adminJson(options.serviceUrl, options.token);
    // Years before the mission, so that no request for its times finds the images; another time for each run, because names are used once.
    this.startMs = Date.UTC(1996, 0, 1) + (options.nowMs - Date.UTC(2026, 0, 1));
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.options.serviceUrl + path, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  }

  async whole(path: string, init?: RequestInit) {
    const response = await this.fetch(path, init);
    const { status, headers } = response;
    const isHit = FROM_CACHE.test(headers.get('Cf-Cache-Status') ?? '');
    return { status, headers, isHit, bytes: Buffer.from(await response.arrayBuffer()), etag: headers.get('ETag') ?? '' };
  }

  async json<T>(path: string): Promise<T> {
    const response = await this.fetch(path);
    // A proxy sends a page.
    const body = (await response.json().catch(() => ({}))) as T & { readonly error?: string };
    if (!response.ok || body.error) throw new Error(`status ${response.status}: ${body.error ?? 'no sentence'}`);
    return body;
  }

  /** @returns the id of the image */
  async upload(name: string, jp2: Uint8Array): Promise<number> {
    this.sent.push(name);
    this.digests.push(await sha256Hex(jp2));
    const init = { method: 'PUT', body: jp2 as Uint8Array<ArrayBuffer> };
    return (await this.admin<{ id: number }>(`/images/${name}`, init)).id;
  }

  /** Repeats an attempt until it returns a value other than null. @throws Error when the time is over, or the check is interrupted */
  async until<T>(waitMs: number, what: string, attempt: () => Promise<T | null>): Promise<T> {
    for (const startedMs = performance.now(); performance.now() - startedMs < waitMs; await delay(POLL_MS, this.options.signal)) {
      const value = await attempt();
      if (value !== null) return value;
    }
    throw new Error(`${what} within ${waitMs / 1000} s`);
  }

  firstId(): number {
    const [id] = this.ids;
    if (id === undefined) throw new NotShown('no image was uploaded');
    return id;
  }

  tile(): string {
    return `/v2/getTile/?id=${this.firstId()}&x=0&y=0&imageScale=${IMAGE_SCALE}`;
  }
}

/** Shows something, and says what. @throws NotShown, or an error that says what is wrong */
export type Row = (check: Check) => Promise<string>;

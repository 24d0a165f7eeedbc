// Client of the admin operations of a running service; retries while the connection or the service fails.
import type { z } from 'zod';
import type { IndexedObject } from '../../archive/ingest/index-objects.ts';
import type { SampleProgress } from '../../archive/sample-progress.ts';
import type { RANGE_BODY } from '../../operator/admin-imports.ts';
import type { RangeProgress } from '../../operator/coefficient-range.ts';
import { when } from '../../platform/util/errors.ts';
import { retry, retryAfterMs } from '../../platform/util/retry.ts';
import { responseOf } from '../command.ts';

const ATTEMPTS = 6;
const FIRST_WAIT_MS = 250;
/** Bounds also the wait that Retry-After asks for. */
const LONGEST_WAIT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 120_000;

export class WrongTokenError extends Error {}

export type UploadOutcome =
  | { readonly outcome: 'added' | 'known'; readonly warning?: string }
  | { readonly outcome: 'refused'; readonly reason: string; readonly sentence: string };

export interface UploadFlags {
  /** Whether it replaces an image with other content under its name. Unset: it is refused. */
  readonly replace?: boolean;
  /** Whether it comes back after it was withdrawn. Unset: it is refused. */
  readonly restore?: boolean;
}

type SourcePeriod = { readonly sourceId: number; readonly start: string; readonly end: string };

export type SidecarRange = z.output<typeof RANGE_BODY.schema>;

/** An object of the bucket; `path`: in the layout of the archive. */
export type BucketObject = { readonly path: string; readonly size: number };

interface IndexedBatch {
  readonly added: number;
  readonly known: number;
  readonly problems: readonly IndexedObject[];
  readonly timesMs: Readonly<Record<string, number>>;
}

type Operations = ReturnType<typeof adminClient>;

export type AdminClient = Pick<Operations, 'find' | 'known' | 'put' | 'isEmpty' | 'reportSample'>;

export type ObjectClient = Pick<Operations, 'list' | 'index'>;

type AdminRequest = RequestInit & { readonly headers?: Readonly<Record<string, string>> };

/**
 * Requests to the admin operations below `/admin`, repeated while the connection or the service fails.
 * @throws WrongTokenError, RefusedRequest, or Error of the connection
 */
const adminRequests =
  (serviceUrl: string, token: string) =>
  (path: string, init: AdminRequest = {}, attempts = ATTEMPTS): Promise<Response> => {
    const attempt = async () => {
      const response = await responseOf(`${serviceUrl}/admin${path}`, {
        ...init,
        headers: { ...init.headers, Authorization: `Bearer ${token}` },
        signal: AbortSignal.any([AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...(init.signal ? [init.signal] : [])]),
      });
      if (response.status === 401) throw new WrongTokenError(`ADMIN_TOKEN is not the token of ${serviceUrl}.`);
      if (!response.ok) throw new RefusedRequest(response, (await response.json().catch(() => ({}))) as Refusal);
      return response;
    };
    return retry(attempt, {
      attempts,
      firstMs: FIRST_WAIT_MS,
      longestMs: LONGEST_WAIT_MS,
      signal: init.signal ?? undefined,
      isTransient: (error) => (error instanceof RefusedRequest ? error.isPassing : !(error instanceof WrongTokenError)),
    });
  };

/** Requests as above for the JSON of their responses. */
export function adminJson(serviceUrl: string, token: string) {
  const request = adminRequests(serviceUrl, token);
  return async <T>(...given: Parameters<typeof request>): Promise<T> => (await (await request(...given)).json()) as T;
}

/** A value in place of a refusal with a status. Throws other errors. */
export const ofStatus = <T>(status: number, value: T) =>
  when(RefusedRequest, (error) => (error.status === status ? value : undefined));

export const posted = (body: object) => ({ method: 'POST', body: JSON.stringify(body) });

export function adminClient(serviceUrl: string, token: string) {
  const request = adminRequests(serviceUrl, token);
  const json = adminJson(serviceUrl, token);
  return {
    /** SHA-256 of the archived file of a name, in hexadecimal. Null when the archive has no file of this name. */
    find: (fileName: string) =>
      json<{ readonly sha256: string }>(`/images/${encodeURIComponent(fileName)}`).catch(ofStatus(404, null)),

    /** The names among at most a hundred that the archive has, or has withdrawn. */
    async known(names: readonly string[]): Promise<ReadonlySet<string>> {
      return new Set((await json<{ known: string[] }>('/known', posted({ names }))).known);
    },

    async put(fileName: string, jp2: Uint8Array, flags: UploadFlags = {}): Promise<UploadOutcome> {
      const set = Object.entries(flags).filter(([, value]) => value);
      const query = new URLSearchParams(set.map(([name]) => [name, 'true']));
      const path = `/images/${encodeURIComponent(fileName)}${set.length > 0 ? `?${query}` : ''}`;
      const init = { method: 'PUT', headers: { 'Content-Type': 'image/jp2' }, body: jp2 as Uint8Array<ArrayBuffer> };
      const outcome = async (response: Response): Promise<UploadOutcome> => {
        const { warning } = (await response.json()) as { readonly warning?: string };
        return { outcome: response.status === 201 ? 'added' : 'known', ...(warning ? { warning } : {}) };
      };
      return request(path, init).then(outcome, when(RefusedRequest, refusal));
    },

    /** The sources that have images, with the period of each in ISO dates. */
    async sources(): Promise<readonly SourcePeriod[]> {
      return (await json<{ sources: SourcePeriod[] }>('/images')).sources;
    },

    makeSidecars: (range: SidecarRange) =>
      json<Omit<RangeProgress, 'nextMs'> & { readonly next: string | null }>('/coefficients', posted(range)),

    /** Whether no source has images. Not retried, so that an absent service fails at once. */
    async isEmpty(): Promise<boolean> {
      return (await json<{ sources: unknown[] }>('/images', {}, 1)).sources.length === 0;
    },

    /** Sets or, with null, removes the progress of a sample archive at `/health`. */
    async reportSample(progress: SampleProgress | null): Promise<void> {
      await json('/sample', progress ? { ...posted(progress), method: 'PUT' } : { method: 'DELETE' });
    },

    /** The objects whose paths begin with `prefix`, after the path `after`, in the order of their paths. */
    async *list(prefix: string, after = ''): AsyncGenerator<BucketObject> {
      for (let place: string | null = after; place !== null; ) {
        const query: string = new URLSearchParams({ prefix, after: place }).toString();
        const page = await json<{ objects: BucketObject[]; next: string | null }>(`/objects?${query}`);
        yield* page.objects;
        place = page.next;
      }
    },

    index: (objects: readonly BucketObject[], readPackets: boolean) =>
      json<IndexedBatch>('/objects', posted({ objects, readPackets })),
  };
}

/** @throws Error at once when no service responds, whatever the token permits */
export async function expectService(serviceUrl: string): Promise<void> {
  const { ok, status, body } = await responseOf(`${serviceUrl}/health`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  await body?.cancel();
  if (!ok) throw new Error(`${serviceUrl} does not respond as a running service: status ${status}.`);
}

/** The outcome of an upload that is refused; none of one that may succeed later. */
const refusal = ({ isPassing, reason, sentence }: RefusedRequest): UploadOutcome | undefined =>
  isPassing ? undefined : { outcome: 'refused', reason, sentence };

type Refusal = { readonly error?: string; readonly reason?: string };

/** A response of a service that refuses a request, or fails. */
export class RefusedRequest extends Error {
  readonly status: number;
  readonly reason: string;
  readonly sentence: string;
  readonly retryAfterMs: number | null;

  constructor({ status, statusText, headers }: Response, { error, reason }: Refusal = {}) {
    super(`Status ${status}: ${error ?? statusText}`);
    this.status = status;
    this.reason = reason ?? (status === 409 ? 'conflict' : `status ${status}`);
    this.sentence = error ?? `The service answered with status ${status}.`;
    this.retryAfterMs = retryAfterMs(headers.get('Retry-After'), Date.now());
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

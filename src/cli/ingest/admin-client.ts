// Client of the admin operations of a running service; retries while the connection or the service fails.

import { setTimeout as sleep } from 'node:timers/promises';
import type { SampleProgress } from '../../services/images/sample-progress.ts';
import { backoffMs } from '../../util/timeout.ts';

const TRIES = 6;
const FIRST_WAIT_MS = 250;
/** Upper bound of every wait, including that of Retry-After. */
const LONGEST_WAIT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 120_000;

/** The service rejects the token. */
export class WrongTokenError extends Error {}

export type UploadOutcome =
  | { readonly outcome: 'added' | 'known' }
  | { readonly outcome: 'refused'; readonly reason: string; readonly sentence: string };

export interface SourcePeriod {
  readonly sourceId: number;
  readonly start: string;
  readonly end: string;
}

export interface SidecarRange {
  readonly sourceId: number;
  /** ISO dates, both included. */
  readonly from: string;
  readonly to: string;
  readonly parts: readonly ('A' | 'B' | 'C')[];
  /** Whether parts that exist are made again. */
  readonly renew: boolean;
}

export interface SidecarProgress {
  /** Images whose parts were made, were there, and cannot be made. */
  readonly made: number;
  readonly kept: number;
  readonly none: number;
  /** Start of the rest of the period; null at its end. */
  readonly next: string | null;
}

export interface SidecarClient {
  /** The sources that have images, with the period of each in ISO dates. */
  sources(): Promise<readonly SourcePeriod[]>;
  /** Makes the coefficient sidecars of the first images of a period. */
  makeSidecars(range: SidecarRange): Promise<SidecarProgress>;
}

export interface AdminClient {
  /** SHA-256 of the archived file of a name, in hexadecimal. Null when the archive has no file of this name. */
  find(fileName: string): Promise<{ readonly sha256: string } | null>;
  /** The names among at most a hundred that the archive has, or has withdrawn. */
  known(fileNames: readonly string[]): Promise<ReadonlySet<string>>;
  /** `replace`: whether the file replaces an image with other content under its name. */
  put(fileName: string, jp2: Uint8Array, replace?: boolean): Promise<UploadOutcome>;
  /** Whether no source has images. Not retried, so that an absent service fails at once. */
  isEmpty(): Promise<boolean>;
  /** Sets or, with null, removes the progress of a sample archive at `/health`. */
  reportSample(progress: SampleProgress | null): Promise<void>;
}

/** The admin operations that have no method of their own. */
export interface AdminOperations {
  /** JSON of the response. @throws Error with its sentence when the operation fails */
  send(method: 'GET' | 'POST', path: string): Promise<unknown>;
}

type AdminRequest = (
  path: string,
  init?: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
  tries?: number,
) => Promise<Response>;

/**
 * Requests to the admin operations below `/admin`, repeated while the connection or the service fails.
 * @throws WrongTokenError
 */
export function adminRequests(serviceUrl: string, token: string): AdminRequest {
  return async (path, init = {}, tries = TRIES) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(`${serviceUrl}/admin${path}`, {
        ...init,
        headers: { ...init.headers, Authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      }).catch((error: unknown) => error as Error);
      if (response instanceof Response && response.status !== 429 && response.status < 500) {
        if (response.status === 401) throw new WrongTokenError(`ADMIN_TOKEN is not the token of ${serviceUrl}.`);
        return response;
      }
      if (attempt >= tries) throw response instanceof Response ? await failureOf(response) : connectionError(response);
      if (response instanceof Response) await response.body?.cancel();
      await sleep(waitMs(attempt, response));
    }
  };
}

export function adminClient(serviceUrl: string, token: string): AdminClient & AdminOperations & SidecarClient {
  const request = adminRequests(serviceUrl, token);
  return {
    async find(fileName) {
      const response = await request(`/images/${encodeURIComponent(fileName)}`);
      if (!response.ok && response.status !== 404) throw await failureOf(response);
      const body = await response.json();
      return response.ok ? { sha256: (body as { sha256: string }).sha256 } : null;
    },

    async known(names) {
      const response = await request('/known', { method: 'POST', body: JSON.stringify({ names }) });
      if (!response.ok) throw await failureOf(response);
      return new Set(((await response.json()) as { known: string[] }).known);
    },

    async put(fileName, jp2, replace = false) {
      const response = await request(`/images/${encodeURIComponent(fileName)}${replace ? '?replace=true' : ''}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'image/jp2' },
        body: jp2 as Uint8Array<ArrayBuffer>,
      });
      const body = await response.json();
      if (response.ok) return { outcome: response.status === 201 ? 'added' : 'known' };
      return refusal(response, body);
    },

    async sources() {
      const response = await request('/images');
      if (!response.ok) throw await failureOf(response);
      return ((await response.json()) as { sources: SourcePeriod[] }).sources;
    },

    async makeSidecars(range) {
      const response = await request('/coefficients', { method: 'POST', body: JSON.stringify(range) });
      if (!response.ok) throw await failureOf(response);
      return (await response.json()) as SidecarProgress;
    },

    async isEmpty() {
      const response = await request('/images', {}, 1);
      if (!response.ok) throw await failureOf(response);
      return ((await response.json()) as { sources: unknown[] }).sources.length === 0;
    },

    async send(method, path) {
      const response = await request(path, { method });
      if (!response.ok) throw await failureOf(response);
      return response.json();
    },

    async reportSample(progress) {
      const response = await request(
        '/sample',
        progress ? { method: 'PUT', body: JSON.stringify(progress) } : { method: 'DELETE' },
      );
      if (!response.ok) throw await failureOf(response);
      await response.body?.cancel();
    },
  };
}

/** A client of a service that responds. @throws Error when it does not */
export async function runningService(serviceUrl: string, token: string): Promise<ReturnType<typeof adminClient>> {
  const client = adminClient(serviceUrl, token);
  await client.isEmpty().catch((error: Error) => {
    throw new Error(`${serviceUrl} does not respond as a running service: ${error.message}`, { cause: error });
  });
  return client;
}

function refusal(response: Response, body: unknown): UploadOutcome {
  const { error, reason } = body as { error?: string; reason?: string };
  return {
    outcome: 'refused',
    reason: reason ?? (response.status === 409 ? 'conflict' : `status ${response.status}`),
    sentence: error ?? `The service answered with status ${response.status}.`,
  };
}

/** The failure that a response states. */
export async function failureOf(response: Response): Promise<Error> {
  const body = (await response.json().catch(() => ({}))) as { error?: string };
  return new Error(`Status ${response.status}: ${body.error ?? response.statusText}`);
}

function connectionError(error: Error): Error {
  const cause = error.cause instanceof Error ? error.cause.message : '';
  return new Error(cause || error.message, { cause: error });
}

/** Retry-After if given, else exponential backoff with jitter, which spreads the retries of parallel uploads. */
function waitMs(attempt: number, response: Response | Error): number {
  const seconds = response instanceof Response ? Number(response.headers.get('Retry-After') ?? Number.NaN) : Number.NaN;
  const wait = Number.isFinite(seconds) ? seconds * 1000 : backoffMs(attempt, FIRST_WAIT_MS);
  return Math.min(wait, LONGEST_WAIT_MS);
}

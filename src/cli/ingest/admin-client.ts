// Client of the admin operations of a running service; retries while the connection or the service fails.

import { setTimeout as sleep } from 'node:timers/promises';
import type { SampleProgress } from '../../services/images/sample-progress.ts';
import { backoffMs } from '../../util/timeout.ts';

const TRIES = 6;
const FIRST_WAIT_MS = 250;
/** Longest wait, whatever Retry-After says. */
const LONGEST_WAIT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 120_000;

/** The service refuses the token, so that nothing can be sent. */
export class WrongTokenError extends Error {}

export type UploadOutcome =
  | { readonly outcome: 'added' | 'known' }
  | { readonly outcome: 'refused'; readonly reason: string; readonly sentence: string };

export interface AdminClient {
  /** Looks a file up by its name and, if given, its hash. Null when the archive has no file of this name. */
  find(fileName: string, sha256?: string): Promise<UploadOutcome | null>;
  put(fileName: string, jp2: Uint8Array, sha256: string): Promise<UploadOutcome>;
  /** Whether no source has images. Not retried, so that an absent service is noticed at once. */
  isEmpty(): Promise<boolean>;
  /** Sets or, with null, removes the progress of a sample archive at `/health`. */
  reportSample(progress: SampleProgress | null): Promise<void>;
}

export function adminClient(serviceUrl: string, token: string): AdminClient {
  const request = async (
    path: string,
    init: RequestInit & { headers?: Record<string, string> } = {},
    tries = TRIES,
  ): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await fetch(`${serviceUrl}/admin${path}`, {
        ...init,
        headers: { ...init.headers, Authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      }).catch((error: unknown) => error as Error);
      if (answer instanceof Response && answer.status !== 429 && answer.status < 500) {
        if (answer.status === 401) throw new WrongTokenError(`Expected the token of ${serviceUrl} for ADMIN_TOKEN, got another.`);
        return answer;
      }
      if (attempt >= tries) throw answer instanceof Response ? await failureOf(answer) : connectionError(answer);
      if (answer instanceof Response) await answer.body?.cancel();
      await sleep(waitMs(attempt, answer));
    }
  };

  return {
    async find(fileName, sha256) {
      const headers = sha256 === undefined ? {} : { 'X-Content-SHA256': sha256 };
      const answer = await request(`/images/${encodeURIComponent(fileName)}`, { headers });
      const body = await answer.json();
      if (answer.status === 404) return null;
      return answer.ok ? { outcome: 'known' } : refusal(answer, body);
    },

    async put(fileName, jp2, sha256) {
      const answer = await request(`/images/${encodeURIComponent(fileName)}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'image/jp2', 'X-Content-SHA256': sha256 },
        body: jp2 as Uint8Array<ArrayBuffer>,
      });
      const body = await answer.json();
      if (answer.ok) return { outcome: answer.status === 201 ? 'added' : 'known' };
      return refusal(answer, body);
    },

    async isEmpty() {
      const answer = await request('/images', {}, 1);
      if (!answer.ok) throw await failureOf(answer);
      return ((await answer.json()) as { sources: unknown[] }).sources.length === 0;
    },

    async reportSample(progress) {
      const answer = await request(
        '/sample',
        progress ? { method: 'PUT', body: JSON.stringify(progress) } : { method: 'DELETE' },
      );
      if (!answer.ok) throw await failureOf(answer);
      await answer.body?.cancel();
    },
  };
}

function refusal(answer: Response, body: unknown): UploadOutcome {
  const { error, reason } = body as { error?: string; reason?: string };
  return {
    outcome: 'refused',
    reason: reason ?? (answer.status === 409 ? 'conflict' : `status ${answer.status}`),
    sentence: error ?? `The service answered with status ${answer.status}.`,
  };
}

async function failureOf(answer: Response): Promise<Error> {
  const body = (await answer.json().catch(() => ({}))) as { error?: string };
  return new Error(`Status ${answer.status}: ${body.error ?? answer.statusText}`);
}

function connectionError(error: Error): Error {
  const cause = error.cause instanceof Error ? error.cause.message : '';
  return new Error(cause || error.message, { cause: error });
}

/** What Retry-After says, else doubling, with some chance in it so that parallel uploads do not come back together. */
function waitMs(attempt: number, answer: Response | Error): number {
  const seconds = answer instanceof Response ? Number(answer.headers.get('Retry-After') ?? Number.NaN) : Number.NaN;
  const wait = Number.isFinite(seconds) ? seconds * 1000 : backoffMs(attempt, FIRST_WAIT_MS);
  return Math.min(wait, LONGEST_WAIT_MS);
}

// Requests of the page to the service, and the sentences of their failures.
import { retryAfterMs } from '../../../util/retry.ts';
import { texts } from '../texts.ts';

/** Longest wait for a response. */
const TIMEOUT_MS = 30_000;

/** A failure with a sentence for the user. */
export class RequestError extends Error {
  /** Status of the response; null without one. */
  readonly status: number | null;
  /** Milliseconds after which the service asks to be called again, or null. */
  readonly retryAfterMs: number | null;

  constructor(sentence: string, status: number | null = null, retryAfterMs: number | null = null) {
    super(sentence);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return this.status === null || this.status === 429 || this.status >= 500;
  }
}

/** The sentence of a failure for the user. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RequestError) return error.message;
  console.error(error);
  return texts.failures.internal;
}

/** A failure of the connection, before the response or in its body. */
function connectionError(error: unknown): RequestError {
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  return new RequestError(isLate ? texts.failures.late : texts.failures.offline);
}

async function respond(path: string, init: RequestInit, timeoutMs: number): Promise<Response> {
  const signals = [AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])];
  try {
    return await fetch(path, { ...init, signal: AbortSignal.any(signals) });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw connectionError(error);
  }
}

interface JsonResponse<T> {
  readonly body: T;
  readonly headers: Headers;
}

/**
 * The response to a request.
 * @throws RequestError with the sentence of the service, or one about the connection
 */
export async function requestResponse(path: string, init: RequestInit = {}, timeoutMs = TIMEOUT_MS): Promise<Response> {
  const response = await respond(path, init, timeoutMs);
  if (response.ok) return response;
  const body = (await response.json().catch(() => ({}))) as { error?: string };
  const waitMs = retryAfterMs(response.headers.get('Retry-After'), Date.now());
  throw new RequestError(body.error ?? texts.failures.status(response.status), response.status, waitMs);
}

/**
 * The JSON of a response of status 2xx, which may report an error.
 * @throws RequestError as `requestResponse`, also for a body that breaks off
 */
export async function requestBody<T>(path: string, init: RequestInit = {}, timeoutMs?: number): Promise<JsonResponse<T>> {
  const response = await requestResponse(path, init, timeoutMs);
  try {
    return { body: (await response.json()) as T, headers: response.headers };
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw connectionError(error);
  }
}

/**
 * The JSON of a response, and its headers.
 * @throws RequestError as `requestResponse`; also for a body of status 200 that reports an error
 */
export async function requestJson<T>(path: string, init?: RequestInit, timeoutMs?: number): Promise<JsonResponse<T>> {
  const answer = await requestBody<T & { error?: string }>(path, init, timeoutMs);
  const { body } = answer;
  if (body && typeof body === 'object' && typeof body.error === 'string') throw new RequestError(body.error, 200);
  return answer;
}

/** A query with readable brackets. */
export function queryOf(values: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        `${name}=${encodeURIComponent(value).replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%2C', ',').replaceAll('%3A', ':')}`,
    )
    .join('&');
}

// Requests of the page to the service, and the sentences of their failures.
import { texts } from '../texts.ts';

/** Longest wait for a response. */
const TIMEOUT_MS = 30_000;

/** A failure with a sentence for the user. */
export class RequestError extends Error {}

async function respond(path: string, init: RequestInit, timeoutMs: number): Promise<Response> {
  const signals = [AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])];
  try {
    return await fetch(path, { ...init, signal: AbortSignal.any(signals) });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    throw new RequestError(isLate ? texts.failures.late : texts.failures.offline);
  }
}

export interface JsonResponse<T> {
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
  throw new RequestError(body.error ?? texts.failures.status(response.status));
}

/**
 * The JSON of a response, and its headers.
 * @throws RequestError as `requestResponse`; also for a body of status 200 that reports an error
 */
export async function requestJson<T>(path: string, init?: RequestInit, timeoutMs?: number): Promise<JsonResponse<T>> {
  const response = await requestResponse(path, init, timeoutMs);
  const body = (await response.json()) as T & { error?: string };
  if (body && typeof body === 'object' && typeof body.error === 'string') throw new RequestError(body.error);
  return { body, headers: response.headers };
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

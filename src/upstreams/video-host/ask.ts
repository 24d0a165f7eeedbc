// Requests of the video host: never without a deadline, never more of an answer than is needed, never to where an answer leads.
import { SHARING } from '../../config/limits/sharing.ts';
import { VideoHostError } from '../../domain/sharing/host-error.ts';
import { responseBody } from '../http/bounded-fetch.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * The whole answer, whatever its status.
 * @throws VideoHostError `unavailable` when there is none in time, or one that is too long
 */
export async function ask(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  deadlineMs: number = SHARING.responseMs,
): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const body = await responseBody(response, new URL(url), { signal, maxBytes: SHARING.responseBytes });
    return new Response(body.length > 0 ? body : null, { status: response.status, headers: response.headers });
  } catch {
    throw new VideoHostError('unavailable');
  }
}

/** JSON of an answer; null where it is none. */
export async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

// Requests to the video host, with a timeout and a byte limit. Redirects are not followed.
import { SHARING } from '../../config/limits/sharing.ts';
import { VideoHostError } from '../../domain/sharing/host-error.ts';
import { responseBody } from '../http/bounded-fetch.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * The complete response, with any status.
 * @throws VideoHostError `unavailable` without a response within the timeout, and for one over the byte limit
 */
export async function hostRequest(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  timeoutMs: number = SHARING.responseMs,
): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const body = await responseBody(response, new URL(url), { signal, maxBytes: SHARING.responseBytes });
    return new Response(body.length > 0 ? body : null, { status: response.status, headers: response.headers });
  } catch {
    throw new VideoHostError('unavailable');
  }
}

/** The JSON body of a response; null for other formats. */
export async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

// Requests of the video host: never without a deadline, never more of an answer than is needed, never to where an answer leads.
import { SHARING } from '../../config/sharing.ts';
import { VideoHostError } from '../../domain/sharing/host-error.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

async function boundedBody(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new VideoHostError('unavailable');
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}

/**
 * The whole answer, whatever its status.
 * @throws VideoHostError `unavailable` when there is none in time, or one that is too long
 */
export async function ask(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  deadlineMs: number = SHARING.answerMs,
): Promise<Response> {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(deadlineMs) });
    const body = await boundedBody(response, SHARING.answerBytes);
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

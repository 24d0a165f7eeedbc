// Asks a configured host for a document: never for longer, never more of it and never of another host than was said.
import { boundedBody } from '../../util/bounded-body.ts';
import { UpstreamError } from './upstream-error.ts';

export interface FetchBounds {
  /** Ends everything: the connection, the headers and the body. */
  readonly signal: AbortSignal;
  /** Bytes of the body, decompressed. */
  readonly maxBytes: number;
  /** How often the host may send us to another address of its own. */
  readonly redirects: number;
  /** Media types that are asked for. */
  readonly accept: string;
}

const USER_AGENT = 'helioedge';
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const TOO_MANY_REQUESTS = 429;

/** True for a change of path, or from http to https, on one host. */
function staysHere(from: URL, to: URL): boolean {
  const isSafe = to.protocol === from.protocol || (from.protocol === 'http:' && to.protocol === 'https:');
  const samePort = to.port === from.port || to.protocol !== from.protocol;
  return isSafe && samePort && to.hostname === from.hostname && to.username === '' && to.password === '';
}

async function answerOf(url: URL, { signal, accept, redirects }: FetchBounds): Promise<Response> {
  for (let [at, left] = [url, redirects]; ; left -= 1) {
    const answer = await fetch(at, { signal, redirect: 'manual', headers: { Accept: accept, 'User-Agent': USER_AGENT } });
    if (!REDIRECTS.includes(answer.status)) return answer;
    await answer.body?.cancel();
    const target = URL.parse(answer.headers.get('Location') ?? '', at.href);
    if (!target || !staysHere(at, target)) {
      throw new UpstreamError(`Expected an answer of ${url.host}, got sent elsewhere.`, { mayPass: false });
    }
    if (left <= 0)
      throw new UpstreamError(`Expected at most ${redirects} redirects of ${url.host}, got more.`, { mayPass: false });
    at = target;
  }
}

/** @throws UpstreamError for too many bytes; the reason of the signal, or the error of the stream */
export async function responseBody(
  response: Response,
  url: URL,
  { signal, maxBytes }: Pick<FetchBounds, 'signal' | 'maxBytes'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await boundedBody(response.body, { maxBytes, signal });
  if (bytes) return bytes;
  throw new UpstreamError(`Expected at most ${maxBytes} bytes of ${url.host}, got more.`, { mayPass: false });
}

/**
 * The body of a 200 answer.
 * @throws UpstreamError for another status, another host, too many bytes, and when nothing or only a part comes in time
 */
export async function boundedFetch(url: URL, bounds: FetchBounds): Promise<Uint8Array> {
  try {
    const answer = await answerOf(url, bounds);
    if (answer.status !== 200) {
      await answer.body?.cancel();
      const mayPass = answer.status >= 500 || answer.status === TOO_MANY_REQUESTS;
      throw new UpstreamError(`Expected status 200 of ${url.host}, got ${answer.status}.`, { mayPass });
    }
    return await responseBody(answer, url, bounds);
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
    throw new UpstreamError(`Expected a whole answer of ${url.host} in time, got none.`, { mayPass: true, cause: error });
  }
}

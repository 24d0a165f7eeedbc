// Credentials of a request: bearer tokens (RFC 6750), session cookies and the origin of the page that sent it.
import { timingSafeEqual } from 'hono/utils/buffer';
import { clientOf, limitRate, type RateLimitBinding, tokenClient } from '../admission/rate-limit.ts';
import { Failure } from '../util/errors.ts';

export interface NamedToken {
  readonly name: string;
  readonly token: string;
}

interface Refusing {
  /** Names the token in the sentence. */
  readonly what: string;
  /** Counts the requests with a wrong token, or none, for their client. */
  readonly requestLimiter: RateLimitBinding;
}

/** The holder whose token a request has, if any. Compares it with every token in constant time. */
async function holderOf<Holder extends NamedToken>(headers: Headers, tokens: readonly Holder[]): Promise<Holder | undefined> {
  const given = headers.get('Authorization')?.replace(/^bearer /i, 'Bearer ') ?? '';
  const matches = await Promise.all(tokens.map(({ token }) => timingSafeEqual(given, `Bearer ${token}`)));
  return tokens.find((_, i) => matches[i]);
}

/** The client of a request with a token, or else by its address. An unknown token is none. */
export async function identifiedClient(headers: Headers, tokens: readonly NamedToken[]): Promise<string | null> {
  const holder = await holderOf(headers, tokens);
  return holder ? tokenClient(holder.name) : clientOf(headers);
}

/** The holder whose token the header `Bearer <token>` has. @throws Failure `bad-token`, or `rate-limited` for too many of them */
export async function tokenHolder<Holder extends NamedToken>(
  headers: Headers,
  tokens: readonly Holder[],
  { what, requestLimiter }: Refusing,
): Promise<Holder> {
  const holder = await holderOf(headers, tokens);
  if (holder) return holder;
  await limitRate(requestLimiter, headers);
  throw new Failure('bad-token', `The ${what} is missing or wrong.`);
}

const TOKEN = /^[A-Za-z0-9_-]{16,128}$/;

/** Whether browsers reach the origin by HTTPS only; a local service may use HTTP. */
function needsHttps(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || !['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}

/** The prefix `__Host-` prevents parent and sibling domains from setting the cookie. */
const cookieName = (name: string, origin: string): string => (needsHttps(origin) ? `__Host-${name}` : name);

/** The session token of a request; null if it is missing or malformed. */
export function sessionToken(headers: Headers, name: string, origin: string): string | null {
  const prefix = `${cookieName(name, origin)}=`;
  const pairs = (headers.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
  return value !== undefined && TOKEN.test(value) ? value : null;
}

/** Value of Set-Cookie: inaccessible to scripts, and not sent with subrequests of other sites. */
export function sessionCookie(name: string, token: string, { origin, lifeMs }: { origin: string; lifeMs: number }): string {
  const secure = needsHttps(origin) ? '; Secure' : '';
  const life = Math.floor(lifeMs / 1000);
  return `${cookieName(name, origin)}=${token}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Whether a script or a form of our own pages sent the request, so that it may act for its user.
 *
 * Browsers state this in Sec-Fetch-Site, which pages cannot set and which stays `cross-site` through redirects. Links, images and
 * scripts of our own pages are rejected, because their URLs may come from elsewhere: a fetch has the destination `empty`, and a
 * form that is not sent by GET has an Origin. Browsers without Sec-Fetch-Site must send our Origin.
 */
export function isFromOwnPage(headers: Headers, origin: string): boolean {
  const site = headers.get('Sec-Fetch-Site');
  if (site === null) return headers.get('Origin') === origin;
  return site === 'same-origin' && (headers.get('Sec-Fetch-Dest') === 'empty' || headers.has('Origin'));
}

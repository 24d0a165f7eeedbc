// Credentials of a request: bearer tokens (RFC 6750), session cookies, and whether a page of this service sent it.
import { Failure } from '../domain/errors.ts';
import { sha256 } from '../util/digest.ts';

/** Whether the header is `Bearer <token>`; false for a null token. Compares all bytes of digests, so that timing reveals nothing. */
async function bearsToken(authorization: string | undefined, token: string | null): Promise<boolean> {
  const given = await sha256(authorization?.replace(/^bearer /i, 'Bearer ') ?? '');
  const expected = await sha256(`Bearer ${token}`);
  const difference = expected.reduce((sum, byte, i) => sum | (byte ^ given[i]!), 0);
  return token !== null && difference === 0;
}

/** @throws Failure `bad-token` unless the header is `Bearer <token>`; `what` names the token in the sentence */
export async function checkToken(authorization: string | undefined, token: string | null, what: string): Promise<void> {
  if (await bearsToken(authorization, token)) return;
  throw new Failure('bad-token', `Expected ${what} for Authorization, got another or none.`);
}

const TOKEN = /^[A-Za-z0-9_-]{16,128}$/;

/** True where the browser lets no other way to us: only this machine may be asked without encryption. */
function needsHttps(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || !['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}

/** With `__Host-` browsers keep it from the hosts above and beside ours: none of them can set it. */
function cookieName(name: string, origin: string): string {
  return needsHttps(origin) ? `__Host-${name}` : name;
}

/** The session token that a request has; null for none, and for what cannot be one of ours. */
export function sessionToken(headers: Headers, name: string, origin: string): string | null {
  const prefix = `${cookieName(name, origin)}=`;
  const pairs = (headers.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
  return value !== undefined && TOKEN.test(value) ? value : null;
}

/** Value of Set-Cookie: out of reach of scripts, and not sent with what other sites embed. */
export function sessionCookie(name: string, token: string, { origin, lifeMs }: { origin: string; lifeMs: number }): string {
  const secure = needsHttps(origin) ? '; Secure' : '';
  const life = Math.floor(lifeMs / 1000);
  return `${cookieName(name, origin)}=${token}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Whether a script or a form of one of our own pages made the request, so that it may act for its user. Browsers say so in
 * Sec-Fetch-Site, which no page can set and which stays `cross-site` through redirects; links, pictures and scripts in our own
 * pages do not count, since what they name may come from elsewhere. Only requests that are not GET navigations have an Origin.
 * Browsers without Sec-Fetch-Site have to show ours there.
 */
export function isFromOwnPage(headers: Headers, origin: string): boolean {
  const site = headers.get('Sec-Fetch-Site');
  if (site === null) return headers.get('Origin') === origin;
  return site === 'same-origin' && (headers.get('Sec-Fetch-Dest') === 'empty' || headers.has('Origin'));
}

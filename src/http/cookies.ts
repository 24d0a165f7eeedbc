// A cookie that names a browser session.

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

// The page for people at an address where nothing is; programs get JSON.
import { NO_STORE } from '../../platform/http/cache-policy.ts';
import { htmlReply } from '../../platform/http/html.ts';
import type { Representation } from '../../platform/http/response.ts';
import { shown } from '../../platform/util/errors.ts';
import { escapeHtml } from '../../platform/util/markup.ts';

/** Whether a browser accepts a page: programs accept anything, or JSON. */
export function acceptsPage(headers: Headers): boolean {
  const accepted = headers.get('Accept') ?? '';
  return /\btext\/html\b/.test(accepted) && !/\bapplication\/json\b/.test(accepted);
}

/** Whether a browser asks for a page. */
export function wantsPage({ method, headers }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && acceptsPage(headers);
}

export function notFoundPage({ pathname }: URL): Promise<Representation> {
  const body = `<p>Nothing is served at ${escapeHtml(shown(pathname))}.</p>
<p><a href="/">See the Sun</a>, or read the <a href="/docs/">description of the API</a>.</p>`;
  return htmlReply({ title: 'There is nothing here', body }, { policy: NO_STORE, status: 404 });
}

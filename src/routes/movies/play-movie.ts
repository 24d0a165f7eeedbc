// The page that plays a movie, which other sites may embed.

import { SERVICE_NAME } from '../../config/identity.ts';
import { MOVIE_PAGE_REFRESH_SECONDS } from '../../config/limits/movies.ts';
import { NO_STORE } from '../../http/cache-policy.ts';
import { type Page, type PagePolicy, pageReply } from '../../http/html.ts';
import type { BytesRepresentation } from '../../http/representation.ts';
import { escapeHtml as escaped } from '../../util/markup.ts';

const STYLE =
  'html,body{margin:0;height:100%;background:#000;color:#ccc;font:16px/1.5 sans-serif}' +
  'video{display:block;max-width:100%;max-height:100%;margin:auto}p{margin:0;padding:2em;text-align:center}';

const ICON = '<link rel="icon" href="/explorer/icon.svg">\n';

/** Loads videos and images of this service only; every site may frame the page. */
const POLICY: PagePolicy = { loads: ["media-src 'self'", "img-src 'self'"], formAction: "'none'", frameAncestors: '*' };

function page(title: string, body: string): Page {
  return { title: `${SERVICE_NAME} - ${title}`, style: STYLE, head: ICON, body, policy: POLICY };
}

const sentencePage = (title: string, sentence: string) => page(title, `<p>${escaped(sentence)}</p>`);

export interface PlayedMovie {
  readonly title: string;
  /** Pixels of the player. */
  readonly width: number;
  readonly height: number;
  /** Path of the image shown before the movie starts. */
  readonly poster: string;
  /** Alternative files; the browser plays the first that it supports. */
  readonly sources: readonly { readonly path: string; readonly type: string }[];
}

export function playerPage({ title, width, height, poster, sources }: PlayedMovie): Promise<BytesRepresentation> {
  const lines = sources.map(({ path, type }) => `<source src="${escaped(path)}" type="${escaped(type)}">`);
  const attributes = `controls preload="metadata" width="${width}" height="${height}" poster="${escaped(poster)}"`;
  return pageReply(page(title, `<video ${attributes}>\n${lines.join('\n')}\n</video>`), { policy: NO_STORE });
}

/** Page of an unfinished movie, with status 202; it reloads itself. */
export function waitingPage(title: string, sentence: string): Promise<BytesRepresentation> {
  const waiting = { ...sentencePage(title, sentence), refreshSeconds: MOVIE_PAGE_REFRESH_SECONDS };
  const headers = { 'Retry-After': String(MOVIE_PAGE_REFRESH_SECONDS) };
  return pageReply(waiting, { policy: NO_STORE, headers, status: 202 });
}

/** Page of a failure, by default with status 409 for a movie that could not be built. */
export function failedPage(title: string, sentence: string, status = 409): Promise<BytesRepresentation> {
  return pageReply(sentencePage(title, sentence), { policy: NO_STORE, status });
}

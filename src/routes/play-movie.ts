// The page that plays a movie, made to stand in pages of others.
import { createHash } from 'node:crypto';
import { MOVIE_PAGE_REFRESH_SECONDS } from '../config/movies.ts';
import { SERVICE_NAME } from '../config.ts';
import { NO_STORE } from '../http/cache-policy.ts';
import { escapeHtml as escaped } from '../http/html.ts';
import { type BytesRepresentation, textReply } from '../http/representation.ts';

const HTML_TYPE = 'text/html; charset=utf-8';

const STYLE =
  'html,body{margin:0;height:100%;background:#000;color:#ccc;font:16px/1.5 sans-serif}' +
  'video{display:block;max-width:100%;max-height:100%;margin:auto}p{margin:0;padding:2em;text-align:center}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** No scripts; videos and pictures of this service alone; in frames of any page. */
const POLICY =
  `default-src 'none'; media-src 'self'; img-src 'self'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; ` +
  "form-action 'none'; frame-ancestors *";

function page(title: string, head: string, body: string): string {
  return (
    `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n${head}` +
    '<meta name="viewport" content="width=device-width">\n<link rel="icon" href="/explorer/icon.svg">\n' +
    `<title>${escaped(`${SERVICE_NAME} - ${title}`)}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n${body}\n</body>\n</html>\n`
  );
}

function htmlReply(html: string, headers: Readonly<Record<string, string>> = {}): Promise<BytesRepresentation> {
  return textReply(HTML_TYPE, html, { policy: NO_STORE, headers: { ...headers, 'Content-Security-Policy': POLICY } });
}

export interface PlayedMovie {
  readonly title: string;
  /** Pixels of the player. */
  readonly width: number;
  readonly height: number;
  /** Path of the picture that is shown before the movie starts. */
  readonly poster: string;
  /** Files of which the browser plays the first that it can. */
  readonly sources: readonly { readonly path: string; readonly type: string }[];
}

export function playerPage({ title, width, height, poster, sources }: PlayedMovie): Promise<BytesRepresentation> {
  const lines = sources.map(({ path, type }) => `<source src="${escaped(path)}" type="${escaped(type)}">`);
  const attributes = `controls preload="metadata" width="${width}" height="${height}" poster="${escaped(poster)}"`;
  return htmlReply(page(title, '', `<video ${attributes}>\n${lines.join('\n')}\n</video>`));
}

/** Says that there is nothing to play yet, status 202, and asks again by itself. */
export async function waitingPage(title: string, sentence: string): Promise<BytesRepresentation> {
  const refresh = `<meta http-equiv="refresh" content="${MOVIE_PAGE_REFRESH_SECONDS}">\n`;
  const headers = { 'Retry-After': String(MOVIE_PAGE_REFRESH_SECONDS) };
  return { ...(await htmlReply(page(title, refresh, `<p>${escaped(sentence)}</p>`), headers)), status: 202 };
}

/** Says that there never will be, status 409. */
export async function failedPage(title: string, sentence: string): Promise<BytesRepresentation> {
  return { ...(await htmlReply(page(title, '', `<p>${escaped(sentence)}</p>`))), status: 409 };
}

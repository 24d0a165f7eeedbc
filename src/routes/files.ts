// Documents and files with a path of their own, outside the operations.
import { tryDecodeURIComponent } from 'hono/utils/url';
import { CATALOGUE } from '../http/cache-policy.ts';
import { type Representation, redirectReply } from '../http/response.ts';
import { outlineFile } from './events/outline-file.ts';
import { embeddedPage, oembed } from './explorer/embed.ts';
import { robotsFile, sitemapFile } from './explorer/site-files.ts';
import { archivedFile } from './images/jp2.ts';
import { namedJpx } from './jpx/jpx-files.ts';
import { movieFile } from './movies/movie-files.ts';
import { healthPage, OPENAPI_PATH, openApiPage } from './pages.ts';
import type { Context } from './services.ts';
import { sharedView } from './sharing/client-state.ts';

interface FileRoute {
  readonly path: RegExp;
  /** Edge caching. `large`: files of any size; `with-query`: the query is part of the key. Unset: requests do not pass the edge cache. */
  readonly edge?: 'whole' | 'large' | 'with-query';
  /** `name`: the group of the path. */
  respond(context: Context, path: string, name: string): Promise<Representation>;
}

const FILES: readonly FileRoute[] = [
  { path: /^\/health$/, respond: ({ services }) => healthPage(services) },
  { path: new RegExp(`^${OPENAPI_PATH}$`), edge: 'whole', respond: openApiPage },
  // Pages of the original service, in the menu of the official web client.
  { path: /^\/docs\/v[12]$/, respond: () => redirectReply('/docs/', { policy: CATALOGUE }) },
  { path: /^\/statistics(\/|$)/, respond: () => redirectReply('/status', { policy: CATALOGUE }) },
  { path: /^\/robots\.txt$/, respond: robotsFile },
  { path: /^\/sitemap\.xml$/, respond: sitemapFile },
  { path: /^\/oembed$/, respond: oembed },
  { path: /^\/embed$/, respond: embeddedPage },
  { path: /^\/load\/([^/]+)$/, edge: 'with-query', respond: ({ url }, _, key) => sharedView(key, url) },
  { path: /^(?:\/jp2)?\/movies\/([^/]+\.jpx)$/, edge: 'large', respond: (context, _, name) => namedJpx(name, context) },
  { path: /^\/jp2\/(.+\.jp2)$/, edge: 'whole', respond: (context, _, name) => archivedFile(name, context) },
  { path: /^\/cache\/movies\/.+\.png$/, edge: 'whole', respond: (context, path) => movieFile(path, context) },
  { path: /^\/cache\/movies(\/|$)/, edge: 'large', respond: (context, path) => movieFile(path, context) },
  { path: /^\/cache\/events(\/|$)/, edge: 'whole', respond: (context, path) => outlineFile(path.slice(1), context) },
];

/** The file at a path of `routedPath`; null where an operation or nothing is. */
export function fileAt(path: string) {
  for (const { path: pattern, edge, respond } of FILES) {
    const match = pattern.exec(path);
    if (match) return { edge, respond: (context: Context) => respond(context, path, tryDecodeURIComponent(match[1] ?? '')) };
  }
  return null;
}

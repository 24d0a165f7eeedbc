// Documents and files with a path of their own, outside the operations.

import { tryDecodeURIComponent } from 'hono/utils/url';
import { Failure } from '../domain/errors.ts';
import { parseOutlinePath } from '../domain/events/outline-path.ts';
import { MEDIA_TYPES } from '../domain/media-types.ts';
import { CATALOGUE, DRAWN } from '../http/cache-policy.ts';
import type { CacheableResource, PathGroups, Place, Resource } from '../http/resource.ts';
import { bytesReply, type Representation, redirectReply } from '../http/response.ts';
import { eventsApiResources } from './events/events-api.ts';
import { eventsApiReports } from './events/events-api-reports.ts';
import { apiCatalog, llmsFile, robotsFile, sitemapFile } from './explorer/descriptions.ts';
import { cacheableOembed, embeddedPage, oembed } from './explorer/embed.ts';
import { cacheableView } from './explorer/page.ts';
import { eventFeed, imageFeed } from './feeds.ts';
import { hapiResources } from './hapi/hapi.ts';
import { iiifImageResources } from './iiif/image.ts';
import { dayManifest } from './iiif/manifest.ts';
import { archiveFolderPage } from './images/archive-folder.ts';
import { archivedFile } from './images/jp2.ts';
import { namedJpx } from './jpx/jpx-files.ts';
import { movieFile } from './movies/movie-files.ts';
import { moviePage } from './movies/movie-page.ts';
import { OPENAPI_PATH } from './operations.ts';
import { healthPage, openApiPage } from './pages.ts';
import { mapCapabilities, mapTile, mapTileJson } from './rendering/map-tiles.ts';
import { pyramidDescription, pyramidTile } from './rendering/tile-pyramid.ts';
import { wmtsCapabilities } from './rendering/wmts.ts';
import type { Context, Services } from './services.ts';
import { sharedView } from './sharing/client-state.ts';
import { stacResources } from './stac/stac.ts';
import { zarrStore } from './zarr/zarr.ts';

interface Route {
  readonly path: RegExp;
  /** `large`: files of any size; `with-query`: keyed by the query too; `folder`: ends in a slash; `each`: with a key of its own. Unset: none. */
  readonly edge?: 'whole' | 'large' | 'with-query' | 'folder' | 'each';
  /** As in `Resource`, in place of `edge`, for an address with a canonical form of its own. */
  cacheable?(url: URL, groups: PathGroups): CacheableResource | null;
  /** Unset: GET and HEAD alone. */
  readonly takesPost?: boolean;
  respond(context: Context, place: Place): Promise<Representation>;
}

/** Documents and files, of which the first whose pattern matches has the path. */
export const FILES: readonly Route[] = [
  { path: /^\/health$/, edge: 'each', respond: healthPage },
  { path: new RegExp(`^${OPENAPI_PATH}$`), edge: 'whole', respond: openApiPage },
  // Pages of the original service, in the menu of the official web client.
  { path: /^\/docs\/v[12]$/, respond: () => redirectReply('/docs/', { policy: CATALOGUE }) },
  { path: /^\/statistics(\/|$)/, respond: () => redirectReply('/status', { policy: CATALOGUE }) },
  { path: /^\/robots\.txt$/, respond: robotsFile },
  { path: /^\/sitemap\.xml$/, respond: sitemapFile },
  { path: /^\/llms\.txt$/, edge: 'whole', respond: llmsFile },
  { path: /^\/\.well-known\/api-catalog$/, edge: 'whole', respond: apiCatalog },
  { path: /^\/oembed$/, cacheable: cacheableOembed, respond: oembed },
  { path: /^\/embed$/, cacheable: (url) => cacheableView('/embed', url), respond: embeddedPage },
  { path: /^\/movie\/(?<id>[^/]+)$/, respond: (context, { groups }) => moviePage(groups.id!, context) },
  { path: /^\/load\/(?<key>[^/]+)$/, edge: 'with-query', respond: ({ url }, { groups }) => sharedView(groups.key!, url) },
  {
    path: /^(?:\/jp2)?\/movies\/(?<name>[^/]+\.jpx)$/,
    edge: 'large',
    respond: (context, { groups }) => namedJpx(groups.name!, context),
  },
  { path: /^\/jp2\/(?<name>.+\.jp2)$/, edge: 'whole', respond: (context, { groups }) => archivedFile(groups.name!, context) },
  {
    path: /^\/jp2(?:\/(?<folder>.+))?$/,
    edge: 'folder',
    respond: (context, { groups }) => archiveFolderPage(groups.folder ?? '', context),
  },
  { path: /^\/cache\/movies\/.+\.png$/, edge: 'whole', respond: (context, { path }) => movieFile(path, context) },
  { path: /^\/cache\/movies(\/|$)/, edge: 'large', respond: (context, { path }) => movieFile(path, context) },
  { path: /^\/cache\/events(\/|$)/, edge: 'whole', respond: (context, { path }) => outlineFile(path.slice(1), context) },
];

/** Addresses with parameters of their own. */
export const RESOURCES: readonly Resource<Services>[] = [
  // Before the tiles of images, which have other projections, and whose pattern fits capabilities too.
  mapCapabilities,
  mapTile,
  mapTileJson,
  wmtsCapabilities,
  pyramidTile,
  pyramidDescription,
  imageFeed,
  eventFeed,
  ...eventsApiResources,
  ...eventsApiReports,
  ...hapiResources,
  ...stacResources,
  ...iiifImageResources,
  dayManifest,
  zarrStore,
];

const ROUTES: readonly Route[] = [...FILES, ...RESOURCES];

/** The route of a path of `routedPath` that is not of the API (`apiPath`), with the parameters in the path; null where nothing is. */
export function fileAt(path: string): { readonly route: Route; readonly groups: PathGroups } | null {
  for (const route of ROUTES) {
    const match = route.path.exec(path);
    if (!match) continue;
    const given = Object.entries(match.groups ?? {}).filter(([, text]) => text !== undefined);
    return { route, groups: Object.fromEntries(given.map(([name, text]) => [name, tryDecodeURIComponent(text)])) };
  }
  return null;
}

/** The picture at a path, without its first slash, which says what is drawn. @throws Failure `unknown-path` for a path that no record has */
async function outlineFile(path: string, context: Context): Promise<Representation> {
  const shape = parseOutlinePath(path);
  if (!shape) throw new Failure('unknown-path', 'No outline of an event has this URL.');
  return bytesReply(MEDIA_TYPES.png, await context.services.outlinePictures.png(shape, context), DRAWN);
}

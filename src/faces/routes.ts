// The table of routes, in which the gateway and the service look a request up.
import { outlinePicture } from '../events/outline-pictures.ts';
import { parseOutlinePath } from '../events/records/outline-path.ts';
import { movieWorkerRoutes } from '../movies/worker-routes.ts';
import { operatorRoutes, statusRoutes } from '../operator/index.ts';
import { operationsRoute } from '../platform/http/operation.ts';
import { type Found, type Keyed, nothingAt, READING, type Route, routesBy } from '../platform/http/request.ts';
import { bytesReply, CATALOGUE, DRAWN, MEDIA_TYPES, type Representation, redirectReply } from '../platform/http/response.ts';
import { Failure } from '../platform/util/errors.ts';
import { eventsApiResources } from './events/events-api.ts';
import { eventFeed, imageFeed } from './feeds.ts';
import { hapiResources } from './hapi/hapi.ts';
import { dayManifest, iiifImageResources } from './iiif/image.ts';
import { archivedFile, archiveFolderPage } from './images/jp2.ts';
import { jpipRoute } from './jpip/jpip.ts';
import { namedJpx } from './jpx/jpx.ts';
import { MCP_PATH } from './mcp/tools.ts';
import { movieFile } from './movies/movie-files.ts';
import { moviePage } from './movies/movie-page.ts';
import { OPENAPI_PATH, operations } from './operations.ts';
import { apiCatalog, llmsFile, robotsFile, sitemapFile } from './page/descriptions.ts';
import { cacheableOembed, cacheableView, embeddedPage, explorerPage, oembed } from './page/page.ts';
import { healthPage, homePage, openApiPage } from './pages.ts';
import { mapCapabilities, mapTile, mapTileJson } from './pictures/map-tiles.ts';
import { pyramidDescription, pyramidTile } from './pictures/tile-pyramid.ts';
import { wmtsCapabilities } from './pictures/wmts.ts';
import type { Context } from './services.ts';
import { sharedView } from './sharing/client-state.ts';
import { stacResources } from './stac/stac.ts';
import { zarrStore } from './zarr/zarr.ts';

type ServiceRoute = Route<Context>;

/** Keys of files in the edge cache: by the path, of files of any size, and by the query too. */
const whole = ({ path }: Found): Keyed => ({ key: path, query: '', notices: [] });
const large = (found: Found): Keyed => ({ ...whole(found), isLarge: true });
const withQuery = ({ path, url }: Found, key = path + url.search): Keyed => ({ key, query: url.search, notices: [] });

/** Documents and files. */
const FILES: readonly Omit<ServiceRoute, 'kind'>[] = [
  { path: /^\/health$/, key: (found) => withQuery(found, `${found.path}?${crypto.randomUUID()}`), handle: healthPage },
  { path: new RegExp(`^${OPENAPI_PATH}$`), key: whole, handle: openApiPage },
  // Pages of the original service, in the menu of the official web client.
  { path: /^\/docs\/v[12]$/, handle: () => redirectReply('/docs/', { policy: CATALOGUE }) },
  { path: /^\/statistics(\/|$)/, handle: () => redirectReply('/status', { policy: CATALOGUE }) },
  { path: /^\/robots\.txt$/, handle: robotsFile },
  { path: /^\/sitemap\.xml$/, handle: sitemapFile },
  { path: /^\/llms\.txt$/, key: whole, handle: llmsFile },
  { path: /^\/\.well-known\/api-catalog$/, key: whole, handle: apiCatalog },
  { path: /^\/oembed$/, key: ({ url }) => cacheableOembed(url), handle: oembed },
  { path: /^\/embed$/, key: ({ url }) => cacheableView('/embed', url), handle: embeddedPage },
  { path: /^\/movie\/(?<id>[^/]+)$/, handle: (context, { groups }) => moviePage(groups.id!, context) },
  { path: /^\/load\/(?<key>[^/]+)$/, key: withQuery, handle: ({ url }, { groups }) => sharedView(groups.key!, url) },
  {
    path: /^(?:\/jp2)?\/movies\/(?<name>[^/]+)\.jpx$/,
    key: large,
    handle: (context, { groups }) => namedJpx(groups.name!, context),
  },
  { path: /^\/jp2\/(?<name>.+\.jp2)$/, key: whole, handle: (context, { groups }) => archivedFile(groups.name!, context) },
  {
    path: /^\/jp2(?:\/(?<folder>.+))?$/,
    key: (found) => (found.url.pathname.endsWith('/') ? whole(found) : null),
    handle: (context, { groups }) => archiveFolderPage(groups.folder ?? '', context),
  },
  { path: /^\/cache\/movies\/.+\.png$/, key: whole, handle: (context, { path }) => movieFile(path, context) },
  { path: /^\/cache\/movies(\/|$)/, key: large, handle: (context, { path }) => movieFile(path, context) },
  { path: /^\/cache\/events(\/|$)/, key: whole, handle: (context, { path }) => outlineFile(path.slice(1), context) },
];

/** Addresses with parameters of their own. */
const RESOURCES: readonly ServiceRoute[] = [
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
  ...hapiResources,
  ...stacResources,
  ...iiifImageResources,
  dayManifest,
  zarrStore,
];

/** The explorer at the root, and the list of operations where no pages are installed. */
const HOME = {
  key: ({ url }: Pick<Context, 'url'>) => cacheableView('/', url),
  async page(context: Context, { method, url }: Found) {
    const isPage = READING.includes(method) && !url.searchParams.has('action');
    return isPage ? explorerPage('/', context) : null;
  },
  list: homePage,
};

/** A request is for the first row that it fits. */
export const ROUTES: readonly ServiceRoute[] = [
  ...operatorRoutes,
  ...movieWorkerRoutes,
  jpipRoute,
  operationsRoute(operations, HOME),
  { kind: 'tools', path: new RegExp(`^${MCP_PATH}$`), handle: ({ url }) => Promise.reject(nothingAt(url)) },
  ...statusRoutes,
  ...FILES.map((file): ServiceRoute => ({ kind: 'file', methods: READING, ...file })),
  ...RESOURCES,
];

export const routeOf = routesBy(ROUTES);

/** The picture at a path, without its first slash, which says what is drawn. @throws Failure `unknown-path` for a path that no record has */
async function outlineFile(path: string, context: Context): Promise<Representation> {
  const shape = parseOutlinePath(path);
  if (!shape) throw new Failure('unknown-path', 'No outline of an event has this URL.');
  return bytesReply(MEDIA_TYPES.png, await outlinePicture(shape, context), DRAWN);
}

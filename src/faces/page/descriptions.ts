// Where programs find the descriptions of the service: `/robots.txt`, `/sitemap.xml`, `/.well-known/api-catalog` (RFC 9727), `/llms.txt`, and the Link header of the root.
import { CATALOGUE, type Representation, TEXT_TYPE, textReply, XML_TYPE } from '../../platform/http/response.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { escapeXml } from '../../platform/util/markup.ts';
import { MCP_PATH } from '../mcp/tools.ts';
import { DOCS_PATH, OPENAPI_PATH } from '../operations.ts';
import { type Context, documentReply, namingHost, serviceOrigin } from '../services.ts';

const CATALOG_PATH = '/.well-known/api-catalog';

/** Paths and media types. */
const OPENAPI = [OPENAPI_PATH, 'application/vnd.oai.openapi+json'] as const;
const DOCS = [DOCS_PATH, 'text/html'] as const;
const STATUS = ['/status', 'text/html'] as const;
const LLMS = ['/llms.txt', 'text/plain'] as const;
/** RFC 9727, section 4.2. */
const LINKSET_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** Link relations of the root (RFC 8631, RFC 9727). */
const RELATIONS = [
  ['api-catalog', CATALOG_PATH, 'application/linkset+json'],
  ['service-desc', ...OPENAPI],
  ['service-doc', ...DOCS],
  ['status', ...STATUS],
  ['describedby', ...LLMS],
] as const;

/** The Link header (RFC 8288) of the root of the service and of the list of its operations. */
export const LINKS: Readonly<Record<string, string>> = {
  Link: RELATIONS.map(([relation, path, type]) => `<${path}>; rel="${relation}"; type="${type}"`).join(', '),
};

/** The interfaces of the service and their descriptions, as a set of links (RFC 9264). */
export function apiCatalog(context: Context): Promise<Representation> {
  const origin = serviceOrigin(context);
  const linked = ([path, type]: readonly [string, string]) => [{ href: origin + path, type }];
  const json = (path: string) => linked([path, 'application/json']);
  const described = { 'service-doc': linked(DOCS), status: [...linked(STATUS), ...json('/health')] };
  const linkset = [
    { anchor: `${origin}/v2/`, 'service-desc': linked(OPENAPI), ...described },
    { anchor: `${origin}${MCP_PATH}`, 'service-doc': linked(LLMS) },
    { anchor: `${origin}/hapi`, 'service-desc': json('/hapi/capabilities'), 'service-doc': linked(['/hapi', 'text/html']) },
    ...['tiles', 'feeds', 'zarr', 'iiif/3'].map((path) => ({ anchor: `${origin}/${path}`, 'service-doc': linked(DOCS) })),
    { anchor: `${origin}/stac`, 'service-desc': json('/stac'), 'service-doc': linked(DOCS) },
  ];
  const headers = { Link: `<${CATALOG_PATH}>; rel="api-catalog"` };
  return documentReply(LINKSET_TYPE, { linkset }, { policy: CATALOGUE, headers }, context);
}

/** Description of the service for language models, in Markdown (llmstxt.org). */
export function llmsFile(context: Context): Promise<Representation> {
  const origin = serviceOrigin(context);
  const text = `# ${SERVICE_NAME}

> Images, movies and events of the Sun from many spacecraft and observatories, through the Helioviewer API and open standards. Times are UTC.

A datasource has a number (10 is AIA 171, 4 is LASCO C2, 18 is the HMI continuum, 19 its magnetogram) and an image an id. Responses are JSON unless
they are pictures. Errors are JSON with a sentence in \`error\` and the name at fault in \`parameter\`. Clients are limited by number and cost of requests (429 with Retry-After).

## Start here

- [Datasources](${origin}/v2/getDataSources/): numbers, names, and the times for which there are images
- [Image nearest to a time](${origin}/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z): its id, time and geometry
- [Picture of a time](${origin}/v2/takeScreenshot/?date=2024-05-10T12:00:00Z&layers=[10,1,100]&imageScale=4.84&x0=0&y0=0&width=512&height=512&display=true): PNG of up to five layers
- [Events at a time](${origin}/v2/events/?startTime=2024-05-10T07:00:00Z&format=flat): flares, ejections, active regions and others
- [Value at a place](${origin}/v2/getValue/?sourceId=10&date=2024-05-10T12:00:00Z&x=100&y=200): physical value with its interval, or the reason why there is none

## Descriptions

- [OpenAPI document](${origin}${OPENAPI_PATH}): every operation with parameters, responses and a working example
- [Documentation](${origin}${DOCS_PATH}): guides, and a form for every operation
- [API catalogue](${origin}${CATALOG_PATH}): the interfaces as a set of links

## Other interfaces

- Model Context Protocol at \`${origin}${MCP_PATH}\` (streamable HTTP, without a token): these operations as tools
- [TileJSON of AIA 171](${origin}/tiles/10.json): map tiles with {z}, {x} and {y}, in arcseconds as the observer saw them; [as WMTS](${origin}/tiles/10/1.0.0/WMTSCapabilities.xml)
- [Atom feed of AIA 171](${origin}/feeds/10.atom), [JSON Feed](${origin}/feeds/10.json): its newest images, and \`/feeds/events/FL.atom\` the newest flares
- [HAPI 3.2](${origin}/hapi/catalog): times, files and counts of images, light curves, events with measured values, and the X-ray flux as time series
- [IIIF](${origin}/iiif/manifests/10/2024-05-10.json): a day of images for viewers; each image as a service of regions, sizes and rotations
- [Zarr](${origin}/zarr/10/2024-05-10T11:30:00Z/2024-05-10T12:30:00Z/all/zarr.json): bytes and physical values of the images of a range of time as arrays
- [STAC 1.1](${origin}/stac): images as items of a catalogue, with search by source and time
- [Status](${origin}/health): what is late or failing
`;
  return textReply(TEXT_TYPE, text, { policy: namingHost(CATALOGUE, context) });
}

/** Layers of the pages that the sitemap lists: one for each preset of the explorer. */
const PAGES = ['', '[10,1,100]', '[9,1,100]', '[13,1,100]', '[19,1,100]', '[18,1,100]', '[13,1,100],[4,1,100],[5,1,100]'];

/** Crawlers may read the page and the pictures that it names, and leave out the other operations. */
export function robotsFile(context: Context): Promise<Representation> {
  const lines = [
    'User-agent: *',
    'Allow: /',
    'Allow: /v2/downloadImage/',
    'Allow: /v2/takeScreenshot/',
    'Allow: /v2/openapi.json',
    ...['v1', 'v2', 'admin', 'internal', 'tiles', 'hapi', 'stac', 'iiif', 'zarr'].map((path) => `Disallow: /${path}/`),
    '',
    `Sitemap: ${serviceOrigin(context)}/sitemap.xml`,
  ];
  return textReply(TEXT_TYPE, `${lines.join('\n')}\n`, { policy: CATALOGUE });
}

export function sitemapFile(context: Context): Promise<Representation> {
  const origin = serviceOrigin(context);
  // The sitemap protocol asks for URLs of RFC 3986, in which brackets are encoded.
  const queries = PAGES.map((layers) => (layers ? `?imageLayers=${encodeURI(layers)}` : ''));
  const urls = queries.map((query) => `<url><loc>${escapeXml(`${origin}/${query}`)}</loc></url>`);
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`;
  return textReply(XML_TYPE, text, { policy: CATALOGUE });
}

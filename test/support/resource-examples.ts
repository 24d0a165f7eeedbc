// Requests of the addresses outside the operations, over the archive of good-requests.ts: a template of the path, and a good value of each
// element of the path and the query.
import examples from '../../src/platform/http/openapi/examples.json' with { type: 'json' };

/** A region of images whose headers name their law. */
export const EXAMPLE_REGION = examples.requests.getLightCurve;

export interface ResourceExample {
  /** With the names of elements in braces. */
  readonly path: string;
  readonly elements: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Whether the query can be a JSON body. */
  readonly takesPost?: true;
  /** Unset: POST with a body, else GET. */
  readonly method?: 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Status of the response. Unset: 200. */
  readonly status?: number;
}

const IMAGE = '80010';
const DATE = '2024-05-10T12:00:00Z';
const UUID = '018f5fa0-a800-8abc-8def-0123456789ab';
const SECONDS = { from: '1715299200', to: '1715342400' };
const TILES = { date: DATE, colour: 'false', difference: '1', diffCount: '1', diffTime: '2', baseDiffTime: DATE };
const HAPI = {
  dataset: 'images_10',
  parameters: 'id,size',
  start: '2024-05-10T01:00:00Z',
  stop: '2024-05-10T02:00:00Z',
  include: 'header',
  format: 'csv',
};

/** Images with a law. */
const STORE = { sourceId: '10', startTime: EXAMPLE_REGION.startTime, endTime: EXAMPLE_REGION.endTime, cadence: 'all' };

export const ZARR_STORE = `/zarr/${Object.values(STORE).join('/')}/`;

/** Variables with which webhooks are taken. */
export const OPERATOR = { ADMIN_TOKEN: 'the-token-of-the-operator', SESSION_KEY: 'k'.repeat(32) };
export const WEBHOOKS_PATH = '/admin/webhooks';

/** `revision`: of the store at ZARR_STORE. */
export const resourceExamples = (revision: string): readonly ResourceExample[] => [
  {
    path: '/tiles/{tileset}/{z}/{x}/{y}.{type}',
    elements: { tileset: '10', z: '11', x: '1023', y: '1023', type: 'png' },
    query: TILES,
  },
  { path: '/tiles/{tileset}.json', elements: { tileset: '10' }, query: { ...TILES, type: 'webp' } },
  { path: '/tiles/{tileset}/1.0.0/WMTSCapabilities.xml', elements: { tileset: '10' }, query: { ...TILES, type: 'png' } },
  {
    path: '/tiles/{projection}/{tileset}/{z}/{x}/{y}.{type}',
    elements: { projection: 'unwrapped', tileset: '10', z: '8', x: '127', y: '127', type: 'png' },
    query: TILES,
  },
  {
    path: '/tiles/{projection}/{tileset}.json',
    elements: { projection: 'radial,0', tileset: '10' },
    query: { ...TILES, type: 'webp' },
  },
  {
    path: '/tiles/{projection}/{tileset}/1.0.0/WMTSCapabilities.xml',
    elements: { projection: 'polar,north', tileset: '10' },
    query: { ...TILES, type: 'png' },
  },
  {
    path: '/tiles/{projection}/{sources}/{z}/{x}/{y}.{type}',
    elements: { projection: 'carrington', sources: '10', z: '0', x: '0', y: '0', type: 'png' },
    // The images of the day before have places on the Sun.
    query: { date: '2024-05-11T12:00:00Z' },
  },
  {
    path: '/tiles/{projection}/{sources}.json',
    elements: { projection: 'cea', sources: '10' },
    query: { date: DATE, type: 'webp' },
  },
  {
    path: '/tiles/{projection}/{sources}/1.0.0/WMTSCapabilities.xml',
    elements: { projection: 'carrington', sources: '10' },
    query: { date: DATE, type: 'png' },
  },
  { path: '/feeds/{sourceId}.{format}', elements: { sourceId: '10', format: 'atom' }, query: {} },
  // There is no source of events.
  { path: '/feeds/events/{eventType}.{format}', elements: { eventType: 'FL', format: 'json' }, query: {}, status: 404 },
  { path: '/api/v1/events/{source}/observation/{time}', elements: { source: 'HEK', time: DATE }, query: {} },
  { path: '/helioviewer/events/{source}/observation/{time}', elements: { source: 'WSA', time: '1715342400' }, query: {} },
  { path: '/api/v1/events/recents', elements: {}, query: { limit: '10' } },
  { path: '/api/{version}/regions', elements: { version: 'v1' }, query: {} },
  { path: '/api/v1/regions/{organization}/{id}', elements: { organization: 'NOAA', id: '13664' }, query: {}, status: 404 },
  { path: '/api/{version}/stats', elements: { version: 'v1' }, query: {} },
  { path: '/api/{version}/failures', elements: { version: 'v1' }, query: {} },
  { path: '/api/v1/events/{uuid}', elements: { uuid: UUID }, query: {}, status: 404 },
  { path: '/api/v1/events/{uuid}/source', elements: { uuid: UUID }, query: {}, status: 404 },
  { path: '/helioviewer/events/from/{from}/to/{to}', elements: SECONDS, query: { paths: 'HEK>>Flare;WSA' }, takesPost: true },
  {
    path: '/helioviewer/distributions/size/{size}/from/{from}/to/{to}',
    elements: { ...SECONDS, size: 'h' },
    query: { paths: 'HEK>>Flare' },
    takesPost: true,
  },
  {
    path: '/helioviewer/events/frames_with_selections',
    elements: {},
    query: { timestamps: `${DATE};${DATE}`, selections: 'HEK>>Flare' },
    takesPost: true,
  },
  { path: '/hapi/jhelioviewer/info', elements: {}, query: { dataset: HAPI.dataset, parameters: 'id' } },
  { path: '/hapi/Helioviewer/hapi/info', elements: {}, query: { dataset: 'AIA_171', parameters: 'url' } },
  { path: '/hapi/Helioviewer/hapi/data', elements: {}, query: { ...HAPI, dataset: 'AIA_171', parameters: 'url,scale' } },
  { path: '/hapi/info', elements: {}, query: { dataset: HAPI.dataset, parameters: HAPI.parameters, resolve_references: 'true' } },
  { path: '/hapi/data', elements: {}, query: HAPI },
  {
    path: '/hapi/data',
    elements: {},
    query: { ...HAPI, dataset: 'event_list_FL', parameters: 'id,goes_class', format: 'json' },
    // No event is counted.
    status: 404,
  },
  {
    path: '/hapi/data',
    elements: {},
    query: { ...HAPI, dataset: 'lightcurve_10_0_0_500_500', parameters: 'mean', format: 'binary' },
  },
  { path: '/hapi/{endpoint}', elements: { endpoint: 'catalog' }, query: { depth: 'dataset' } },
  { path: '/stac/collections/{collection}', elements: { collection: 'source-10' }, query: {} },
  {
    path: '/stac/collections/{collection}/items',
    elements: { collection: 'source-10' },
    query: { datetime: `${DATE}/..`, limit: '3', token: `10,${DATE}` },
  },
  {
    path: '/stac/collections/{collection}/items/{item}',
    elements: { collection: 'source-10', item: `image-${IMAGE}` },
    query: {},
  },
  {
    path: '/stac/search',
    elements: {},
    query: { collections: 'source-10,source-13', ids: `image-${IMAGE}`, datetime: `../${DATE}`, limit: '3', token: `10,${DATE}` },
    takesPost: true,
  },
  { path: '/iiif/3/{identifier}/info.json', elements: { identifier: `image-${IMAGE}` }, query: {} },
  {
    path: '/iiif/3/{identifier}/{region}/{size}/{rotation}/{quality}.{format}',
    elements: {
      identifier: `image-${IMAGE}`,
      region: 'pct:10,20,30,40.5',
      size: '^!500,400',
      rotation: '!90',
      quality: 'gray',
      format: 'jpg',
    },
    query: {},
  },
  {
    path: '/zarr/{sourceId}/{startTime}/{endTime}/{cadence}/{key}',
    elements: { ...STORE, cadence: '3600', key: '.zmetadata' },
    query: {},
  },
  {
    path: '/zarr/{sourceId}/{startTime}/{endTime}/{cadence}/{revision}/{key}',
    elements: { ...STORE, revision, key: 'zarr.json' },
    query: {},
  },
  {
    path: '/zarr/{sourceId}/{startTime}/{endTime}/{cadence}/{revision}/{level}/{array}/{chunk}',
    elements: { ...STORE, revision, level: '0', array: 'values', chunk: '0.0.0' },
    query: {},
  },
  {
    path: '/zarr/{sourceId}/{startTime}/{endTime}/{cadence}/{revision}/{level}/{array}/c/{image}/{row}/{column}',
    elements: { ...STORE, revision, level: '0', array: 'bytes', image: '8', row: '0', column: '0' },
    query: {},
  },
  { path: '/iiif/manifests/{sourceId}/{date}.json', elements: { sourceId: '10', date: '2024-05-10' }, query: {} },
];

/** Requests of an operator about webhooks. A test of one is missing, because it sends a request to an address. */
export const WEBHOOK_EXAMPLES: readonly ResourceExample[] = [
  {
    path: WEBHOOKS_PATH,
    elements: {},
    query: {},
    body: { address: 'https://hooks.example.org/sun', sources: [10, 13], eventTypes: ['FL', 'CE'] },
    status: 201,
  },
  { path: WEBHOOKS_PATH, elements: {}, query: {} },
  { path: `${WEBHOOKS_PATH}/{id}`, elements: { id: '2' }, query: {}, method: 'DELETE', status: 404 },
  { path: `${WEBHOOKS_PATH}/{id}/resume`, elements: { id: '1' }, query: {}, body: {}, status: 409 },
].map((example) => ({ ...example, headers: { Authorization: `Bearer ${OPERATOR.ADMIN_TOKEN}` } }) as ResourceExample);

/** Method, headers and body of a request of the example. `body`: in place of its own. */
export const resourceInit = (
  { method, headers = {}, body }: ResourceExample,
  text: string | undefined = body && JSON.stringify(body),
): RequestInit => ({ headers: { ...headers }, method: method ?? (text === undefined ? 'GET' : 'POST'), body: text ?? null });

/** The path with these values of its elements. */
export const resourcePath = ({ path }: ResourceExample, elements: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent((elements[name] ?? '').toWellFormed()));

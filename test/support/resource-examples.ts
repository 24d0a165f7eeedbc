// Requests of the addresses outside the operations, over the archive of good-requests.ts: a template of the path, and a good value of each
// element of the path and the query.

export interface ResourceExample {
  /** With the names of elements in braces. */
  readonly path: string;
  readonly elements: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Whether the query can be a JSON body. */
  readonly takesPost?: true;
}

const IMAGE = '80010';
const DATE = '2024-05-10T12:00:00Z';
const TILES = { date: DATE, colour: 'false', difference: '1', diffCount: '1', diffTime: '2', baseDiffTime: DATE };
const HAPI = {
  dataset: 'images_10',
  parameters: 'id,size',
  start: '2024-05-10T01:00:00Z',
  stop: '2024-05-10T02:00:00Z',
  include: 'header',
  format: 'csv',
};

export const RESOURCE_EXAMPLES: readonly ResourceExample[] = [
  {
    path: '/tiles/{tileset}/{z}/{x}/{y}.{type}',
    elements: { tileset: '10', z: '11', x: '1023', y: '1023', type: 'png' },
    query: TILES,
  },
  { path: '/tiles/{tileset}.json', elements: { tileset: '10' }, query: { ...TILES, type: 'webp' } },
  { path: '/tiles/{tileset}/1.0.0/WMTSCapabilities.xml', elements: { tileset: '10' }, query: { ...TILES, type: 'png' } },
  { path: '/feeds/{sourceId}.{format}', elements: { sourceId: '10', format: 'atom' }, query: {} },
  { path: '/feeds/events/{eventType}.{format}', elements: { eventType: 'FL', format: 'json' }, query: {} },
  { path: '/hapi/jhelioviewer/info', elements: {}, query: { dataset: HAPI.dataset, parameters: 'id' } },
  { path: '/hapi/info', elements: {}, query: { dataset: HAPI.dataset, parameters: HAPI.parameters, resolve_references: 'true' } },
  { path: '/hapi/data', elements: {}, query: HAPI },
  { path: '/hapi/data', elements: {}, query: { ...HAPI, dataset: 'event_list_FL', parameters: 'id,goes_class', format: 'json' } },
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
    elements: { sourceId: '10', startTime: HAPI.start, endTime: DATE, cadence: '3600', key: '.zmetadata' },
    query: {},
  },
  {
    path: '/zarr/{sourceId}/{startTime}/{endTime}/{cadence}/{revision}/{level}/{array}/{chunk}',
    elements: {
      sourceId: '10',
      startTime: HAPI.start,
      endTime: DATE,
      cadence: 'all',
      revision: '0123456789abcdef',
      level: '0',
      array: 'values',
      chunk: '0.0.0',
    },
    query: {},
  },
  { path: '/iiif/manifests/{sourceId}/{date}.json', elements: { sourceId: '10', date: '2024-05-10' }, query: {} },
];

/** The path with these values of its elements. */
export const resourcePath = ({ path }: ResourceExample, elements: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent((elements[name] ?? '').toWellFormed()));

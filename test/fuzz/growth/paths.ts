// The addresses outside the operations as places that a client fills: elements of their paths, their parameters, and their whole query.
import { OUTLINE } from '../../../src/platform/limits/events.ts';
import { REQUEST_LIMITS } from '../../../src/platform/limits/http.ts';
import { resourceInit, resourcePath } from '../../support/resource-examples.ts';
import { QUERIES } from '../jpip.ts';
import { type Field, type HeaderValues, jsonFields, lengthsTo, ORIGIN, textField } from './field.ts';
import type { GrowthService } from './service.ts';

type Values = Readonly<Record<string, string>>;

/** An address of a file or a page, with good values. */
interface Address {
  /** With the names of elements in braces. */
  readonly path: string;
  readonly elements?: Values;
  readonly query?: Values;
  readonly headers?: HeaderValues;
  /** Characters of a text in the path that is read. Unset: no limit. */
  readonly characters?: number;
}

/** Addresses without elements. */
const FIXED = [
  ...'/ /embed /health /docs/v2 /v2/openapi.json /robots.txt /sitemap.xml /llms.txt /.well-known/api-catalog'.split(' '),
  ...'/hapi /hapi/capabilities /hapi/about /stac /stac/conformance /stac/collections'.split(' '),
  ...['/hapi/jhelioviewer', '/hapi/Helioviewer/hapi'].flatMap((hapi) =>
    ['', '/capabilities', '/about', '/catalog'].map((name) => hapi + name),
  ),
];

/** The addresses of files and pages, of JPIP and of the movie workers, one at which nothing is, and those of resources without an example. */
function addressesOf({ examples, image, worker, resources }: GrowthService): readonly Address[] {
  const movie = String(examples.get('getMovieStatus')!.id);
  const [jp2, jpx] = [image.path.replace(/\.jp2$/, ''), 'SDO_AIA_AIA_171_F2024-05-10T00.00.00Z_T2024-05-11T00.00.00Z'];
  const jpip = { cnew: 'http', type: 'jpp-stream', tid: '0', len: '512' };
  return [
    ...FIXED.map((path) => ({ path })),
    { path: '/statistics/{rest}', elements: { rest: 'bokeh/coverages/' } },
    { path: '/oembed', query: { url: `${ORIGIN}/?date=newest`, format: 'json', maxwidth: '640', maxheight: '480' } },
    { path: '/movie/{id}', elements: { id: movie } },
    { path: '/load/{key}', elements: { key: '0123abcd' }, query: { loadState: '0123abcd', date: '2024-05-10' } },
    { path: '/movies/{name}.jpx', elements: { name: jpx } },
    { path: '/jp2/movies/{name}.jpx', elements: { name: jpx } },
    { path: '/jp2/{file}.jp2', elements: { file: jp2 } },
    { path: '/jp2/{folder}/', elements: { folder: jp2.replace(/[^/]*$/, '') } },
    { path: '/cache/movies/{day}/{id}/{file}', elements: { day: '2024/05/10', id: movie, file: '2024_05_10_AIA_171.mp4' } },
    { path: '/cache/movies/{day}/{id}/{file}.png', elements: { day: '2024/05/10', id: movie, file: 'preview-small' } },
    {
      path: '/cache/events/1/{pin}/{rings}.png',
      elements: { pin: 'CH', rings: 'AAgBAAgBhBAA~AAgBAAgBhBAA' },
      characters: OUTLINE.characters,
    },
    { path: '/jpip/{file}.jp2', elements: { file: 'AIA/2024/05/10/171/a' }, query: jpip },
    { path: '/jpip/movies/{name}.jpx', elements: { name: jpx }, query: jpip },
    { path: '/internal/objects/{key}', elements: { key: `jp2/${image.path}` }, headers: worker },
    { path: '/{version}/{operation}/', elements: { version: 'v2', operation: 'getNewsFeed' } },
    { path: '/hapi/jhelioviewer/data', query: resources.find(({ path }) => path === '/hapi/data')!.query },
    { path: '/hapi/{endpoint}', elements: { endpoint: 'cat/alog' } },
    { path: '/stac/{rest}', elements: { rest: 'collections/source-10/queryables' } },
    { path: '/iiif/3/{identifier}', elements: { identifier: 'image-80010' } },
    { path: '/iiif/3/{identifier}/{rest}', elements: { identifier: 'image-80010', rest: 'full/max' } },
    { path: '/{anything}', elements: { anything: 'feeds/aia.rss' } },
  ];
}

/** A text as a part of an address: percent signs and what separates parts of a path or a query stay as they are. */
const inAddress = (text: string) =>
  encodeURI(text.toWellFormed()).replaceAll('%25', '%').replaceAll('?', '%3F').replaceAll('#', '%23');

const filledPath = (path: string, elements: Values) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => inAddress(elements[name] ?? ''));

/** Each element of the path of an address, each parameter, and its query as one text. */
function fieldsOf({ path, elements = {}, query = {}, headers = {}, characters }: Address): readonly Field[] {
  const to = (given: Values, search: string) =>
    new Request(`${ORIGIN}${filledPath(path, { ...elements, ...given })}?${search}`, { headers });
  const search = String(new URLSearchParams(query));
  const limits = [...(characters === undefined ? [] : [characters]), REQUEST_LIMITS.parameterCharacters];
  const fieldOf = (element: string, good: string, request: (value: string) => Request, name?: string): Field =>
    textField({ where: `${element} of ${path}`, name, good, lengths: lengthsTo(limits, good) }, request);
  return [
    ...Object.entries(elements).map(([name, good]) => fieldOf(name, good, (value) => to({ [name]: value }, search))),
    ...Object.entries(query).map(([name, good]) =>
      fieldOf(name, good, (value) => to({}, String(new URLSearchParams({ ...query, [name]: value })))),
    ),
    fieldOf('the query', search, (value) => to({}, inAddress(value)), 'a query'),
  ];
}

/** The fields of the addresses of files and pages. */
export const addressFields = (service: GrowthService): readonly Field[] => addressesOf(service).flatMap(fieldsOf);

/** The fields of JPIP requests. */
export function jpipFields(): readonly Field[] {
  return QUERIES.flatMap((bytes) => {
    const query = new TextDecoder().decode(bytes).slice(1).split('&');
    return query.map((pair, i): Field => {
      const [name = '', ...value] = pair.split('=');
      const pairWith = (text: string) => `${name}=${text.replaceAll('&', '%26')}`;
      const request = (text: string) => new Request(`${ORIGIN}/jpip/a.jp2?${query.with(i, pairWith(text)).join('&')}`);
      return textField({ name, where: `JPIP ${name}`, good: value.join('=') }, request);
    });
  });
}

/** Elements of an address of the explorer, which its pages and oEmbed read. */
const VIEW = {
  date: '2024-05-10T12:00:00Z',
  play: '2024-05-10T12:00:00Z/2024-05-10T18:00:00Z',
  imageLayers: '[SDO,AIA,AIA,171,1,100],',
  steady: '[true]',
  ranges: '[0,255,1]',
  filters: '[rhef]',
  tints: '[red]',
  blends: '[over]',
  colour: 'false',
  projection: 'sphere,-10.5,20',
  centerX: '-10.5',
  centerY: '20.5',
  imageScale: '2.42',
  eventLayers: '[FL,all,1]',
  grid: 'true',
  earth: 'true',
  bodies: 'true',
};

/** Earlier elements, which are read in the absence of others. */
const EARLIER: readonly (readonly [name: string, insteadOf: string, good: string])[] = [
  ['layers', 'imageLayers', VIEW.imageLayers],
  ['sourceId', 'imageLayers', '10'],
  ['events', 'eventLayers', VIEW.eventLayers],
  ['scale', 'earth', 'true'],
];

const VIEW_ADDRESSES: readonly ((search: string) => string)[] = [
  (search) => `/?${search}`,
  (search) => `/embed?${search}`,
  (search) => `/oembed?${new URLSearchParams({ url: `${ORIGIN}/?${search}` })}`,
];

/** The elements of an address of the explorer in the address of its page, of the embedded one, and in one that oEmbed describes. */
export function viewFields(): readonly Field[] {
  const others = (left: string): Values => Object.fromEntries(Object.entries(VIEW).filter(([name]) => name !== left));
  const elements = [
    ...Object.entries(VIEW).map(([name, good]) => ({ name, good, query: others(name) })),
    ...EARLIER.map(([name, insteadOf, good]) => ({ name, good, query: others(insteadOf) })),
  ];
  return elements.map(({ name, good, query }) => {
    const searchWith = (text: string) => String(new URLSearchParams({ ...query, [name]: text }));
    const requests = VIEW_ADDRESSES.map((address) => (text: string) => new Request(ORIGIN + address(searchWith(text))));
    return textField({ name, where: `${name} of an address of the explorer`, good }, ...requests);
  });
}

/** The elements and parameters of the addresses with parameters of their own. */
export function resourceFields({ resources }: Pick<GrowthService, 'resources'>): readonly Field[] {
  return resources.flatMap((example) => {
    const { path, elements, query, headers, body = {} } = example;
    const request = (given: Values) => {
      const values = { ...elements, ...query, ...given };
      const pairs = Object.entries(values).filter(([name]) => !Object.hasOwn(elements, name));
      return new Request(`${ORIGIN}${resourcePath(example, values)}?${new URLSearchParams(pairs)}`, resourceInit(example));
    };
    const ofBody = Object.keys(body).flatMap((name) => jsonFields(resourcePath(example, elements), body, name, headers));
    const ofAddress = Object.entries({ ...elements, ...query }).map(([name, good]) =>
      textField({ name, where: `${name} of ${path}`, good }, (text) => request({ [name]: text })),
    );
    return [...ofAddress, ...ofBody];
  });
}

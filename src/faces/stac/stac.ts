// STAC API 1.0 at `/stac` (https://github.com/radiantearth/stac-api-spec): core, collections, features and item search.

import { imageById } from '../../archive/find-image.ts';
import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { type Holdings, holdingsPages, type ListPosition, listedTimes, passed } from '../../archive/image-list.ts';
import { imageTags } from '../../archive/keys.ts';
import type { ListedTimes } from '../../archive/ports.ts';
import { statusOf } from '../../platform/http/errors.ts';
import { addressText, integer, VALUE_RULES, type Values } from '../../platform/http/parameters.ts';
import { CATALOGUE, RECENT, SETTLED } from '../../platform/http/response.ts';
import { badParameter, Failure, shown } from '../../platform/util/errors.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import type { DataSource } from '../../sun/catalogue/datasource.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { Extent } from '../../sun/catalogue/tree.ts';
import { positionOf, printPosition } from '../images/lists.ts';
import { DOCS_PATH, OPENAPI_PATH } from '../operations.ts';
import { type Context, documentReply, failedAs, idIn, idText, resource, serviceOrigin } from '../services.ts';
import * as stac from './stac-objects.ts';

export const STAC = {
  /** Items of a page unless a request says otherwise; the value that clients expect. */
  items: 10,
  /** The most items of a page, 1.1 MB of JSON. A request for more gets this many, and the address of the next page. */
  maxItems: 500,
} as const;

const unknownCollection = (text: string) =>
  new Failure('unknown-id', `No collection has the id ${shown(text)}. /stac/collections has the ids.`, {
    parameter: 'collection',
  });

/** The datasource and the image of an address. @throws Failure `unknown-id` */
const sourceNamed = (text: string): number => idIn('source', text, unknownCollection);
const imageNamed = (text: string): number =>
  idIn('image', text, () => {
    const sentence = `No item has the id ${shown(text)}. Collections link to their items.`;
    return new Failure('unknown-id', sentence, { parameter: 'item' });
  });

/** OGC API Features, requirement `/req/core/query-param-unknown`. */
function unknown(name: string, known: readonly string[]): Failure {
  const sentence = `This address has no parameter ${shown(name)}${known.length > 0 ? `. It has ${known.join(', ')}` : ''}.`;
  return new Failure('bad-parameter', sentence, { parameter: name });
}

const COLLECTION = { collection: addressText('an id like source-10') };

/** Statuses above are 429 and faults of the service. */
const LAST_OWN_STATUS = 428;

/** Failures of a request in the form of the STAC API; too many requests and faults of the service keep that of the operations. */
const failed = failedAs(stac.JSON_TYPE, (failure) =>
  statusOf(failure) > LAST_OWN_STATUS ? null : JSON.stringify({ code: failure.kind, description: failure.message }),
);

const FAILURES = { unknown, failed };

/** The images that a page has some of; without `sourceIds` of all that have images. */
type PagedImages = Omit<Holdings, 'sourceIds'> & { readonly sourceIds: readonly number[] | undefined };

type Index = Pick<ImageIndex, 'byIds' | 'extents' | 'listed'>;

const inOrder = (a: ListPosition, b: ListPosition): number => a.sourceId - b.sourceId || a.takenAtMs - b.takenAtMs;

/** A page in the order of sources and times, and its last image where more follow: the first `limit` of the images that `ids` name, all of which are read for each page. */
async function namedImagePage(index: Index, ids: readonly number[], { sourceIds, times, after }: PagedImages, limit: number) {
  const position = after && { ...after, takenAtMs: passed(after.takenAtMs) };
  const found = (await index.byIds(ids))
    .filter(({ sourceId }) => sourceIds?.includes(sourceId) ?? true)
    .filter(({ takenAtMs }) => takenAtMs > times.afterMs && takenAtMs <= times.toMs)
    .filter((image) => !position || inOrder(position, image) < 0)
    .sort(inOrder);
  const images = found.slice(0, limit);
  return { images, next: found.length > limit ? images.at(-1)! : null };
}

/** The first `limit` images source by source, found by their times and read by their ids. */
async function imagePage(index: Index, { sourceIds, times, after }: PagedImages, limit: number) {
  const ids = sourceIds ?? [...(await index.extents()).keys()];
  const pages = holdingsPages(index, { sourceIds: [...ids].sort((a, b) => a - b), times, after }, limit);
  const listed: number[] = [];
  let page = await pages.next();
  for (; !page.done; page = await pages.next()) listed.push(...page.value.map(({ id }) => id));
  return { images: (await index.byIds(listed)).sort(inOrder), next: page.value };
}

/** Parameters of the standard and its extensions that would change the items, with the reason why they are refused. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ...['bbox', 'intersects'].map((name) => [name, 'images of the Sun have no geographic place'] as const),
  ...['query', 'filter', 'sortby', 'fields'].map((name) => [name, 'this service does not have its extension'] as const),
]);

function unknownOfSearch(name: string, known: readonly string[]): Failure {
  const reason = REFUSED.get(name);
  return reason === undefined
    ? unknown(name, known)
    : new Failure('unsupported', `Leave out ${name}: ${reason}.`, { parameter: name });
}

const paging = {
  /** An instant, or a range, included, with .. for an open end. */
  datetime: addressText('a UTC date, or two with / between them,').optional(),
  limit: integer(`Items of a page, which has at most ${STAC.maxItems}.`, { min: 1, max: Number.MAX_SAFE_INTEGER }).default(
    STAC.items,
  ),
  /** Place after which the page begins. */
  token: addressText('the token of a link next').optional(),
};

const OPEN = ['', '..'];
const DATES =
  'a UTC date like 2024-01-31T12:00:00Z, or a range like 2024-01-31T12:00:00Z/2024-02-01T00:00:00Z or 2024-01-31T12:00:00Z/..,';

/** @throws Failure `bad-parameter` */
function timesOf(text: string | undefined): ListedTimes {
  if (text === undefined) return listedTimes({});
  const ends = text.split('/');
  const isRange = ends.length === 2;
  const [startMs, endMs = startMs] = ends.map((end) => (isRange && OPEN.includes(end) ? null : VALUE_RULES.date(end)));
  const isDated = startMs !== undefined && endMs !== undefined && (startMs !== null || endMs !== null);
  const isInOrder = startMs === null || endMs === null || Number(startMs) <= Number(endMs);
  if (ends.length > 2 || !isDated || !isInOrder) throw badParameter('datetime', DATES, text);
  return listedTimes({ startMs: startMs ?? undefined, endMs: endMs ?? undefined });
}

function pagingOf({ datetime, limit, token }: Values<typeof paging>) {
  const after = token === undefined ? null : positionOf(token, 'token');
  return { datetime, times: timesOf(datetime), limit: Math.min(limit, STAC.maxItems), after };
}

type Paging = ReturnType<typeof pagingOf>;

/** The parameters of a page in addresses and keys. */
const pagingQuery = ({ datetime, limit }: Paging, after: ListPosition | null) => ({
  datetime,
  limit,
  token: after === null ? undefined : printPosition(after),
});

interface ItemPage {
  /** Unset for a search, which may be in collections that do not exist. */
  readonly collection?: number;
  /** Undefined for all. */
  readonly sourceIds: readonly number[] | undefined;
  readonly ids: readonly number[] | undefined;
  readonly paging: Paging;
}

async function pageReply({ collection, sourceIds, ids, paging: chosen }: ItemPage, context: Context) {
  const { index } = context.services;
  const origin = serviceOrigin(context);
  const wanted = { ...chosen, sourceIds };
  const { images, next } = await context.stopwatch.measure('index', () =>
    ids ? namedImagePage(index, ids, wanted, chosen.limit) : imagePage(index, wanted, chosen.limit),
  );
  if (images.length === 0 && collection !== undefined) await existing(collection, context);
  const parent = collection === undefined ? null : stac.collectionAddress(collection, origin);
  const searched = { collections: sourceIds?.map((id) => idText('source', id)), ids: ids?.map((id) => idText('image', id)) };
  const addressAfter = (position: ListPosition | null) => {
    const url = new URL(parent ? `${parent}/items` : `${stac.stacRoot(origin)}/search`);
    for (const [name, value] of Object.entries({ ...(parent ? {} : searched), ...pagingQuery(chosen, position) }))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url.href;
  };
  const value = {
    type: 'FeatureCollection',
    numberReturned: images.length,
    features: images.map((image) => stac.itemOf(image, origin)),
    links: [
      stac.link('self', addressAfter(chosen.after), stac.GEOJSON_TYPE),
      stac.link('root', stac.stacRoot(origin)),
      ...(parent ? ['parent', 'collection'].map((rel) => stac.link(rel, parent)) : []),
      ...(next ? [stac.link('next', addressAfter(next), stac.GEOJSON_TYPE)] : []),
    ],
  };
  return documentReply(stac.GEOJSON_TYPE, value, { policy: RECENT }, context);
}

const collectionItems = resource({
  name: 'stac/items',
  path: /^\/stac\/collections\/(?<collection>[^/]+)\/items$/,
  parameters: { ...COLLECTION, ...paging },
  canonical: ({ collection, ...values }) => ({ sourceId: sourceNamed(collection), paging: pagingOf(values) }),
  unknown: unknownOfSearch,
  key: ({ sourceId, paging: chosen }) => ({ sourceId, ...pagingQuery(chosen, chosen.after) }),
  handle: ({ sourceId, paging: chosen }, context) =>
    pageReply({ collection: sourceId, sourceIds: [sourceId], ids: undefined, paging: chosen }, context),
  failed,
});

/** The numbers in ids separated by commas, each once. @throws Failure `bad-parameter` */
function idsIn(text: string | undefined, parameter: 'collections' | 'ids'): readonly number[] | undefined {
  const [kind, example] = parameter === 'ids' ? (['image', 26] as const) : (['source', 10] as const);
  const other = (id: string) => badParameter(parameter, `ids like ${idText(kind, example)}`, id);
  return text === undefined ? undefined : [...new Set(text.split(',').map((id) => idIn(kind, id.trim(), other)))];
}

export const search = resource({
  name: 'stac/search',
  path: /^\/stac\/search$/,
  takesPost: true,
  parameters: {
    collections: addressText('ids of collections').optional(),
    ids: addressText('ids of items').optional(),
    ...paging,
  },
  canonical: ({ collections, ids, ...values }) => ({
    sourceIds: idsIn(collections, 'collections'),
    ids: idsIn(ids, 'ids'),
    paging: pagingOf(values),
  }),
  unknown: unknownOfSearch,
  key: ({ sourceIds, ids, paging: chosen }) => ({ collections: sourceIds, ids, ...pagingQuery(chosen, chosen.after) }),
  handle: pageReply,
  failed,
});

const CONFORMANCE = [
  ...['core', 'collections', 'ogcapi-features', 'item-search'].map((name) => `https://api.stacspec.org/v1.0.0/${name}`),
  ...['core', 'geojson'].map((name) => `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${name}`),
];

const document = (name: string, path: RegExp, make: (context: Context) => Promise<object> | object) =>
  resource({
    name: `stac/${name}`,
    path,
    ...FAILURES,
    key: () => ({}),
    handle: async (_, context) => documentReply(stac.JSON_TYPE, await make(context), { policy: CATALOGUE }, context),
  });

/** The datasources that have images, by id. */
async function collections({ services, stopwatch }: Context): Promise<readonly (readonly [DataSource, Extent])[]> {
  const extents = await stopwatch.measure('index', () => services.index.extents());
  return [...extents]
    .sort(([a], [b]) => a - b)
    .flatMap(([id, extent]) => {
      const source = findSource(id);
      return source ? [[source, extent] as const] : [];
    });
}

/** @throws Failure `unknown-id` for a collection that does not exist */
async function existing(sourceId: number, context: Context) {
  const found = (await collections(context)).find(([{ id }]) => id === sourceId);
  if (found) return found;
  throw unknownCollection(idText('source', sourceId));
}

const landing = document('root', /^\/stac$/, async (context) => {
  const origin = serviceOrigin(context);
  const root = stac.stacRoot(origin);
  const searched = stac.link('search', `${root}/search`, stac.GEOJSON_TYPE);
  return {
    type: 'Catalog',
    stac_version: stac.STAC_VERSION,
    id: SERVICE_NAME,
    title: SERVICE_NAME,
    description: 'Images of the Sun: a collection for each datasource, an item for each image.',
    conformsTo: CONFORMANCE,
    links: [
      stac.link('self', root),
      stac.link('root', root),
      stac.link('conformance', `${root}/conformance`),
      stac.link('data', `${root}/collections`),
      searched,
      { ...searched, method: 'POST' },
      stac.link('service-desc', origin + OPENAPI_PATH, 'application/vnd.oai.openapi+json'),
      stac.link('service-doc', origin + DOCS_PATH, 'text/html'),
      ...(await collections(context)).map(([{ id, nickname }]) => ({
        ...stac.link('child', stac.collectionAddress(id, origin)),
        title: nickname,
      })),
    ],
  };
});

const conformance = document('conformance', /^\/stac\/conformance$/, () => ({ conformsTo: CONFORMANCE }));

const allCollections = document('collections', /^\/stac\/collections$/, async (context) => {
  const origin = serviceOrigin(context);
  const links = [stac.link('self', `${stac.stacRoot(origin)}/collections`), stac.link('root', stac.stacRoot(origin))];
  return {
    collections: (await collections(context)).map(([source, extent]) => stac.collectionOf(source, extent, origin)),
    links,
  };
});

const collection = resource({
  name: 'stac/collection',
  path: /^\/stac\/collections\/(?<collection>[^/]+)$/,
  parameters: COLLECTION,
  canonical: ({ collection: text }) => ({ sourceId: sourceNamed(text) }),
  ...FAILURES,
  key: (canonical) => canonical,
  handle: async ({ sourceId }, context) => {
    const found = stac.collectionOf(...(await existing(sourceId, context)), serviceOrigin(context));
    return documentReply(stac.JSON_TYPE, found, { policy: CATALOGUE }, context);
  },
});

const item = resource({
  name: 'stac/item',
  path: /^\/stac\/collections\/(?<collection>[^/]+)\/items\/(?<item>[^/]+)$/,
  parameters: { ...COLLECTION, item: addressText('an id like image-26') },
  canonical: (values) => ({ sourceId: sourceNamed(values.collection), id: imageNamed(values.item) }),
  ...FAILURES,
  key: (canonical) => canonical,
  handle: async ({ sourceId, id }, context) => {
    const image = await imageById({ index: context.services.index, stopwatch: context.stopwatch }, id, 'item');
    if (image.sourceId !== sourceId)
      throw new Failure('unknown-id', `Image ${id} is in the collection ${idText('source', image.sourceId)}.`, {
        parameter: 'item',
      });
    const facts = { policy: SETTLED, tags: imageTags(image) };
    return documentReply(stac.GEOJSON_TYPE, stac.itemOf(image, serviceOrigin(context)), facts, context);
  },
});

const nothing = resource({
  name: 'stac/elsewhere',
  path: /^\/stac\/.+$/,
  handle: () => Promise.reject(new Failure('unknown-path', 'Nothing is at this address. /stac has links to everything.')),
  failed,
});

export const stacResources = [landing, conformance, allCollections, collection, collectionItems, item, search, nothing] as const;

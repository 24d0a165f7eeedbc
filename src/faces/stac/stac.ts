// STAC API 1.0 at `/stac` (https://github.com/radiantearth/stac-api-spec): core, collections, features and item search.
import { imageById } from '../../archive/find-image.ts';
import { imageTags } from '../../archive/keys.ts';
import { CATALOGUE, SETTLED } from '../../platform/http/cache-policy.ts';
import { notation } from '../../platform/http/parameters.ts';
import { textReply } from '../../platform/http/response.ts';
import { Failure } from '../../platform/util/errors.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import type { DataSource } from '../../sun/catalogue/datasource.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { Extent } from '../../sun/catalogue/tree.ts';
import { elsewhere, idText } from '../faces.ts';
import { DOCS_PATH, OPENAPI_PATH } from '../operations.ts';
import { type Context, namingHost, resource, serviceOrigin } from '../services.ts';
import { collectionItems, search } from './items.ts';
import {
  collectionAddress,
  collectionOf,
  collectionText,
  failed,
  GEOJSON_TYPE,
  imageNamed,
  itemOf,
  JSON_TYPE,
  type Link,
  link,
  STAC_VERSION,
  sourceNamed,
  stacRoot,
  unknown,
  unknownCollection,
} from './stac-objects.ts';

const CONFORMANCE = [
  ...['core', 'collections', 'ogcapi-features', 'item-search'].map((name) => `https://api.stacspec.org/v1.0.0/${name}`),
  ...['core', 'geojson'].map((name) => `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${name}`),
];

const document = (name: string, path: RegExp, make: (context: Context) => Promise<object> | object) =>
  resource({
    name: `stac/${name}`,
    path,
    unknown,
    key: () => ({}),
    handle: async (_, context) =>
      textReply(JSON_TYPE, JSON.stringify(await make(context)), { policy: namingHost(CATALOGUE, context) }),
    failed,
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

const landing = document('root', /^\/stac$/, async (context) => {
  const origin = serviceOrigin(context);
  const root = stacRoot(origin);
  const searched = link('search', `${root}/search`, GEOJSON_TYPE);
  const links: Link[] = [
    link('self', root),
    link('root', root),
    link('conformance', `${root}/conformance`),
    link('data', `${root}/collections`),
    searched,
    { ...searched, method: 'POST' },
    link('service-desc', origin + OPENAPI_PATH, 'application/vnd.oai.openapi+json'),
    link('service-doc', origin + DOCS_PATH, 'text/html'),
    ...(await collections(context)).map(([{ id, nickname }]) => ({
      ...link('child', collectionAddress(id, origin)),
      title: nickname,
    })),
  ];
  return {
    type: 'Catalog',
    stac_version: STAC_VERSION,
    id: SERVICE_NAME,
    title: SERVICE_NAME,
    description: 'Images of the Sun: a collection for each datasource, an item for each image.',
    conformsTo: CONFORMANCE,
    links,
  };
});

const conformance = document('conformance', /^\/stac\/conformance$/, () => ({ conformsTo: CONFORMANCE }));

const allCollections = document('collections', /^\/stac\/collections$/, async (context) => {
  const origin = serviceOrigin(context);
  const links = [link('self', `${stacRoot(origin)}/collections`), link('root', stacRoot(origin))];
  return { collections: (await collections(context)).map(([source, extent]) => collectionOf(source, extent, origin)), links };
});

const collection = resource({
  name: 'stac/collection',
  path: /^\/stac\/collections\/(?<collection>[^/]+)$/,
  parameters: { collection: collectionText() },
  canonical: ({ collection: text }) => ({ sourceId: sourceNamed(text) }),
  unknown,
  key: (canonical) => canonical,
  handle: async ({ sourceId }, context) => {
    const found = (await collections(context)).find(([{ id }]) => id === sourceId);
    if (!found) throw unknownCollection(idText('source', sourceId));
    return textReply(JSON_TYPE, JSON.stringify(collectionOf(...found, serviceOrigin(context))), {
      policy: namingHost(CATALOGUE, context),
    });
  },
  failed,
});

const item = resource({
  name: 'stac/item',
  path: /^\/stac\/collections\/(?<collection>[^/]+)\/items\/(?<item>[^/]+)$/,
  parameters: {
    collection: collectionText(),
    item: notation('Item: image- and the id of an image.', { what: 'an id like image-26', example: 'image-26' }),
  },
  canonical: (values) => ({ sourceId: sourceNamed(values.collection), id: imageNamed(values.item) }),
  unknown,
  key: (canonical) => canonical,
  handle: async ({ sourceId, id }, context) => {
    const image = await imageById({ index: context.services.index, stopwatch: context.stopwatch }, id, 'item');
    if (image.sourceId !== sourceId)
      throw new Failure('unknown-id', `Image ${id} is in the collection ${idText('source', image.sourceId)}.`, {
        parameter: 'item',
      });
    const policy = namingHost(SETTLED, context);
    return textReply(GEOJSON_TYPE, JSON.stringify(itemOf(image, serviceOrigin(context))), { policy, tags: imageTags(image) });
  },
  failed,
});

const nothing = elsewhere({
  name: 'stac/elsewhere',
  path: /^\/stac\/.+$/,
  refusal: () => new Failure('unknown-path', 'Nothing is at this address. /stac has links to everything.'),
  failed,
});

export const stacResources = [landing, conformance, allCollections, collection, collectionItems, item, search, nothing] as const;

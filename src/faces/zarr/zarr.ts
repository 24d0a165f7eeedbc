// Virtual Zarr stores at `/zarr/<sourceId>/<startTime>/<endTime>/<cadence>/`, in format 2 and format 3.
import { imageTags, timelineTag } from '../../archive/keys.ts';
import type { SeriesRequest } from '../../measure/image-series.ts';
import { addressText, notation } from '../../platform/http/parameters.ts';
import type { Representation, RepresentationFacts } from '../../platform/http/response.ts';
import { bytesReply, DRAWN, jsonReply, RECENT, redirectReply, SETTLED } from '../../platform/http/response.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { CADENCE, seriesKey, seriesOf, seriesParameters } from '../measure/parameters.ts';
import { type Context, resource } from '../services.ts';
import { documentAt, isOfChunk, parseStoreKey, type StoreKey, type StoreTree } from './documents.ts';
import { currentTree, pinnedTree } from './store-tree.ts';

const CHUNK_TYPE = 'application/octet-stream';
const EVERY_IMAGE = 'all';

/** Seconds, or null for every image. @throws Failure `bad-parameter` */
function cadenceOf(text: string): number | undefined {
  if (text === EVERY_IMAGE) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds >= CADENCE.min && seconds <= CADENCE.max) return seconds;
  throw badParameter('cadence', `${EVERY_IMAGE}, or seconds from ${CADENCE.min} to ${CADENCE.max}`, text);
}

/** @throws Failure `unknown-path`, at no cost, because readers try many keys */
function keyOf(text: string): StoreKey {
  const key = parseStoreKey(text);
  if (key) return key;
  throw new Failure('unknown-path', 'The store has no such key. Its zarr.json and .zmetadata list the groups and arrays.');
}

/** Facts of what lists the images of a revision: too many to tag each, so that every withdrawal of the instrument purges it. */
function listingFacts({ sourceId: id }: SeriesRequest): Pick<RepresentationFacts, 'policy' | 'tags'> {
  const instrument = findSource(id)?.archiveDirectory;
  return instrument === undefined ? { policy: RECENT } : { policy: SETTLED, tags: [timelineTag(instrument)] };
}

/** A document of the tree of a revision, or of the store above it: that of the group where the key has none. */
async function documentIn(tree: StoreTree, { level, array, document = 'zarr.json' }: StoreKey, facts: RepresentationFacts) {
  const path = [level, array].map((name) => (name === undefined ? '' : `${name}/`));
  const found = documentAt(tree, path.join(''), document);
  if (found) return jsonReply(found, facts);
  throw new Failure('unknown-path', 'The store has no such group or array. Its zarr.json and .zmetadata list them.');
}

async function reply(request: SeriesRequest, key: StoreKey, context: Context): Promise<Representation> {
  const { imageStores } = context.services;
  if (isOfChunk(key)) {
    const { bytes, image } = await imageStores.chunk(request, key, context);
    // The revision stands for the images and the versions of the laws and of the store.
    const etag = `"${[key.revision, key.level, key.array, ...key.chunk].join('-')}"`;
    return bytesReply(CHUNK_TYPE, bytes, { ...(image ? { ...DRAWN, tags: imageTags(image) } : listingFacts(request)), etag });
  }
  if (key.revision !== undefined) {
    const store = await imageStores.pinned(request, key.revision, context);
    return documentIn(pinnedTree(store), key, listingFacts(request));
  }
  const store = await imageStores.current(request, context);
  if (key.document) return documentIn(currentTree(store), key, { policy: RECENT });
  return redirectReply(`${context.url.pathname.replace(/\/?$/, '/')}${store.revision}/`, { policy: RECENT });
}

export const zarrStore = resource({
  name: 'zarr',
  path: /^\/zarr\/(?<sourceId>[^/]+)\/(?<startTime>[^/]+)\/(?<endTime>[^/]+)\/(?<cadence>[^/]+)\/?(?<key>.*)$/,
  parameters: {
    ...seriesParameters,
    cadence: addressText('seconds or all'),
    key: notation('Key of a document or chunk.', {
      what: 'a key such as .zmetadata',
      example: '.zmetadata',
      mayBeEmpty: true,
    }).default(''),
  },
  canonical: ({ sourceId: id, startTime, endTime, cadence, key }) => ({
    request: seriesOf({ sourceId: id, startTime, endTime, cadence: cadenceOf(cadence) }),
    key: keyOf(key),
  }),
  key: ({ request, key }) => ({ ...seriesKey(request), ...key }),
  handle: ({ request, key }, context) => reply(request, key, context),
});

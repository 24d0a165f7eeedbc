// Virtual Zarr stores at `/zarr/<sourceId>/<startTime>/<endTime>/<cadence>/`, in format 2 and format 3.
import { imageTags, timelineTag } from '../../archive/keys.ts';
import type { SeriesRequest } from '../../measure/image-series.ts';
import type { CanonicalValues } from '../../platform/http/operation.ts';
import { date, notation } from '../../platform/http/parameters.ts';
import type { Representation, RepresentationFacts } from '../../platform/http/response.ts';
import { bytesReply, DRAWN, jsonReply, RECENT, redirectReply, SETTLED } from '../../platform/http/response.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { sourceId } from '../images/source-parameters.ts';
import { CADENCE, seriesKey, seriesOf } from '../measure/parameters.ts';
import { type Context, resource } from '../services.ts';
import { documentAt, parseStoreKey, type StoreGroup, type StoreKey } from './documents.ts';
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

/** The members of the key of the edge cache: a chunk has one in both notations. */
function named(key: StoreKey): CanonicalValues {
  if (key.kind === 'store') return { revision: key.revision ?? undefined };
  if (key.kind === 'chunk') {
    const { level, array, indices } = key.chunk;
    return { revision: key.revision, level, array, chunk: indices };
  }
  return {
    revision: key.revision ?? undefined,
    level: key.level ?? undefined,
    array: key.array ?? undefined,
    document: key.name,
  };
}

/** Facts of what lists the images of a revision: too many to tag each, so that every withdrawal of the instrument purges it. */
function listingFacts({ sourceId: id }: SeriesRequest): Pick<RepresentationFacts, 'policy' | 'tags'> {
  const instrument = findSource(id)?.archiveDirectory;
  return instrument === undefined ? { policy: RECENT } : { policy: SETTLED, tags: [timelineTag(instrument)] };
}

/** A document of the tree of a revision, or of the store above it. */
async function documentReply(
  tree: StoreGroup,
  { name, level, array }: Extract<StoreKey, { kind: 'document' }>,
  facts: RepresentationFacts,
): Promise<Representation> {
  const path = [...(level === null ? [] : [String(level)]), ...(array === null ? [] : [array])];
  const found = documentAt(tree, path, name);
  if (found) return jsonReply(found, facts);
  throw new Failure('unknown-path', 'The store has no such group or array. Its zarr.json and .zmetadata list them.');
}

async function reply(request: SeriesRequest, key: StoreKey, context: Context): Promise<Representation> {
  const { imageStores } = context.services;
  if (key.kind === 'chunk') {
    const { bytes, image } = await imageStores.chunk(request, key.revision, key.chunk, context);
    const { level, array, indices } = key.chunk;
    // The revision stands for the images and the versions of the laws and of the store.
    const etag = `"${[key.revision, level, array, ...indices].join('-')}"`;
    return bytesReply(CHUNK_TYPE, bytes, { ...(image ? { ...DRAWN, tags: imageTags(image) } : listingFacts(request)), etag });
  }
  if (key.revision === null) {
    const store = await imageStores.current(request, context);
    if (key.kind === 'document') return documentReply(currentTree(store), key, { policy: RECENT });
    const path = context.url.pathname.replace(/\/?$/, '/');
    return redirectReply(`${path}${store.revision}/`, { policy: RECENT });
  }
  const tree = pinnedTree(await imageStores.pinned(request, key.revision, context));
  if (key.kind === 'document') return documentReply(tree, key, listingFacts(request));
  return jsonReply(documentAt(tree, [], 'zarr.json'), listingFacts(request));
}

export const zarrStore = resource({
  name: 'zarr',
  path: /^\/zarr\/(?<sourceId>[^/]+)\/(?<startTime>[^/]+)\/(?<endTime>[^/]+)\/(?<cadence>[^/]+)\/?(?<key>.*)$/,
  parameters: {
    sourceId: sourceId(),
    startTime: date('Start of the range, included.'),
    endTime: date('End of the range, included with the fractions of its second.'),
    cadence: notation('Seconds between images, or all.', { what: 'seconds or all', example: '720' }),
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
  key: ({ request, key }) => ({ ...seriesKey(request), ...named(key) }),
  handle: ({ request, key }, context) => reply(request, key, context),
});

// Representations of stored files.
import { IMMUTABLE } from '../../http/cache-policy.ts';
import { toStored } from '../../http/edge-cache.ts';
import type { RepresentationFacts, StreamRepresentation } from '../../http/response.ts';
import { asDamaged, missingFile } from '../../services/images/file-errors.ts';
import type { Context } from '../services.ts';

export interface StoredFile {
  readonly key: string;
  /** Key in the edge cache. */
  readonly edgeKey: string;
  readonly contentType: string;
  /** Strong, quoted. */
  readonly etag: string;
  readonly length: number;
}

async function openObject(key: string, context: Context, range?: { offset: number; length: number }) {
  const opened = context.services.objects.stream(key, range).catch(asDamaged);
  const object = await context.stopwatch.measure('read', () => opened);
  if (!object) throw missingFile();
  return object.body;
}

/** A file whose key names its content. The whole file is served from the edge cache if it is there; ranges are read from the archive. */
export function storedFile(
  { key, edgeKey, contentType, etag, length }: StoredFile,
  { policy, headers = {}, lastModifiedMs, tags = [], edgeSeconds }: RepresentationFacts,
  context: Context,
): StreamRepresentation {
  const { edgeCache, clock } = context.services;
  const file: StreamRepresentation = {
    contentType,
    etag,
    length,
    policy,
    headers,
    lastModifiedMs,
    tags,
    ...(edgeSeconds === undefined ? {} : { edgeSeconds }),
    open: async (range) => {
      if (range || !edgeCache) return openObject(key, context, range);
      const cached = await context.stopwatch.measure('cache', () => edgeCache.match(edgeKey));
      if (cached?.body) return cached.body;
      const body = await openObject(key, context);
      // Reads the object a second time, because a teed stream buffers in memory what a slow client has not read.
      const fillCache = async () =>
        edgeCache.put(edgeKey, toStored({ ...file, policy: IMMUTABLE }, await openObject(key, context), clock()));
      context.waitUntil(fillCache());
      return body;
    },
  };
  return file;
}

// Files of the archive as answers.
import { Failure } from '../../domain/errors.ts';
import { IMMUTABLE } from '../../http/cache-policy.ts';
import { type RepresentationFacts, type StreamRepresentation, toStored } from '../../http/representation.ts';
import type { Context } from '../services.ts';

export interface StoredFile {
  readonly key: string;
  /** Under which the edge keeps it. */
  readonly edgeKey: string;
  readonly contentType: string;
  /** Strong, quoted. */
  readonly etag: string;
  readonly length: number;
}

function asDamaged(error: unknown): never {
  if (!(error instanceof RangeError)) throw error;
  throw new Failure('damaged-image', 'The file of this image is shorter than it was.', { cause: error });
}

async function openObject(key: string, context: Context, range?: { offset: number; length: number }) {
  const opened = context.services.objects.stream(key, range).catch(asDamaged);
  const object = await context.stopwatch.measure('read', () => opened);
  if (!object) throw new Failure('missing-file', 'The file of this image is missing from the archive.');
  return object.body;
}

/** A file that never changes: the whole comes from the edge where it is kept there, parts come from the archive. */
export function storedFile(
  { key, edgeKey, contentType, etag, length }: StoredFile,
  { policy, headers = {}, lastModifiedMs }: RepresentationFacts,
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
    open: async (range) => {
      if (range) return openObject(key, context, range);
      const kept = await context.stopwatch.measure('cache', () => edgeCache.match(edgeKey));
      if (kept?.body) return kept.body;
      const body = await openObject(key, context);
      // The copy is read on its own: a stream in two would hold in memory what a slow client has not taken.
      const keep = async () =>
        edgeCache.put(edgeKey, toStored({ ...file, policy: IMMUTABLE }, await openObject(key, context), clock()));
      context.waitUntil(keep());
      return body;
    },
  };
  return file;
}

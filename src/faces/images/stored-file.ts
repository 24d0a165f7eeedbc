// Representations of stored files.

import { asDamaged } from '../../jp2/errors.ts';
import type { ByteRange, RepresentationFacts, StreamRepresentation } from '../../platform/http/response.ts';
import { missingFile } from '../../platform/util/errors.ts';
import type { Context } from '../services.ts';

interface StoredFile {
  readonly key: string;
  readonly contentType: string;
  /** Strong, quoted. */
  readonly etag: string;
  readonly length: number;
}

/** The object, or a range of it, unless the object has another length than its row says. */
async function openObject({ key, length }: StoredFile, { services, stopwatch }: Context, range?: ByteRange) {
  const object = await stopwatch.measure('read', () => services.objects.stream(key, range).catch(asDamaged));
  if (!object) throw missingFile(key);
  if (object.size === length) return object.body;
  await object.body.cancel();
  return asDamaged(new RangeError(`The object has ${object.size} bytes, not the ${length} of its row.`));
}

/** A file whose key names its content. */
export const storedFile = (
  stored: StoredFile,
  { headers = {}, lastModifiedMs, ...facts }: Omit<RepresentationFacts, 'status'>,
  context: Context,
): StreamRepresentation => ({
  ...{ ...facts, ...stored, headers, lastModifiedMs },
  open: (range) => openObject(stored, context, range),
});

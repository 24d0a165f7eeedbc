// Failures of archived files.
import { Failure } from '../../domain/errors.ts';
import { Jp2Error } from '../../imaging/jp2/errors.ts';

/** For an index row whose object does not exist, as that of an image that is withdrawn while it is read. */
export function missingFile(missingKey: string): Failure {
  return new Failure('missing-file', 'The file of this image is missing from the archive.', { missingKey });
}

/** What `read` makes of bytes; null where they are invalid. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Jp2Error) return null;
    throw error;
  }
}

/** Rethrows invalid bytes, or an object shorter than its row says, as `damaged-image`: the file was damaged after its ingest. */
export function asDamaged(error: unknown): never {
  const isDamage = error instanceof Jp2Error || error instanceof RangeError;
  if (isDamage) throw new Failure('damaged-image', 'This image is damaged and cannot be decoded.', { cause: error });
  throw error;
}

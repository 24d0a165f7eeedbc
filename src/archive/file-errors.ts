// Failures of archived files.
import { Jp2Error } from '../jp2/errors.ts';
import { Failure } from '../platform/util/errors.ts';

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

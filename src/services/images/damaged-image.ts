import { Failure } from '../../domain/errors.ts';
import { Jp2Error } from '../../imaging/jp2/errors.ts';

/** Broken bytes, or an object shorter than its index says: a file damaged after its ingest. */
export function asDamaged(error: unknown): never {
  const isDamage = error instanceof Jp2Error || error instanceof RangeError;
  if (isDamage) throw new Failure('damaged-image', 'This image cannot be decoded.', { cause: error });
  throw error;
}

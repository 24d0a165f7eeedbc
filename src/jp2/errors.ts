import { Failure } from '../platform/util/errors.ts';

/** Why a JP2 file or codestream is rejected: malformed bytes, an unsupported feature, or a size beyond the limits. */
type Jp2ErrorKind = 'malformed' | 'unsupported' | 'too-large';

/** Rejection of image bytes. The message is a sentence for the user and never contains a path or key. */
export class Jp2Error extends Error {
  override readonly name = 'Jp2Error';
  readonly kind: Jp2ErrorKind;

  constructor(kind: Jp2ErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export const malformed = (message: string): Jp2Error => new Jp2Error('malformed', message);
export const unsupported = (message: string): Jp2Error => new Jp2Error('unsupported', message);
export const tooLarge = (message: string): Jp2Error => new Jp2Error('too-large', message);

/** Rethrows invalid bytes, or an object shorter than its row says, as `damaged-image`: the file was damaged after its ingest. */
export function asDamaged(error: unknown): never {
  const isDamage = error instanceof Jp2Error || error instanceof RangeError;
  if (isDamage) throw new Failure('damaged-image', 'This image is damaged and cannot be decoded.', { cause: error });
  throw error;
}

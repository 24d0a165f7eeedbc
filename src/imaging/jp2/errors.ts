/** Why a JP2 file or codestream cannot be used: broken bytes, a feature that is not decoded, or a size beyond the limits. */
export type Jp2ErrorKind = 'malformed' | 'unsupported' | 'too-large';

/** A refusal of image bytes. The message is a sentence for the user and never names a path or a key. */
export class Jp2Error extends Error {
  readonly kind: Jp2ErrorKind;

  constructor(kind: Jp2ErrorKind, message: string) {
    super(message);
    this.name = 'Jp2Error';
    this.kind = kind;
  }
}

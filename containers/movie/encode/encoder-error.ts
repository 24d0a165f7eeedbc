// Why a video could not be encoded.

/** `died`: ended with an error; `stalled`: took no frames for too long; `aborted`: was given up by its user. */
export type EncoderTrouble = 'died' | 'stalled' | 'disk-full' | 'aborted';

export interface EncoderErrorDetails {
  /** The last lines that the encoder wrote, for the log: they may hold paths. */
  readonly log?: string;
  readonly cause?: unknown;
}

/** The message is a sentence for the user. */
export class EncoderError extends Error {
  readonly trouble: EncoderTrouble;
  readonly log: string;

  constructor(trouble: EncoderTrouble, sentence: string, { log = '', cause }: EncoderErrorDetails = {}) {
    super(sentence, { cause });
    this.name = 'EncoderError';
    this.trouble = trouble;
    this.log = log;
  }
}

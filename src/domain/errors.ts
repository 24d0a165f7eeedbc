// Why the service cannot do what was asked. A kind says what happened; http/errors.ts alone decides what that is in HTTP.

export type FailureKind =
  | 'missing-parameter'
  | 'bad-parameter'
  | 'unsupported'
  | 'unknown-operation'
  | 'unknown-path'
  | 'method-not-allowed'
  | 'body-too-large'
  | 'unknown-image'
  | 'unknown-screenshot'
  | 'no-image'
  | 'no-earlier-image'
  | 'no-frames'
  | 'too-few-images'
  | 'queue-full'
  | 'unknown-movie'
  | 'movie-exists'
  | 'movie-under-way'
  | 'failed-movie'
  | 'too-costly'
  | 'not-shareable'
  | 'already-shared'
  | 'host-refused'
  | 'not-authorised'
  | 'forbidden'
  | 'unknown-link'
  | 'upstream-failed'
  | 'no-layers'
  | 'layer-count'
  | 'bad-region'
  | 'no-region'
  | 'bad-header'
  | 'damaged-image'
  | 'missing-file'
  | 'rate-limited'
  | 'busy'
  | 'internal';

export interface FailureDetails {
  /** The parameter at fault, as the request names it. */
  readonly parameter?: string;
  /** When it makes sense to ask again. */
  readonly retryAfterSeconds?: number;
  /** Methods that would have been right, where they are fewer than everywhere. */
  readonly allowedMethods?: string;
  /** What went wrong underneath: logged, never shown. */
  readonly cause?: unknown;
}

/** A failure with a sentence for the user, which never holds a path, a key, SQL or a stack. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly parameter: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allowedMethods: string | undefined;

  constructor(kind: FailureKind, sentence: string, details: FailureDetails = {}) {
    super(sentence, { cause: details.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.parameter = details.parameter;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.allowedMethods = details.allowedMethods;
  }
}

const SHOWN_CHARACTERS = 60;

/** A value as an error sentence shows it: at most 60 printable characters. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (value === '') return 'an empty value';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  const text = String(value)
    .slice(0, SHOWN_CHARACTERS + 1)
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text;
}

/** A parameter whose value is not what it has to be: "Expected <what> for <name>, got <value>." */
export function badParameter(name: string, what: string, value: unknown): Failure {
  const kind = value === undefined || value === null ? 'missing-parameter' : 'bad-parameter';
  return new Failure(kind, `Expected ${what} for ${name}, got ${shown(value)}.`, { parameter: name });
}

// Failures of the service, by kind. Only http/errors.ts maps a kind to an HTTP status.

export type FailureKind =
  | 'missing-parameter'
  | 'bad-parameter'
  | 'unsupported'
  | 'unknown-operation'
  | 'unknown-path'
  | 'method-not-allowed'
  | 'body-too-large'
  | 'unsupported-type'
  | 'unknown-image'
  | 'withdrawn'
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
  | 'bad-token'
  | 'forbidden'
  | 'unknown-link'
  | 'unknown-event'
  | 'states-full'
  | 'upstream-failed'
  | 'no-layers'
  | 'layer-count'
  | 'bad-region'
  | 'no-region'
  | 'bad-header'
  | 'damaged-image'
  | 'missing-file'
  | 'unsatisfiable-range'
  | 'conflict'
  | 'refused-codestream'
  | 'refused-header'
  | 'incomplete'
  | 'archive-busy'
  | 'index-moved'
  | 'rate-limited'
  | 'storage-unavailable'
  | 'busy'
  | 'internal';

export interface FailureDetails {
  /** Name of the parameter at fault, as in the request. */
  readonly parameter?: string;
  /** Seconds after which a retry can succeed. */
  readonly retryAfterSeconds?: number;
  /** Value of the Allow header, where it differs from the default. */
  readonly allowedMethods?: string;
  /** Bytes of the file of which a range was requested. */
  readonly sizeBytes?: number;
  /** Machine-readable reason, shown beside the sentence. */
  readonly reason?: string;
  /** Sentence about the particular case, shown beside a general one. */
  readonly details?: string;
  /** Id of the image that has the name of a withdrawn one now; null when there is none. */
  readonly replacedBy?: number | null;
  /** The value or name that was probably meant, which the sentence has as well. */
  readonly suggestion?: string | undefined;
  /** Underlying error: logged, never shown. */
  readonly cause?: unknown;
}

/** A failure with a sentence for the user, which never contains a path, a key, SQL or a stack trace. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly parameter: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allowedMethods: string | undefined;
  readonly sizeBytes: number | undefined;
  readonly reason: string | undefined;
  readonly details: string | undefined;
  readonly replacedBy: number | null | undefined;
  readonly suggestion: string | undefined;

  constructor(kind: FailureKind, sentence: string, details: FailureDetails = {}) {
    super(sentence, { cause: details.cause });
    this.name = 'Failure';
    this.kind = kind;
    this.parameter = details.parameter;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.allowedMethods = details.allowedMethods;
    this.sizeBytes = details.sizeBytes;
    this.reason = details.reason;
    this.details = details.details;
    this.replacedBy = details.replacedBy;
    this.suggestion = details.suggestion;
  }
}

const SHOWN_CHARACTERS = 60;

/** A value as shown in an error sentence: at most 60 printable characters. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (value === '') return 'an empty value';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  const text = String(value)
    .slice(0, SHOWN_CHARACTERS + 1)
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text;
}

/** A value that was probably meant. */
export interface Suggestion {
  /** The value as a request would have it. */
  readonly value: string;
  /** Meaning of the value, where the value does not say it. */
  readonly gloss?: string;
}

/** The question about a suggestion, with a blank before it; empty without one. */
export function didYouMean(suggestion: Suggestion | undefined): string {
  if (!suggestion) return '';
  const { value, gloss } = suggestion;
  return ` Did you mean ${value}${gloss === undefined ? '' : ` (${gloss})`}?`;
}

/** Failure of an invalid or missing parameter: "Expected <what> for <name>, got <value>.", and "Did you mean <suggestion>?" */
export function badParameter(name: string, what: string, value: unknown, suggestion?: Suggestion): Failure {
  const kind = value === undefined || value === null ? 'missing-parameter' : 'bad-parameter';
  const sentence = `Expected ${what} for ${name}, got ${shown(value)}.${didYouMean(suggestion)}`;
  return new Failure(kind, sentence, { parameter: name, suggestion: suggestion?.value });
}

// Failures of the service, by kind. Only http/errors.ts maps a kind to an HTTP status.
import { RATE_LIMIT_PERIOD_SECONDS } from '../config/limits/http.ts';

export type FailureKind =
  | 'missing-parameter'
  | 'bad-parameter'
  | 'unsupported'
  | 'not-implemented'
  | 'unknown-path'
  | 'method-not-allowed'
  | 'body-too-large'
  | 'unsupported-type'
  | 'unknown-id'
  | 'withdrawn'
  | 'no-image'
  | 'no-earlier-image'
  | 'no-frames'
  | 'too-few-images'
  | 'queue-full'
  | 'movie-exists'
  | 'movie-under-way'
  | 'failed-movie'
  | 'not-shareable'
  | 'already-shared'
  | 'host-refused'
  | 'not-authorised'
  | 'bad-token'
  | 'forbidden'
  | 'storage-full'
  | 'no-layers'
  | 'layer-count'
  | 'bad-region'
  | 'no-region'
  | 'no-law'
  | 'no-data'
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
  | 'read-only'
  | 'rate-limited'
  | 'storage-unavailable'
  | 'busy'
  | 'internal';

/** A limit of each client: `quota` requests, or units of their cost, in `seconds`. */
export interface RateLimitPolicy {
  readonly name: string;
  readonly quota: number;
  readonly seconds: number;
}

interface FailureDetails {
  /** Name of the parameter at fault, as in the request. */
  readonly parameter?: string | undefined;
  /** Seconds after which a retry can succeed. */
  readonly retryAfterSeconds?: number;
  /** Value of the Allow header, where it differs from the default. */
  readonly allowedMethods?: string;
  /** Bytes of the file of which a range was requested. */
  readonly sizeBytes?: number;
  /** The limit that the client has used up, for the headers. */
  readonly exceeded?: RateLimitPolicy | undefined;
  /** Machine-readable reason, shown beside the sentence. */
  readonly reason?: string | undefined;
  /** Sentence about the particular case, shown beside a general one. */
  readonly details?: string | undefined;
  /** Id of the image that has the name of a withdrawn one now; null when there is none. */
  readonly replacedBy?: number | null | undefined;
  /** The value or name that was probably meant, which the sentence has as well. */
  readonly suggestion?: string | undefined;
  /** Underlying error: logged, never shown. */
  readonly cause?: unknown;
}

/** A failure with a sentence for the user, which never contains a path, a key, SQL or a stack trace. */
export class Failure extends Error implements FailureDetails {
  readonly kind: FailureKind;
  declare readonly parameter?: string | undefined;
  declare readonly retryAfterSeconds?: number;
  declare readonly allowedMethods?: string;
  declare readonly sizeBytes?: number;
  declare readonly exceeded?: RateLimitPolicy | undefined;
  declare readonly reason?: string | undefined;
  declare readonly details?: string | undefined;
  declare readonly replacedBy?: number | null | undefined;
  declare readonly suggestion?: string | undefined;

  constructor(kind: FailureKind, sentence: string, { cause, ...details }: FailureDetails = {}) {
    super(sentence, { cause });
    this.name = 'Failure';
    this.kind = kind;
    Object.assign(this, details);
  }
}

/** Whose limit is used up: that of the client, where it is not stated. */
export type LimitScope = 'network' | 'location';

/** Failure of a client that has used up a limit, or whose network or location has, which admits more after `resetSeconds`. */
export function limitExceeded(
  sentence: string,
  exceeded: RateLimitPolicy | undefined,
  resetSeconds = RATE_LIMIT_PERIOD_SECONDS,
  scope?: LimitScope,
): Failure {
  const details = { retryAfterSeconds: resetSeconds, exceeded };
  if (scope === 'network')
    return new Failure('rate-limited', 'Too many requests from the network of this address. Try again in a minute.', details);
  if (scope === 'location')
    return new Failure(
      'busy',
      'Too many requests for this service. Only what its cache has is sent now. Try again in a minute.',
      details,
    );
  return new Failure('rate-limited', sentence, details);
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

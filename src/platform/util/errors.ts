import { RATE_LIMIT_PERIOD_SECONDS } from '../limits/http.ts';

/** Kinds of failure, with status and error number: the original service's, 29 (busy), 60 and 61 (without values), 255 (defects). */
export const FAILURES = {
  'missing-parameter': { status: 400, errno: 28 },
  'bad-parameter': { status: 400, errno: 25 },
  unsupported: { status: 400, errno: 26 },
  'not-implemented': { status: 501, errno: 26 },
  'unknown-path': { status: 404, errno: 26 },
  'method-not-allowed': { status: 405, errno: 26 },
  'body-too-large': { status: 413, errno: 25 },
  'unsupported-type': { status: 415, errno: 25 },
  'unknown-id': { status: 404, errno: 24 },
  withdrawn: { status: 410, errno: 24 },
  'no-image': { status: 404, errno: 10 },
  'no-earlier-image': { status: 404, errno: 11 },
  'no-frames': { status: 404, errno: 12 },
  'too-few-images': { status: 404, errno: 16 },
  'queue-full': { status: 503, errno: 40 },
  'movie-exists': { status: 409, errno: 44 },
  'movie-under-way': { status: 409, errno: 47 },
  'failed-movie': { status: 409, errno: 43 },
  'not-shareable': { status: 409, errno: 41 },
  'already-shared': { status: 409, errno: 46 },
  'host-refused': { status: 502, errno: 42 },
  'not-authorised': { status: 401, errno: 45 },
  'bad-token': { status: 401, errno: 45 },
  forbidden: { status: 403, errno: 50 },
  'storage-full': { status: 503, errno: 29 },
  'no-layers': { status: 400, errno: 20 },
  'layer-count': { status: 400, errno: 22 },
  'bad-region': { status: 400, errno: 21 },
  'no-region': { status: 400, errno: 23 },
  'no-law': { status: 422, errno: 60 },
  'no-data': { status: 404, errno: 61 },
  'bad-header': { status: 500, errno: 13 },
  'damaged-image': { status: 500, errno: 14 },
  'missing-file': { status: 500, errno: 50 },
  'unsatisfiable-range': { status: 416, errno: 25 },
  conflict: { status: 409, errno: 25 },
  'refused-codestream': { status: 422, errno: 14 },
  'refused-header': { status: 422, errno: 13 },
  incomplete: { status: 422, errno: 25 },
  'index-moved': { status: 503, errno: 29 },
  'read-only': { status: 503, errno: 29 },
  'rate-limited': { status: 429, errno: 29 },
  'storage-unavailable': { status: 503, errno: 29 },
  busy: { status: 503, errno: 29 },
  internal: { status: 500, errno: 255 },
} as const;

export type FailureKind = keyof typeof FAILURES;

/** A limit of each client: `quota` requests, or units of their cost, in `seconds`. */
export type RateLimitPolicy = { readonly name: string; readonly quota: number; readonly seconds: number };

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
  readonly missingKey?: string;
  readonly cause?: unknown;
}

/** A failure with a sentence for the user, which never contains a path, a key, SQL or a stack trace. */
export class Failure extends (Error as new (sentence: string, options: ErrorOptions) => Error & FailureDetails) {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, sentence: string, { cause, ...details }: FailureDetails = {}) {
    super(sentence, { cause });
    this.name = 'Failure';
    this.kind = kind;
    Object.assign(this, details);
  }
}

const SHARED_LIMITS = {
  network: 'Too many requests from the network of this address. Try again in a minute.',
  location: 'Too many requests for this service. Only what its cache has is sent now. Try again in a minute.',
};

/** Owner of a limit that is used up: the client, where it is not stated. */
export type LimitScope = keyof typeof SHARED_LIMITS;

/** Failure at a limit of the client, its network or its location, which is free again after `resetSeconds`. */
export function limitExceeded(
  sentence: string,
  exceeded: RateLimitPolicy | undefined,
  resetSeconds = RATE_LIMIT_PERIOD_SECONDS,
  scope?: LimitScope,
): Failure {
  const kind = scope === 'location' ? 'busy' : 'rate-limited';
  return new Failure(kind, scope ? SHARED_LIMITS[scope] : sentence, { retryAfterSeconds: resetSeconds, exceeded });
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

const nameIn = (text: string): { parameter: string } => ({ parameter: /^\w+/.exec(text)?.[0] ?? text });

/** Failure of a parameter, or of its value as `name=value`, beside another one that excludes it. */
export const conflict = (given: string, other: string): Failure =>
  new Failure('bad-parameter', `${given} cannot be combined with ${other}. Leave out one of them.`, nameIn(given));

/** Failure of a missing parameter, the first that `needed` names, without which another one, or its value as `name=value`, says nothing. */
export const requires = (given: string, needed: string): Failure =>
  new Failure('missing-parameter', `${given} requires ${needed}.`, nameIn(needed));

/** Failure of an image without its object, as when it is withdrawn during the reading. */
export function missingFile(missingKey: string): Failure {
  return new Failure('missing-file', 'The file of an image is missing from the archive.', { missingKey });
}

/** What was read of the object of an image. @throws Failure as `missingFile` for null */
export function present<T>(found: T | null, key: string): T {
  if (found === null) throw missingFile(key);
  return found;
}

/** Handles errors of a class, as in `work.catch(when(RangeError, () => null))`. Others are thrown again, as those handled by `undefined`. */
export const when =
  <E extends Error, R>(kind: abstract new (...given: never[]) => E, handle: (error: E) => R | undefined) =>
  (error: unknown): R => {
    const handled = error instanceof kind ? handle(error) : undefined;
    if (handled === undefined) throw error;
    return handled;
  };

/** An error and its causes, from the outermost to the innermost; nothing for a thrown value that is no error. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

/** An error for a log: with its stack where it has one. */
export const traceOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** The underlying error, for a log. */
export const causeOf = (error: unknown): string => traceOf(error instanceof Error ? (error.cause ?? error) : error);

/** A failure after which the same call can succeed. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
}

/** Texts of D1 and of lost connections, and codes of R2: 10001 internal, 10043 unavailable, 10054 disconnected, 10058 too many requests. */
const TEXTS =
  /network connection lost|caused object to be reset|exceeded timeout|is overloaded|too many requests queued|requests queued for too long|due to transient issue|code was updated|\((?:10001|10043|10054|10058)\)/i;

/** Whether an error, or one of its causes, is a failure of storage that passes by itself. Durable Objects mark theirs. */
export function isTransient(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    const { retryable, overloaded } = cause as { retryable?: unknown; overloaded?: unknown };
    if (cause instanceof TransientError || retryable === true || overloaded === true || TEXTS.test(cause.message)) return true;
  }
  return false;
}

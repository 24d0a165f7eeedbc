// Kinds of failure in, HTTP answers out: the one place that knows which status and errno a kind has.
import { Failure, type FailureKind } from '../domain/errors.ts';
import { NO_STORE } from './cache-policy.ts';

interface FailureAnswer {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 429 | 500 | 502 | 503;
  /** The number that clients of the original service know; 29 is new, for too many requests, also of others. */
  readonly errno: number;
}

const ANSWERS: Readonly<Record<FailureKind, FailureAnswer>> = {
  'missing-parameter': { status: 400, errno: 28 },
  'bad-parameter': { status: 400, errno: 25 },
  unsupported: { status: 400, errno: 26 },
  'unknown-operation': { status: 400, errno: 25 },
  'unknown-path': { status: 404, errno: 255 },
  'method-not-allowed': { status: 405, errno: 255 },
  'body-too-large': { status: 413, errno: 25 },
  'unknown-image': { status: 404, errno: 24 },
  'unknown-screenshot': { status: 404, errno: 24 },
  'no-image': { status: 404, errno: 10 },
  'no-earlier-image': { status: 404, errno: 11 },
  'no-frames': { status: 404, errno: 12 },
  'too-few-images': { status: 404, errno: 16 },
  'queue-full': { status: 503, errno: 40 },
  'unknown-movie': { status: 404, errno: 24 },
  'movie-exists': { status: 409, errno: 44 },
  'movie-under-way': { status: 409, errno: 47 },
  'failed-movie': { status: 409, errno: 43 },
  'too-costly': { status: 429, errno: 29 },
  'not-shareable': { status: 409, errno: 41 },
  'already-shared': { status: 409, errno: 46 },
  'host-refused': { status: 502, errno: 42 },
  'not-authorised': { status: 401, errno: 45 },
  forbidden: { status: 403, errno: 50 },
  'unknown-link': { status: 404, errno: 24 },
  'upstream-failed': { status: 502, errno: 255 },
  'no-layers': { status: 400, errno: 20 },
  'layer-count': { status: 400, errno: 22 },
  'bad-region': { status: 400, errno: 21 },
  'no-region': { status: 400, errno: 23 },
  'bad-header': { status: 500, errno: 13 },
  'damaged-image': { status: 500, errno: 14 },
  'missing-file': { status: 500, errno: 50 },
  'rate-limited': { status: 429, errno: 29 },
  busy: { status: 503, errno: 29 },
  internal: { status: 500, errno: 255 },
};

/** Methods that every operation answers, but for HEAD where an answer leaves something behind. */
export const ALLOWED_METHODS = 'GET, HEAD, POST, OPTIONS';
export const METHODS_WITH_SIDE_EFFECTS = 'GET, POST, OPTIONS';

/** Whatever was thrown, as a failure that may be shown. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('internal', 'The request could not be answered because of an internal error.', { cause: error });
}

/** Failures of others, and too much at once. */
const NOT_OURS: readonly FailureKind[] = ['busy', 'queue-full', 'host-refused', 'upstream-failed'];

/** The status of a failure, for pages that say what failed. */
export function statusOf({ kind }: Failure): number {
  return ANSWERS[kind].status;
}

/** The number of a failure, for answers that say of themselves what failed. */
export function errnoOf({ kind }: Failure): number {
  return ANSWERS[kind].errno;
}

/** True for the failures that somebody who runs the service has to look at. */
export function isOurFault(failure: Failure): boolean {
  return !NOT_OURS.includes(failure.kind) && ANSWERS[failure.kind].status >= 500;
}

export interface ErrorContext {
  readonly requestId: string;
  /** Asked as `?action=<name>`: the official web client takes 500, not 404, for "no image". */
  readonly actionForm: boolean;
}

/** The JSON answer to a failure: `{error, errno, parameter?, requestId}`. */
export function errorResponse(failure: Failure, { requestId, actionForm }: ErrorContext): Response {
  const { status, errno } = ANSWERS[failure.kind];
  const body = { error: failure.message, errno, ...(failure.parameter ? { parameter: failure.parameter } : {}), requestId };
  const headers = new Headers({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': NO_STORE });
  if (failure.kind === 'method-not-allowed') headers.set('Allow', failure.allowedMethods ?? ALLOWED_METHODS);
  if (failure.retryAfterSeconds !== undefined) headers.set('Retry-After', String(failure.retryAfterSeconds));
  return new Response(JSON.stringify(body), { status: actionForm && status === 404 ? 500 : status, headers });
}

/** What gives its holder the right to something: the answer of the video host to an authorisation. */
const SECRET_PARAMETERS: readonly string[] = ['code', 'state'];

/** The address of a request for the log, without the values that nobody but its sender may know. */
export function loggedUrl(address: string): string {
  const url = new URL(address);
  for (const name of SECRET_PARAMETERS) if (url.searchParams.has(name)) url.searchParams.set(name, 'hidden');
  return url.href;
}

// Failures as HTTP responses.
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import { BUDGET_RETRY_SECONDS } from '../limits/admission.ts';
import { MEMORY_RETRY_SECONDS } from '../limits/memory.ts';
import type { Log } from '../ports/timing.ts';
import { causeOf, causesOf, FAILURES, Failure, type FailureKind, isTransient } from '../util/errors.ts';
import { NoMemory } from '../util/memory-budget.ts';
import { failureScript } from './jsonp.ts';
import type { ErrorBody } from './parameters.ts';
import { jsonResponse, NO_STORE, type RepresentationFacts } from './response.ts';

/** Seconds after which D1, R2 and Durable Objects have restarted or moved. */
const STORAGE_RETRY_SECONDS = 5;

/** Texts of D1 and SQLite where a database has its greatest size, which the budgets of visitors keep from happening. */
const FULL = /exceeded maximum db size|database or disk is full/i;

/** Converts any thrown value to a failure whose sentence may be shown. */
export function asFailure(error: unknown): Failure {
  // Errors of queries wrap the failure of the database.
  for (const cause of causesOf(error)) if (cause instanceof Failure) return cause;
  if (error instanceof NoMemory) {
    const sentence = 'The service is busy. Try again in a few seconds.';
    return new Failure('busy', sentence, { retryAfterSeconds: MEMORY_RETRY_SECONDS, cause: error });
  }
  if (isTransient(error)) {
    const sentence = 'The storage of the service does not respond at the moment. Try again in a few seconds.';
    return new Failure('storage-unavailable', sentence, { retryAfterSeconds: STORAGE_RETRY_SECONDS, cause: error });
  }
  if ([...causesOf(error)].some(({ message }) => FULL.test(message))) {
    const sentence = 'The storage of the service is full, so that nothing new is stored. Try again later.';
    return new Failure('storage-full', sentence, { retryAfterSeconds: BUDGET_RETRY_SECONDS, cause: error });
  }
  return new Failure('internal', 'The request failed because of an internal error. Try again later.', { cause: error });
}

/** Server errors that need no action by the operator: an overload, a failure of an external service, or an option of a standard. */
const EXPECTED: readonly FailureKind[] = ['not-implemented', 'busy', 'queue-full', 'host-refused'];

export const statusOf = ({ kind }: Failure): number => FAILURES[kind].status;

/** Error number of a failure, for responses that report it with status 200. */
export const errnoOf = ({ kind }: Failure): number => FAILURES[kind].errno;

/** Whether a failure is a fault of the service, to be logged for its operator. */
export const isOurFault = (failure: Failure): boolean => !EXPECTED.includes(failure.kind) && FAILURES[failure.kind].status >= 500;

/**
 * The sentence of a failure for a page, and the facts of the page. `log` receives faults of the service.
 * @throws The error of a fault of the service that has no sentence of its own, or without `log`
 */
export function toldFailure(error: unknown, log?: Log): { readonly sentence: string; readonly facts: RepresentationFacts } {
  const failure = asFailure(error);
  if (isOurFault(failure)) {
    if (!log || failure.kind === 'internal') throw error;
    log({ failure: failure.kind, cause: causeOf(failure) });
  }
  const facts = { policy: NO_STORE, status: statusOf(failure), headers: failureHeaders(failure) };
  return { sentence: failure.message, facts };
}

/** Marks a response to a fault of the service on its way to the count of requests, because an action form has status 500 for every failure. */
export const FAULT_HEADER = 'Service-Fault';

interface ErrorContext {
  readonly requestId: string;
  /** Whether the request has the form `?action=<name>`, in which the official web client expects 500 for every failure. */
  readonly actionForm: boolean;
  readonly docs?: string;
  /** Function that a script passes the failure to, for operations that report failures in scripts. */
  readonly callback?: string | undefined;
}

export function errorHeaders({ kind, allowedMethods, retryAfterSeconds, sizeBytes, exceeded }: Failure): Record<string, string> {
  return {
    ...(allowedMethods === undefined ? {} : { Allow: allowedMethods }),
    ...(kind === 'bad-token' ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(sizeBytes === undefined ? {} : { 'Content-Range': `bytes */${sizeBytes}`, 'Accept-Ranges': 'bytes' }),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...rateLimitHeaders(exceeded, { remaining: 0, resetSeconds: retryAfterSeconds }),
  };
}

/** Headers of a response of the service to a failure, which mark its faults. */
const failureHeaders = (failure: Failure): Record<string, string> => ({
  ...errorHeaders(failure),
  ...(isOurFault(failure) ? { [FAULT_HEADER]: failure.kind } : {}),
});

/** Failures of HTTP and not of the operation, which keep their status in the action form. */
const OF_HTTP: readonly FailureKind[] = ['unsatisfiable-range', 'method-not-allowed'];

export function errorResponse(failure: Failure, { requestId, actionForm, docs, callback }: ErrorContext): Response {
  const { status, errno } = FAILURES[failure.kind];
  const { message: error, parameter, reason, details, replacedBy, suggestion } = failure;
  const body: ErrorBody = { error, errno, parameter, reason, details, replacedBy, suggestion, docs, requestId };
  if (callback !== undefined) return failureScript(body, callback);
  return jsonResponse(body, {
    status: actionForm && !OF_HTTP.includes(failure.kind) ? 500 : status,
    headers: failureHeaders(failure),
  });
}

/** Parameters of an authorisation by the video host, which are credentials. */
const SECRET_PARAMETERS: readonly string[] = ['code', 'state'];

/** The URL of a request for the log, with credentials masked. */
function loggedUrl(address: URL): string {
  const url = new URL(address);
  for (const name of SECRET_PARAMETERS) if (url.searchParams.has(name)) url.searchParams.set(name, 'hidden');
  return url.href;
}

export function logFailure(log: Log, failure: Failure, { requestId, url }: { requestId: string; url: URL }): void {
  if (isOurFault(failure)) log({ requestId, failure: failure.kind, url: loggedUrl(url), cause: causeOf(failure) });
}

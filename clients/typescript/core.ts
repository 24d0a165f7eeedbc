// Addresses, responses, failures and times of the API, for the client and the pages of the service. A bundle has only what it uses.
import { retryAfterMs } from '../../src/platform/util/retry.ts';

/** The JSON of a failure. */
export interface Failure {
  readonly error: string;
  readonly errno: number;
  readonly parameter: string;
  /** A word for why it refuses, where there are several reasons. */
  readonly reason: string;
  /** The value that was probably meant. */
  readonly suggestion: string;
  /** Address of the documentation of the operation. */
  readonly docs: string;
  /** To be named in a report. */
  readonly requestId: string;
}

/** Statuses of failures that pass: too many requests, and those of a service or a proxy that is overloaded. */
const PASSING: readonly number[] = [429, 502, 503, 504];

/** A failure that the service reports, with its sentence. */
export class ServiceError extends (Error as new (sentence?: string) => Error & Partial<Omit<Failure, 'error'>>) {
  override readonly name = 'ServiceError';
  readonly status!: number;
  /** Milliseconds after which the service asks to be called again, or null. */
  readonly retryAfterMs!: number | null;

  constructor(
    status: number,
    { error, errno, parameter, reason, suggestion, docs, requestId }: Partial<Failure>,
    retryAfterMs: number | null = null,
  ) {
    super(error);
    Object.assign(this, { status, errno, parameter, reason, suggestion, docs, requestId, retryAfterMs });
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return PASSING.includes(this.status);
  }
}

/** Parameters by name; a time may be a Date, and undefined stands for none. */
export type Values = Readonly<Record<string, unknown>>;

/** A value in a query, in which the characters of the notations of layers and times stay readable. */
const encoded = (value: unknown): string =>
  encodeURIComponent(value instanceof Date ? value.toISOString() : String(value)).replace(/%(5B|5D|2C|3A)/g, decodeURIComponent);

/** The path of an operation with its query, from the root of the service on. */
export function pathOf(name: string, parameters: Values = {}): string {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([parameter, value]) => `${parameter}=${encoded(value)}`);
  return `/v2/${name}/${query.length > 0 ? '?' : ''}${query.join('&')}`;
}

/** The response, when its status is 2xx. @param sentenceFor That of a failure without one, as of a proxy @throws ServiceError for others */
export async function checked(
  response: Response,
  sentenceFor = (status: number) => `The service responds with status ${status}.`,
): Promise<Response> {
  if (response.ok) return response;
  const failure = { error: sentenceFor(response.status), ...(await response.json().catch(() => ({}))) };
  throw new ServiceError(response.status, failure, retryAfterMs(response.headers.get('Retry-After'), Date.now()));
}

/** The JSON of a response. @throws ServiceError for a body of status 2xx that reports a failure; SyntaxError for one that is not JSON */
export async function jsonOf<T>(response: Response): Promise<T> {
  const body = await response.json();
  if (body?.errno !== undefined) throw new ServiceError(response.status, body);
  return body;
}

/** A time of a response: `2024-05-10 12:00:03` or ISO 8601, UTC without a zone. */
export function dateOf(text: string): Date {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  return new Date(`${text.replace(' ', 'T')}${hasZone ? '' : 'Z'}`);
}

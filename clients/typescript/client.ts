// A client of the API of helioedge for Node, Deno and browsers, without dependencies.
import { SECOND_MS } from '../../src/platform/util/durations.ts';
import { retry } from '../../src/platform/util/retry.ts';
import { checked, jsonOf, pathOf, ServiceError, type Values } from './core.js';
import type { Body, JsonOperation, OperationName, Parameters } from './operations.js';

export type { components } from './api.js';
export { dateOf, ServiceError } from './core.js';
export type { Body, JsonOperation, Parameters } from './operations.js';

/** An operation with parameters, which may be left out where none is required. */
type Call<N extends OperationName, More extends readonly unknown[] = []> =
  Record<never, never> extends Parameters<N>
    ? [name: N, parameters?: Parameters<N>, ...more: More]
    : [name: N, parameters: Parameters<N>, ...more: More];

export type Image = Body<'listImages'>['images'][number];
export type MovieStatus = Body<'getMovieStatus'>;
export type FinishedMovie = Extract<MovieStatus, { status: 2 }> & { id: string };

export interface ClientOptions {
  /** Address of the service, as `https://HOST`. */
  readonly baseUrl: string;
  /** Unset: that of the platform. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Attempts of a request that fails for the moment, in all. Unset: 4. */
  readonly attempts?: number;
  /** Milliseconds for a response to begin, more than the 30 s for which getMovieStatus waits. Unset: 60,000. */
  readonly timeoutMs?: number;
  /** Most milliseconds between two attempts, whatever Retry-After says. Unset: 60,000, its usual value. */
  readonly longestWaitMs?: number;
  /** Receives the sentences of X-Notice, on requests that are valid but probably not meant. */
  readonly onNotice?: (notice: string) => void;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface MovieOptions extends CallOptions {
  readonly format?: 'mp4' | 'webm' | 'flv';
  /** Receives the state of the movie whenever it has changed. */
  readonly onStatus?: (status: MovieStatus) => void;
}

export interface Client {
  /** The address of a response, for links and pictures. */
  address<N extends OperationName>(...call: Call<N>): string;
  /**
   * The response of any operation, as one with a picture. A failure that passes is tried again, after the time that the service asks for.
   * @throws ServiceError; TypeError without a connection; DOMException TimeoutError, or the reason of the signal
   */
  response<N extends OperationName>(...call: Call<N, [more?: CallOptions]>): Promise<Response>;
  /** The JSON of an operation. @throws as `response` */
  get<N extends JsonOperation>(...call: Call<N, [more?: CallOptions]>): Promise<Body<N>>;
  /** The images of a datasource in a range of time, the oldest first, a page of `limit` (1000) at a time. @throws as `response` */
  images(parameters: Omit<Parameters<'listImages'>, 'format'>, more?: CallOptions): AsyncGenerator<Image, void>;
  /** Queues a movie and waits until it is finished. @throws as `response`; ServiceError for a movie that cannot be made */
  movie(parameters: Parameters<'queueMovie'>, more?: MovieOptions): Promise<FinishedMovie>;
}

/** A client of the service at `baseUrl`. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, attempts = 4, timeoutMs = 60_000, longestWaitMs = 60_000, onNotice } = options;
  const send = options.fetch ?? ((request: Request) => fetch(request));

  const root = baseUrl.replace(/\/$/, '');
  const address = (name: string, parameters?: Values): string => root + pathOf(name, parameters);

  /** Objects go in a body, because a query has none. */
  function requestOf(name: string, parameters: Values, signal: AbortSignal): Request {
    const hasObjects = Object.values(parameters).some((value) => typeof value === 'object' && !(value instanceof Date));
    if (!hasObjects) return new Request(address(name, parameters), { signal });
    const headers = { 'Content-Type': 'application/json' };
    return new Request(address(name), { method: 'POST', headers, body: JSON.stringify(parameters), signal });
  }

  async function attempt(name: string, parameters: Values, signal: AbortSignal | undefined): Promise<Response> {
    // Not AbortSignal.timeout, which would also end the body of a long file.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException('The service does not respond.', 'TimeoutError')), timeoutMs);
    try {
      const found = await checked(
        await send(requestOf(name, parameters, AbortSignal.any([late.signal, ...(signal ? [signal] : [])]))),
      );
      const notice = found.headers.get('X-Notice');
      if (notice !== null) onNotice?.(notice);
      return found;
    } finally {
      clearTimeout(timer);
    }
  }

  const response = (name: string, parameters: Values = {}, { signal }: CallOptions = {}): Promise<Response> =>
    retry(() => attempt(name, parameters, signal), {
      attempts,
      firstMs: SECOND_MS,
      longestMs: longestWaitMs,
      signal,
      isTransient: (error) => !(error instanceof ServiceError) || error.isPassing,
    });

  const json = async (name: string, parameters?: Values, more?: CallOptions): Promise<unknown> =>
    jsonOf(await response(name, parameters, more));
  /** The document says of what type the JSON of each operation is. */
  const get = json as Client['get'];

  const images: Client['images'] = async function* (parameters, more) {
    let { after } = parameters;
    for (;;) {
      const { images: found, next } = await get('listImages', { ...parameters, ...(after ? { after } : {}) }, more);
      yield* found;
      if (next === null) return;
      after = next;
    }
  };

  const movie: Client['movie'] = async (parameters, { format = 'mp4', onStatus, ...more } = {}) => {
    const { id } = await get('queueMovie', parameters, more);
    for (let wait = 0; ; wait = 30) {
      const status = await get('getMovieStatus', { id, format, wait }, more);
      onStatus?.(status);
      if (status.status === 2) return { ...status, id };
      if (status.status === 3) throw new ServiceError(200, status);
    }
  };

  return { address, response, get, images, movie };
}

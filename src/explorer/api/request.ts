// Requests of the page to the service by the core of its client, and the sentences of their failures.
import { checked, jsonOf, pathOf, ServiceError } from '../../../clients/typescript/core.ts';
import type { Body, JsonOperation, Parameters } from '../../../clients/typescript/operations.ts';
import { fill, texts } from '../texts.ts';

/** Longest wait for a response and its body. */
const TIMEOUT_MS = 30_000;

/** A failure that the page itself finds, with its sentence for the user: of the connection, or of what was received. */
export class PageError extends Error {}

/** For what does not load. @throws PageError */
export const offline = (): never => {
  throw new PageError(texts.failures.offline);
};

export const mayPass = (error: unknown): boolean =>
  error instanceof ServiceError ? error.isPassing : error instanceof PageError;

export function sentenceOf(error: unknown): string {
  if (error instanceof ServiceError || error instanceof PageError) return error.message;
  console.error(error);
  return texts.failures.internal;
}

type Waiting = { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number };

/** What is received of a response. @throws ServiceError; PageError for a failure of the connection; the reason of the signal */
export async function received<T>(work: Promise<T>, { signal }: Waiting): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (signal?.aborted || error instanceof ServiceError) throw error;
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw new PageError(isLate ? texts.failures.late : texts.failures.offline);
  }
}

/**
 * The response to a request.
 * @throws ServiceError with the sentence of the service; PageError with one about the connection
 */
export function requestResponse(path: string, waiting: Waiting = {}): Promise<Response> {
  const { signal, timeoutMs = TIMEOUT_MS } = waiting;
  const limit = AbortSignal.timeout(timeoutMs);
  const response = fetch(path, { signal: signal ? AbortSignal.any([limit, signal]) : limit });
  return received(
    response.then((found) => checked(found, (status) => fill(texts.failures.status, { status }))),
    waiting,
  );
}

/**
 * The JSON of a response, and its headers.
 * @throws as `requestResponse`; also ServiceError for a body of status 200 that reports a failure, and PageError for one that breaks off
 */
export async function requestJson<T>(path: string, waiting: Waiting = {}): Promise<{ body: T; headers: Headers }> {
  const response = await requestResponse(path, waiting);
  return { body: await received(jsonOf<T>(response), waiting), headers: response.headers };
}

/** Parameters of an operation, in which undefined stands for none. */
type Given<P> = { [K in keyof P]: P[K] | (Record<never, never> extends Pick<P, K> ? undefined : never) };

/**
 * The JSON of an operation of the API. `Part`: what of its type these parameters have.
 * @throws as `requestJson`
 */
export const call = async <N extends JsonOperation, Part extends Body<N> = Body<N>>(
  name: N,
  parameters: Given<Parameters<N>>,
  signal?: AbortSignal,
): Promise<Part> => (await requestJson<Part>(pathOf(name, parameters), { signal })).body;

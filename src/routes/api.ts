// Requests of operations: GET, HEAD and POST, with the operation in the path or in the parameter `action`.
import { REQUEST_LIMITS } from '../config/limits/http.ts';
import { Failure, shown } from '../domain/errors.ts';
import { METHODS_WITH_SIDE_EFFECTS } from '../http/errors.ts';
import { handleCall, withNotices } from '../http/handle-call.ts';
import { callback as callbackParameter } from '../http/parameters.ts';
import { clientKey } from '../http/rate-limit.ts';
import type { Representation } from '../http/representation.ts';
import { collectParameters } from '../http/request-parameters.ts';
import { apiPath, findTarget } from '../http/target.ts';
import type { Stopwatch } from '../ports/timing.ts';
import { operations } from './operations.ts';
import { homePage } from './pages.ts';
import type { Services } from './services.ts';

export interface ApiRequest {
  readonly request: Request;
  readonly url: URL;
  readonly stopwatch: Stopwatch;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

/** The function to which a failure of this request is passed; undefined for requests whose failures have a status. */
export function failureCallback({ pathname, searchParams }: URL): string | undefined {
  const name = apiPath(pathname)?.operationName ?? searchParams.get('action') ?? '';
  if (!operations.get(name)?.reportsFailuresInScripts) return undefined;
  return callbackParameter().safeParse(searchParams.get('callback')).data;
}

/**
 * Handles a request of an operation. GET of a root without an operation returns the home page.
 * @throws Failure of the operation, or `unknown-path`, `method-not-allowed`, `unknown-operation`, `missing-parameter`
 */
export async function handleApi(services: Services, { request, url, stopwatch, waitUntil }: ApiRequest): Promise<Representation> {
  const path = apiPath(url.pathname);
  if (!path) throw new Failure('unknown-path', `Nothing is served at ${shown(url.pathname)}.`);
  if (!METHODS.includes(request.method)) {
    throw new Failure('method-not-allowed', `Expected GET, HEAD or POST for the method, got ${request.method}.`);
  }
  const raw = await collectParameters(request, url, REQUEST_LIMITS);
  const target = findTarget(path, raw, operations);
  if (target) {
    const { operation, version } = target;
    if (operation.hasSideEffects && request.method === 'HEAD') {
      const sentence = `Expected GET or POST for the method of ${operation.name}, got HEAD.`;
      throw new Failure('method-not-allowed', sentence, { allowedMethods: METHODS_WITH_SIDE_EFFECTS });
    }
    const { headers } = request;
    const context = { services, version, url, headers, client: clientKey(headers), stopwatch, waitUntil };
    const representation = await handleCall(operation.call(version, raw, REQUEST_LIMITS), context, services);
    return withNotices(representation, operation.shapes[version]!, raw);
  }
  if (request.method !== 'POST') return homePage(request);
  throw new Failure('missing-parameter', 'Expected the name of an operation for action, got nothing.', { parameter: 'action' });
}

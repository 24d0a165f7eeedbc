// Keys of requests in the edge cache, which stands between the two entry points of the Worker.
//
// The cache itself takes a key of path and query: the order of parameters and their notation would make further entries. A request
// without a key does not pass the cache: everything but GET and HEAD, the pages, JPIP, and operations with `edge: 'none'`.
import { REQUEST_LIMITS } from '../config/limits/http.ts';
import { Failure } from '../domain/errors.ts';
import { collectQuery } from '../http/request-parameters.ts';
import { apiPath, findTarget, isActionForm, routedPath } from '../http/target.ts';
import { isJpipRequest } from './jpip/jpip.ts';
import { operations } from './operations.ts';
import { OPENAPI_PATH } from './pages.ts';

/** Documents and files with a path of their own that may be in the cache. A shared view passes its query on. */
const FILES: readonly { readonly path: RegExp; readonly isLarge?: true; readonly takesQuery?: true }[] = [
  { path: /^\/health$/ },
  { path: new RegExp(`^${OPENAPI_PATH}$`) },
  { path: /^\/load\/[^/]+$/, takesQuery: true },
  { path: /^(\/jp2)?\/movies\/[^/]+\.jpx$/, isLarge: true },
  { path: /^\/jp2\/.+\.jp2$/ },
  { path: /^\/cache\/movies\/.+\.png$/ },
  { path: /^\/cache\/movies\/.+/, isLarge: true },
  { path: /^\/cache\/events\/.+/ },
];

/**
 * Whether the cache may fetch the whole response. It does so for a range and for HEAD, which for a movie of hundreds of megabytes
 * would read all of it.
 */
const wantsAll = ({ method, headers }: Request) => method === 'GET' && !headers.has('Range');

/** Key of the response to a request; null for requests that do not pass the edge cache. */
export function edgeKey(request: Request): string | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  const url = new URL(request.url);
  if (isJpipRequest(url)) return null;
  const path = routedPath(request);
  const file = FILES.find((known) => known.path.test(path));
  if (file) return file.isLarge && !wantsAll(request) ? null : path + (file.takesQuery ? url.search : '');
  return operationKey(request, url);
}

/** Key of a valid call of an operation. An invalid one fails in the operation, and failures are not cached. */
function operationKey(request: Request, url: URL): string | null {
  const path = apiPath(url.pathname);
  if (!path) return null;
  const raw = collectQuery(url);
  try {
    const target = findTarget(path, raw, operations);
    if (!target || target.operation.hasSideEffects || (target.operation.isLarge && !wantsAll(request))) return null;
    const { key, edgeKey: call } = target.operation.call(target.version, raw, REQUEST_LIMITS);
    // The feed of the news has another format in the action form. Responses under canonical keys are the same in all forms.
    return call !== null && key === null && isActionForm(url) ? `/action/${call}` : call && `/${call}`;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

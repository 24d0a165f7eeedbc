// The route that a request addresses, and its parameters: the query string, overridden by the fields of a POST body.
import { getPathNoStrict, tryDecodeURIComponent } from 'hono/utils/url';
import { isJpipQuery } from '../../jp2/jpip/request.ts';
import { REQUEST_LIMITS } from '../limits/http.ts';
import { boundedBody, isJsonObject, parsedJson } from '../util/bytes.ts';
import { badParameter, Failure, shown } from '../util/errors.ts';
import type { RawParameters } from './parameters.ts';
import type { Representation } from './response.ts';

export type Version = 'v1' | 'v2';
export const VERSIONS: readonly Version[] = ['v1', 'v2'];

export type PathGroups = Readonly<Record<string, string>>;

/** The form in which the edge cache has a response. */
export interface Keyed {
  readonly key: string;
  /** The query without what the key leaves out. */
  readonly query: URLSearchParams | string;
  readonly notices: readonly string[];
  /** Whether the response may be too large for the cache to fetch it whole, where a client wants a range or the headers. Unset: false. */
  readonly isLarge?: boolean;
}

/** A row of the table of routes. */
export interface Route<Context = never> {
  /** Kinds that the service admits by a token, or a limit of their own: `jpip`, `operator` and `worker`. `tools` are served by the gateway. */
  readonly kind: 'operation' | 'resource' | 'file' | 'status' | 'jpip' | 'tools' | 'operator' | 'worker';
  /** Paths of `routedPath`; its named groups are parameters. */
  readonly path: RegExp;
  /** The method of the row, where a path has several; GET takes HEAD too. Unset: all. */
  readonly method?: string;
  /** A condition besides the path. */
  readonly when?: (request: Pick<Found, 'method' | 'url'>) => boolean;
  /** Methods, others of which are refused. Unset: `handle` refuses them, if any. */
  readonly methods?: readonly string[];
  /** Null for requests that do not pass the edge cache, as without it all. @throws Failure for the first parameter that is at fault */
  readonly key?: ((found: Found) => Keyed | null) | undefined;
  readonly handle: (context: Context, found: Found, request: Request) => Promise<Representation | Response>;
}

/** A request and its route. */
export interface Found<Context = never> {
  readonly method: string;
  readonly url: URL;
  readonly path: string;
  /** Null where nothing is served. */
  readonly route: Route<Context> | null;
  readonly groups: PathGroups;
  /** Headers of the request, with the client that the gateway has named. */
  headers: Headers;
  read?: () => unknown;
}

/** What `read` makes of a request, or its failure: of the gateway, for the service in the same isolate. */
export function readOnce<T>(found: Found, read: () => T): T {
  try {
    const value = found.read ? (found.read() as T) : read();
    found.read = () => value;
    return value;
  } catch (error) {
    found.read = () => {
      throw error;
    };
    throw error;
  }
}

/** The text with which all paths of a pattern begin, as `/v2/` for `^\/v2\/\w+$`. Patterns have alternatives in groups alone. */
const beginningOf = ({ source }: RegExp): string =>
  /^\^((?:\\[/.]|[\w-](?![?*+{]))*)/.exec(source)?.[1]?.replaceAll('\\', '') ?? '';

/** Looks up the first row for a request, once. */
export function routesBy<Context>(rows: readonly Route<Context>[]) {
  const table = rows.map((route) => ({ route, beginning: beginningOf(route.path) }));
  const known = new WeakMap<Request, Found<Context>>();
  function lookUp(request: Request): Found<Context> {
    const { method, headers } = request;
    const [url, path] = [new URL(request.url), routedPath(request)];
    const reading = method === 'HEAD' ? 'GET' : method;
    for (const { route, beginning } of table) {
      // Most rows are for other paths, and a comparison is cheaper than a pattern.
      if (!path.startsWith(beginning)) continue;
      if (route.method !== undefined && route.method !== reading) continue;
      const match = route.path.exec(path);
      if (!match || route.when?.({ url, method }) === false) continue;
      const given = Object.entries(match.groups ?? {}).filter(([, text]) => text !== undefined);
      const groups = Object.fromEntries(given.map(([name, text]) => [name, tryDecodeURIComponent(text)]));
      return { method, url, path, route, groups, headers };
    }
    return { method, url, path, route: null, groups: {}, headers };
  }
  return (request: Request): Found<Context> => {
    const found = known.get(request) ?? lookUp(request);
    known.set(request, found);
    return found;
  };
}

/** Method and path of a row, as in `POST /admin/webhooks/:id`; `ALL` for every method. */
export function rowAt(place: string): Pick<Route, 'path'> & { readonly method?: string } {
  const [method = '', path = ''] = place.split(' ');
  return { path: new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`), ...(method === 'ALL' ? {} : { method }) };
}

export const READING: readonly string[] = ['GET', 'HEAD'];
/** Methods of what takes parameters in a body. */
export const METHODS: readonly string[] = [...READING, 'POST'];

export function otherMethod(methods: readonly string[], got: string): Failure {
  const sentence = `${shown(got)} is not supported here. Use ${methods.join(', ').replace(/, (\w+)$/, ' or $1')}.`;
  return new Failure('method-not-allowed', sentence, { allowedMethods: [...methods, 'OPTIONS'].join(', ') });
}

export const nothingAt = ({ pathname }: URL): Failure => new Failure('unknown-path', `Nothing is served at ${shown(pathname)}.`);

/** Path of a request for routing. Repeated leading slashes count as one, because clients append `/` to a base address that ends in one. */
const routedPath = (request: Request): string => getPathNoStrict(request).replace(/^\/+/, '/');

/** Paths that a firewall may protect by how they begin. */
const PROTECTED = /^\/(admin|internal)(\/|$)/;
/** Percent-encodings of characters that need none (RFC 3986, section 2.3). */
const NEEDLESS_CODE = /%(2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** The canonical spelling of another path; null for one, and for slashes in the API. @throws Failure `unknown-path` of a protected path */
export function otherSpelling(request: Request): string | null {
  const written = /^\w+:\/\/[^/\\?#]*([^?#]*)/.exec(request.url)?.[1] || '/';
  if (!/\/[./]|[\\%]/.test(written)) return null;
  const decoded = written.replace(NEEDLESS_CODE, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  const path = new URL(`http://canonical${decoded.replace(/[\\/]+/g, '/')}`).pathname.replace(/\/+/g, '/');
  if (path === written) return null;
  if (PROTECTED.test(path)) throw new Failure('unknown-path', `Nothing is served at ${shown(written)}.`);
  const isServed = path === written.replace(/\/+/g, '/') && API_PATH.test(path);
  return isServed ? null : path;
}

/** Optional prefix of any JPIP target, for clients that need a separate path for JPIP. */
export const JPIP_PREFIX = /^\/jpip(?=\/|$)/;
const JPIP_TARGET = /\.(jp2|jpx)$/;

export function isJpipRequest({ method, url: { pathname, search } }: Pick<Found, 'method' | 'url'>): boolean {
  return method === 'GET' && (JPIP_PREFIX.test(pathname) || JPIP_TARGET.test(pathname)) && isJpipQuery(search);
}

/** Names of the coding in Accept-Encoding (RFC 9110, section 12.5.3), `q=0` excluded. */
const GZIP = /^\s*(?:x-)?gzip\s*(?:;\s*q=(?!0(?:\.0{0,3})?\s*$).*)?$/i;

/** Whether the client takes gzip. The platform replaces its Accept-Encoding, and passes the original one in `cf`. */
export function acceptsGzip({ headers, cf }: Request): boolean {
  const accepted = cf?.clientAcceptEncoding ?? headers.get('Accept-Encoding');
  return typeof accepted === 'string' && accepted.split(',').some((coding) => GZIP.test(coding));
}

/** `/v2/<name>/`, `/v1/<name>`, `/v2/`, `/` and `/api/` (v1), also ending in `index.php` or with doubled slashes. */
export const API_PATH = /^(?:\/+(?<api>api)|\/+(?<version>v[12])(?:\/+(?<name>[A-Za-z0-9]+))?)?(?:\/+index\.php)?\/*$/;

/** Whether the request has the form `?action=<name>`, whose responses are those that the official web client expects. */
export function isActionForm({ pathname }: URL): boolean {
  const match = API_PATH.exec(pathname);
  return match !== null && match.groups!.name === undefined;
}

/** Checks the lengths of headers but Range, which is ignored when too long. @throws Failure `bad-parameter` that names the header */
export function checkHeaders(headers: Headers): void {
  const most = REQUEST_LIMITS.headerCharacters;
  for (const [name, value] of headers) {
    if (value.length <= most || name === 'range') continue;
    const sentence = `Expected at most ${most} characters for the header ${shown(name)}, got ${value.length}.`;
    throw new Failure('bad-parameter', sentence, { parameter: shown(name) });
  }
}

const AMPERSAND = 0x26;

/** @throws Failure for too many entries; `part` begins the sentence with the part of the request */
function grouped(entries: Iterable<readonly [string, unknown]>, part: string): Map<string, unknown[]> {
  const all = [...entries];
  if (all.length > REQUEST_LIMITS.parameters) throw tooMany(part);
  const groups = Map.groupBy(all, ([name]) => name);
  return new Map([...groups].map(([name, group]) => [name, group.map(([, value]) => value)]));
}

const tooMany = (part: string) => new Failure('bad-parameter', `${part} has more than ${REQUEST_LIMITS.parameters} parameters.`);

/** @throws Failure `body-too-large` */
export async function requestBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = request.headers.get('Content-Length');
  // A body of known length is read as a whole, because a stream comes in pieces of 4 kB.
  const isKnown = announced !== null && Number(announced) <= maxBytes;
  const bytes = isKnown ? new Uint8Array(await request.arrayBuffer()) : await boundedBody(request.body, { maxBytes });
  if (bytes && bytes.byteLength <= maxBytes) return bytes;
  throw new Failure('body-too-large', `The request body has more than ${maxBytes} bytes.`);
}

function jsonFields(body: Uint8Array): [string, unknown][] {
  const value = parsedJson(body, { fatal: true });
  if (value === undefined) throw new Failure('bad-parameter', 'The request body is not JSON. Send a JSON object.');
  if (!isJsonObject(value)) {
    throw new Failure('bad-parameter', `Expected a JSON object for the request body, got ${shown(value)}.`);
  }
  return Object.entries(value).filter(([, field]) => field !== null);
}

/** Counts the fields of a form by its separators, because 50,000 of them take 20 ms to read. @throws Failure for too many */
function checkSeparators(body: Uint8Array): void {
  let left: number = REQUEST_LIMITS.parameters;
  for (let at = body.indexOf(AMPERSAND); at >= 0; at = body.indexOf(AMPERSAND, at + 1)) {
    if (left === 0) throw tooMany('The request body');
    left -= 1;
  }
}

async function formFields(body: Uint8Array, contentType: string): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'Content-Type': contentType } }).formData();
  } catch {
    throw new Failure('bad-parameter', 'The Content-Type announces a form, but the request body has no form fields.');
  }
}

/** The media type of a Content-Type without its parameters. */
export const mediaTypeOf = (contentType: string): string => contentType.split(';')[0]!.trim().toLowerCase();

async function bodyFields(request: Request): Promise<Map<string, unknown[]>> {
  const body = await requestBody(request, REQUEST_LIMITS.bodyBytes);
  if (body.byteLength === 0) return new Map();
  const contentType = request.headers.get('Content-Type') ?? '';
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === 'application/json') return grouped(jsonFields(body), 'The request body');
  if (mediaType === 'application/x-www-form-urlencoded') checkSeparators(body);
  if (mediaType === 'application/x-www-form-urlencoded' || mediaType === 'multipart/form-data')
    return grouped(await formFields(body, contentType), 'The request body');
  const what = 'application/json or application/x-www-form-urlencoded';
  if (contentType === '') throw badParameter('Content-Type', what, undefined);
  const sentence = badParameter('Content-Type', what, contentType).message;
  throw new Failure('unsupported-type', sentence, { parameter: 'Content-Type' });
}

/** The parameters of a query. @throws Failure `bad-parameter` for too many */
export const collectQuery = ({ searchParams }: URL): RawParameters => grouped(searchParams, 'The query');

/** The parameters of a query and a body. @throws Failure `body-too-large`, or `bad-parameter` for too many or another content type */
export async function collectParameters(request: Request, url: URL): Promise<RawParameters> {
  const query = collectQuery(url);
  if (request.method !== 'POST') return query;
  const body = await bodyFields(request);
  return new Map([...query, ...body]);
}

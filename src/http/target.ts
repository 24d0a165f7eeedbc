// The operation that a URL addresses.
import { getPathNoStrict } from 'hono/utils/url';
import { didYouMean, Failure, shown } from '../domain/errors.ts';
import { nearestWord } from '../util/nearest-word.ts';
import { type Operation, VERSIONS, type Version } from './operation.ts';
import { countedValue } from './parameter-rules.ts';
import type { RawParameters } from './request-parameters.ts';

/** A parsed path of the API. */
export interface ApiPath {
  readonly version: Version;
  /** Null where the parameter `action` names the operation. */
  readonly operationName: string | null;
}

/**
 * Path of a request for routing, with or without the last slash. Repeated leading slashes count as one, because clients append
 * `/` to a base address that ends in one.
 */
export function routedPath(request: Request): string {
  return getPathNoStrict(request).replace(/^\/+/, '/');
}

const API_PATH = /^(?:\/(v1|v2))?(?:\/([A-Za-z0-9]+))?$/;

/** Parses `/v2/<name>/`, `/v1/<name>`, `/v2/` and `/`. Slashes may be doubled, and the last one absent. Null for other paths. */
export function apiPath(pathname: string): ApiPath | null {
  const match = API_PATH.exec(pathname.replace(/\/+/g, '/').replace(/\/$/, ''));
  if (!match) return null;
  const version = VERSIONS.find((known) => known === match[1]);
  const operationName = match[2] ?? null;
  return version === undefined && operationName !== null ? null : { version: version ?? 'v2', operationName };
}

/** Whether the request has the form `?action=<name>`, whose responses are those that the official web client expects. */
export function isActionForm(url: URL): boolean {
  return apiPath(url.pathname)?.operationName === null;
}

export interface Target<Services> {
  readonly operation: Operation<Services>;
  readonly version: Version;
}

/**
 * The operation named by the path or the parameter `action`; null when neither names one.
 * @throws Failure `unknown-operation` for a name that the version does not have
 */
export function findTarget<Services>(
  { version, operationName }: ApiPath,
  raw: RawParameters,
  operations: ReadonlyMap<string, Operation<Services>>,
): Target<Services> | null {
  const name = operationName ?? countedValue(raw.get('action') ?? []);
  if (name === undefined) return null;
  const operation = typeof name === 'string' ? operations.get(name) : undefined;
  if (operation?.shapes[version]) return { operation, version };
  const names = [...operations].filter(([, { shapes }]) => shapes[version]).map(([known]) => known);
  const nearest = typeof name === 'string' ? nearestWord(name, names) : null;
  const suggestion = nearest === null ? undefined : { value: nearest };
  const sentence = `Expected the name of an operation of ${version} for action, got ${shown(name)}.${didYouMean(suggestion)}`;
  throw new Failure('unknown-operation', sentence, { parameter: 'action', suggestion: suggestion?.value });
}

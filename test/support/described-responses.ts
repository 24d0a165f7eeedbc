// Compares responses with the OpenAPI document, by a JSON Schema validator that shares no code with the service.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { operations } from '../../src/faces/operations.ts';
import { TAGS } from '../../src/faces/pages.ts';
import { type DocumentedOperation, openApiDocument } from '../../src/platform/http/openapi/document.ts';

interface DescribedResponse {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;
}

export type DescribedOperation = DocumentedOperation & { readonly responses: Readonly<Record<string, DescribedResponse>> };

export const DOCUMENT = openApiDocument(operations.values(), { origin: 'http://sun.test', tags: TAGS }) as unknown as {
  readonly paths: Readonly<Record<string, { readonly get?: DescribedOperation; readonly post?: DescribedOperation }>>;
  readonly components: {
    readonly responses: Record<string, DescribedResponse>;
    readonly headers: Record<string, { example: unknown }>;
  };
};

/** All operations of the document by path. */
export const DESCRIBED: ReadonlyMap<string, DescribedOperation> = new Map(
  Object.entries(DOCUMENT.paths).map(([path, { get, post }]) => [path, (get ?? post)!]),
);

/**
 * A copy of a schema whose objects allow the described fields only. The document leaves them open, because clients must expect new
 * fields; a field that the service sends today is to be described.
 */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, name === 'example' ? value : closed(value)]),
  );
  const isClosed = 'properties' in copy && !('additionalProperties' in copy);
  return isClosed ? { ...copy, additionalProperties: false } : copy;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema({ $id: 'document', components: closed(DOCUMENT.components) });

const compiled = new Map<object, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const text = JSON.stringify(closed(schema)).replaceAll('"#/components', '"document#/components');
  const validate = ajv.compile(JSON.parse(text) as object);
  compiled.set(schema, validate);
  return validate;
}

/** Differences of a value from a schema of the document; empty for none. */
export function differences(schema: object, value: unknown): string {
  const validate = validatorOf(schema);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

/** A response of the document, with references resolved. */
export function resolved(response: DescribedResponse): DescribedResponse {
  const name = response.$ref?.split('/').at(-1);
  return name === undefined ? response : DOCUMENT.components.responses[name]!;
}

/** Statuses of methods and bodies that the document does not list by operation. */
const OTHER_FAILURES: readonly number[] = [405, 413, 415];

/** Headers of particular responses, which the document names where they occur. */
const TOLD_HEADER = /^(?:x-(?!content-type-options)|ratelimit|location|retry-after|content-disposition|content-range|set-cookie)/;

const isActionForm = ({ pathname }: URL) => /^\/(?:v[12]\/?)?$/.test(pathname);

/** The operation that a request addresses; undefined for other paths. */
function operationOf(url: URL): DescribedOperation | undefined {
  const [, version = 'v2', name] = /^\/+(?:(v[12])\/*)?(\w+)?\/*$/.exec(url.pathname) ?? [];
  return DESCRIBED.get(`/${version}/${name ?? url.searchParams.get('action') ?? ''}/`);
}

function expectHeaders(response: Response, described: DescribedResponse, where: string): void {
  const told = Object.keys(described.headers ?? {}).map((header) => header.toLowerCase());
  const untold = [...response.headers.keys()].filter((header) => TOLD_HEADER.test(header) && !told.includes(header));
  if (untold.length > 0) throw new Error(`${where} has headers that the document does not name: ${untold.join(', ')}`);
}

/**
 * Compares a response with the document: its status, media type, headers and JSON.
 * @throws Error naming the request and the differences
 */
export async function expectDescribed(url: URL, method: string, response: Response): Promise<void> {
  const described = operationOf(url);
  if (!described || method === 'HEAD' || method === 'OPTIONS') return;
  const where = `${method} ${url.pathname}${url.search.slice(0, 200)} with status ${response.status}`;
  const isOther = OTHER_FAILURES.includes(response.status) || isActionForm(url);
  // A range of JSON or text beside a file.
  if (response.status === 206 && !/^(image|video)/.test(response.headers.get('Content-Type') ?? '')) return;
  // A conditional GET or one of a range, of an operation whose POST is described.
  if ([206, 304, 416].includes(response.status) && !described.responses[response.status]) return;
  const found = described.responses[response.status] ?? (isOther ? described.responses.default : undefined);
  if (!found) throw new Error(`${where} is not in the document`);
  const documented = resolved(found);
  if (!isActionForm(url)) expectHeaders(response, documented, where);
  const mediaType = response.headers.get('Content-Type')?.split(';')[0] ?? '';
  if (response.body === null || response.status === 302 || response.status === 303) return;
  const isScript = mediaType === 'text/javascript' && described.parameters?.some(({ name }) => name === 'callback');
  if (isScript) return;
  const body = documented.content?.[mediaType];
  if (!body && !isActionForm(url)) throw new Error(`${where} has a ${mediaType}, which is not in the document`);
  if (!body || mediaType !== 'application/json') return;
  const wrong = differences(body.schema, await response.clone().json());
  if (wrong !== '') throw new Error(`${where} differs from the document: ${wrong}`);
}

// The OpenAPI document, generated from the schemas that validate requests and describe responses.
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { FAILURES } from '../../util/errors.ts';
import { SERVICE_NAME, SERVICE_VERSION } from '../../util/identity.ts';
import type { Operation, OtherResponse } from '../operation.ts';
import { errorSchema, HEADERS, type HeaderName, type ResponseBody, schemaOf } from '../parameters.ts';
import { VERSIONS, type Version } from '../request.ts';
import examples from './examples.json' with { type: 'json' };

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

const JSON_TYPE = 'application/json';

/** Media types of files, which clients request in parts. */
const FILE_TYPE = /^(?:(?:image|video)\/|application\/(?:fits|octet-stream)$)/;

const EVERY_RESPONSE: readonly HeaderName[] = ['X-Request-Id', 'X-Notice', 'RateLimit-Policy', 'RateLimit'];
const REPRESENTATION: readonly HeaderName[] = ['Cache-Control', 'ETag'];

type Bodies = Readonly<Record<string, ResponseBody>>;

const reference = (kind: 'headers' | 'responses' | 'schemas', name: string) => ({ $ref: `#/components/${kind}/${name}` });

const headersOf = (names: readonly HeaderName[]) =>
  Object.fromEntries([...EVERY_RESPONSE, ...names].map((name) => [name, reference('headers', name)]));

/** Examples by media type. A page has none but its beginning. */
type Examples = Readonly<Record<string, unknown>>;

/** The examples of an operation, of its form in v1, or of another status. */
const examplesOf = (...what: readonly (string | number)[]): Examples =>
  (examples.responses as Readonly<Record<string, Examples>>)[what.join(' ')] ?? {};

/** A file without an example is a binary string, because generated clients make a value of any type of a schema without one. */
function bodyOf(mediaType: string, body: ResponseBody, kept: Examples) {
  const example = kept[mediaType] ?? PAGE;
  if (typeof body !== 'string') return { schema: schemaOf(body.schema), example };
  const schema = { type: 'string' as const, description: body };
  return FILE_TYPE.test(mediaType) && example === PAGE ? { schema: { ...schema, format: 'binary' } } : { schema, example };
}

const PAGE = '<!doctype html>\n<html lang="en"><title>…</title>…</html>';

const contentOf = (bodies: Bodies, kept: Examples) =>
  Object.fromEntries(Object.entries(bodies).map(([mediaType, body]) => [mediaType, bodyOf(mediaType, body, kept)]));

const requestId = examples.headers['X-Request-Id'].example;

const docs = 'https://helioedge.test/docs/';

/** Responses that many operations have, as components of the document: their descriptions and headers. */
const SHARED: Readonly<Record<keyof typeof examples.failures, readonly [string, ...HeaderName[]]>> = {
  BadRequest: ['A parameter is missing or invalid.'],
  BodyTooLarge: ['The body of the request is too large.'],
  TooManyRequests: ['Too many requests of one client.', 'Retry-After'],
  InternalError: ['An archived file is damaged or missing, or an internal error occurred.'],
  ServiceUnavailable: ['The storage of the service does not respond, or the service is overloaded.', 'Retry-After'],
  OtherFailure: ['Any other failure.'],
  RangeNotSatisfiable: ['The range is behind the end of the file.', 'Content-Range'],
};

/** The usual error number of a status, of which others have one alone. */
const errnoOf = (status: number): number | undefined =>
  ({ 400: 25, 404: 24, 503: 29 })[status] ?? Object.values(FAILURES).find((failure) => failure.status === status)?.errno;

function otherResponse(name: string, status: number, given: string | OtherResponse) {
  const { description, content, headers = [] }: OtherResponse = typeof given === 'string' ? { description: given } : given;
  if (status < 400 && !content) return { description, headers: headersOf([...headers, 'Location']) };
  const example = { error: description, errno: errnoOf(status), docs: `${docs}#${name}`, requestId };
  const failure = status < 400 ? {} : { [JSON_TYPE]: { schema: schemaOf(errorSchema), example } };
  return {
    description,
    headers: headersOf(headers),
    content: { ...failure, ...contentOf(content ?? {}, examplesOf(name, status)) },
  };
}

/** The responses of a successful request. Scripts (JSONP) and other ranges are left out, because a generated client would type them too. */
function successes<Services>(
  { name, responses, bodyInV1, method, summary, headers: own = [] }: Operation<Services>,
  version: Version,
) {
  const isOld = version === 'v1' && bodyInV1 !== undefined;
  const bodies: Bodies = isOld ? { ...responses, [JSON_TYPE]: bodyInV1 } : responses;
  const kept = { ...examplesOf(name), ...(isOld ? examplesOf(name, 'v1') : {}) };
  if (Object.keys(bodies).length === 0) return {};
  const headers = headersOf([...REPRESENTATION, ...own]);
  const whole = { 200: { description: summary, headers, content: contentOf(bodies, kept) } };
  if (method === 'post') return whole;
  const notModified = { 304: { description: 'The client has the current content.', headers } };
  const files = Object.entries(bodies).filter(([mediaType]) => FILE_TYPE.test(mediaType));
  if (files.length === 0) return { ...whole, ...notModified };
  const part = {
    description: 'The range of bytes that the request asks for.',
    headers: headersOf([...REPRESENTATION, 'Content-Range', ...own]),
    content: contentOf(Object.fromEntries(files), kept),
  };
  return { ...whole, 206: part, ...notModified, 416: reference('responses', 'RangeNotSatisfiable') };
}

function documentedResponses<Services>(operation: Operation<Services>, version: Version) {
  const others = Object.entries(operation.otherResponses ?? {}).map(
    ([status, given]) => [status, otherResponse(operation.name, Number(status), given)] as const,
  );
  return {
    ...successes(operation, version),
    400: reference('responses', 'BadRequest'),
    ...(operation.method === 'post' ? { 413: reference('responses', 'BodyTooLarge') } : {}),
    429: reference('responses', 'TooManyRequests'),
    500: reference('responses', 'InternalError'),
    503: reference('responses', 'ServiceUnavailable'),
    ...Object.fromEntries(others),
    default: reference('responses', 'OtherFailure'),
  };
}

type Named = Readonly<Record<string, unknown>>;

const ABOUT =
  'Images, movies and events of the Sun through the Helioviewer API. v2 is the current version; v1 and the older form ' +
  '`/?action=<name>` take the same parameters. Every operation accepts GET, HEAD and POST (a form or JSON), with or without the ' +
  'trailing slash, from pages of any origin. `/docs/` has guides and forms. The examples work with the sample archive of `npm start`.';

interface Schema {
  readonly type?: unknown;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** A generated operation, as far as it is read. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: { readonly name: string; readonly required: boolean; schema: Schema; example?: unknown }[];
  readonly requestBody?: { readonly content: Record<string, { schema: Schema; example?: unknown }> };
}

type Paths = Readonly<Record<string, { readonly get?: DocumentedOperation; readonly post?: DocumentedOperation }>>;

function exampleFor<Services>({ example, shapes }: Operation<Services>, version: Version): Record<string, unknown> {
  return Object.fromEntries(Object.entries(example).filter(([name]) => name in (shapes[version] ?? {})));
}

function exampleOf(name: string, { type, format, enum: words, example }: Schema): unknown {
  if (example !== undefined) return example;
  if (words) return words[0];
  if (type === 'boolean') return true;
  return (examples.parameters as Named)[format === 'date-time' ? 'date' : name];
}

/** Adds the example of the request to a generated operation. A parameter that it does not need has one in its schema only. */
function addExamples(documented: DocumentedOperation, request: Named): void {
  const withExample = (name: string, { example, ...schema }: Schema) => ({
    ...schema,
    examples: [request[name] ?? exampleOf(name, { ...schema, example })],
  });
  for (const parameter of documented.parameters ?? []) {
    const { name, schema } = parameter;
    parameter.schema = withExample(name, schema);
    if (name in request) parameter.example = request[name];
  }
  for (const body of Object.values(documented.requestBody?.content ?? {})) {
    const properties = Object.entries(body.schema.properties ?? {}).map(([name, schema]) => [name, withExample(name, schema)]);
    body.schema = { ...body.schema, properties: Object.fromEntries(properties) };
    body.example = request;
  }
}

const pathOf = (version: Version, name: string) => `/${version}/${name}/`;

function register<Services>(api: OpenAPIHono, operation: Operation<Services>, version: Version): void {
  const parameters = z.object(operation.shapes[version]!);
  const isPost = operation.method === 'post';
  const body = { required: true, content: { 'application/json': { schema: parameters } } };
  api.openAPIRegistry.registerPath({
    method: isPost ? 'post' : 'get',
    path: pathOf(version, operation.name),
    operationId: version === 'v2' ? operation.name : `${operation.name}V1`,
    summary: operation.summary,
    description: operation.description,
    tags: [operation.tag],
    request: isPost ? { body } : { query: parameters },
    responses: documentedResponses(operation, version),
  });
}

function registerComponents(api: OpenAPIHono): void {
  api.openAPIRegistry.register('Error', schemaOf(errorSchema));
  for (const [name, description] of Object.entries(HEADERS)) {
    const { type = 'string', example }: { type?: string; example: string | number } = examples.headers[name as HeaderName];
    api.openAPIRegistry.registerComponent('headers', name, { description, schema: { type: type as 'string' }, example });
  }
  for (const [name, [description, ...headers]] of Object.entries(SHARED)) {
    const example = { ...examples.failures[name as keyof typeof SHARED], requestId };
    const content = { [JSON_TYPE]: { schema: reference('schemas', 'Error'), example } };
    api.openAPIRegistry.registerComponent('responses', name, { description, headers: headersOf(headers), content });
  }
}

/** The OpenAPI 3.1 document of the operations, v2 before v1. */
export function openApiDocument<Services>(
  operations: Iterable<Operation<Services>>,
  { origin, tags }: { readonly origin: string; readonly tags: readonly Tag[] },
): { readonly paths: Paths } {
  const api = new OpenAPIHono();
  registerComponents(api);
  const all = [...operations].flatMap((operation) =>
    VERSIONS.toReversed().flatMap((version) => (operation.shapes[version] ? [{ operation, version }] : [])),
  );
  for (const { operation, version } of all) register(api, operation, version);
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: SERVICE_NAME,
      version: SERVICE_VERSION,
      description: ABOUT,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: origin, description: 'This service.' }],
    tags: tags.map(({ name, description }) => ({ name, description })),
    security: [],
  });
  const paths = document.paths as unknown as Paths;
  for (const { operation, version } of all) {
    const { get, post } = paths[pathOf(version, operation.name)]!;
    addExamples((get ?? post)!, exampleFor(operation, version));
  }
  return { ...document, paths };
}

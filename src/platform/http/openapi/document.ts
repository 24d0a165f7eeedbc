// The OpenAPI document, generated from the schemas that validate requests and describe responses.
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { SERVICE_NAME, SERVICE_VERSION } from '../../util/identity.ts';
import type { Operation } from '../operation.ts';
import { VERSIONS, type Version } from '../request.ts';
import type { ApiDocument, Tag } from './api-document.ts';
import { describedHeaders } from './described-headers.ts';
import examples from './examples.json' with { type: 'json' };
import { errorSchema, schemaOf } from './json-bodies.ts';
import { documentedResponses, sharedResponses } from './responses.ts';

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

/** The places of examples in a generated operation. */
interface Examples {
  readonly parameters?: { readonly name: string; schema: Schema; example?: unknown }[];
  readonly requestBody?: { readonly content: Record<string, { schema: Schema; example?: unknown }> };
}

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
function addExamples(documented: Examples, request: Named): void {
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
  for (const [name, header] of describedHeaders()) api.openAPIRegistry.registerComponent('headers', name, header);
  for (const [name, response] of Object.entries(sharedResponses())) {
    api.openAPIRegistry.registerComponent('responses', name, response);
  }
}

/** The OpenAPI 3.1 document of the operations, v2 before v1. */
export function openApiDocument<Services>(
  operations: Iterable<Operation<Services>>,
  { origin, tags }: { readonly origin: string; readonly tags: readonly Tag[] },
): ApiDocument {
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
  for (const { operation, version } of all) {
    const item = document.paths?.[pathOf(version, operation.name)];
    const documented = (item?.get ?? item?.post) as Examples | undefined;
    if (documented) addExamples(documented, exampleFor(operation, version));
  }
  return document as unknown as ApiDocument;
}

// The OpenAPI document, generated from the schemas that validate requests.
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { SERVICE_NAME, SERVICE_VERSION } from '../config/identity.ts';
import { type Operation, VERSIONS, type Version } from './operation.ts';

const errorSchema = z
  .object({
    error: z.string().openapi({ description: 'A sentence for people, often "Expected <what> for <name>, got <value>."' }),
    errno: z.number().int().openapi({ description: 'Number of the failure, as in the original service.' }),
    parameter: z.string().optional().openapi({ description: 'The parameter at fault.' }),
    replacedBy: z.number().int().nullable().optional().openapi({ description: 'Id of the image that replaced a withdrawn one.' }),
    requestId: z.string(),
  })
  .openapi('Error');

const BINARY = { type: 'string', format: 'binary' } as const;
const TEXT = { type: 'string' } as const;

function contentOf(responses: Readonly<Record<string, string>>) {
  const entries = Object.entries(responses).map(([mediaType, description]) => {
    const base = /^(image|video)\//.test(mediaType) ? BINARY : mediaType === 'application/json' ? {} : TEXT;
    return [mediaType, { schema: { ...base, description } }] as const;
  });
  return Object.fromEntries(entries);
}

function register<Services>(api: OpenAPIHono, operation: Operation<Services>, version: Version): void {
  const shape = operation.shapes[version];
  if (!shape) return;
  const parameters = z.object(shape);
  const isPost = operation.method === 'post';
  const others = Object.entries(operation.otherResponses ?? {}).map(
    ([status, description]) => [status, { description }] as const,
  );
  const failure = (description: string) => ({ description, content: { 'application/json': { schema: errorSchema } } });
  api.openAPIRegistry.registerPath({
    method: isPost ? 'post' : 'get',
    path: `/${version}/${operation.name}/`,
    operationId: version === 'v2' ? operation.name : `${operation.name}V1`,
    summary: operation.summary,
    tags: [operation.tag],
    request: isPost ? { body: { content: { 'application/json': { schema: parameters } } } } : { query: parameters },
    responses: {
      200: { description: operation.summary, content: contentOf(operation.responses) },
      400: failure('A parameter is missing or invalid.'),
      404: failure('The image or picture does not exist.'),
      429: failure('Too many requests.'),
      500: failure('The image is damaged, or an internal error occurred.'),
      ...Object.fromEntries(others),
    },
  });
}

/** The OpenAPI 3.1 document of the operations, v2 before v1. */
export function openApiDocument<Services>(operations: Iterable<Operation<Services>>): object {
  const api = new OpenAPIHono();
  for (const operation of operations) {
    for (const version of VERSIONS.toReversed()) register(api, operation, version);
  }
  return api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: SERVICE_NAME, version: SERVICE_VERSION, description: 'Solar imagery through the Helioviewer API.' },
  });
}

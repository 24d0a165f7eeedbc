// Responses of operations in the OpenAPI document: every status, with its headers and bodies.

import type { Operation, OtherResponse, Version } from '../operation.ts';
import { DESCRIBED_HEADERS, type HeaderName } from './described-headers.ts';
import { type DescribedBody, errorSchema, schemaOf } from './json-bodies.ts';

const JSON_TYPE = 'application/json';
const SCRIPT_TYPE = 'text/javascript';
const JSONP = 'With `callback`: a call of this function with the response.';

/** Media types of files, which clients may request in parts. */
const FILE_TYPE = /^(?:image|video)\//;

const EVERY_RESPONSE: readonly HeaderName[] = ['X-Request-Id', 'X-Notice'];
const REPRESENTATION: readonly HeaderName[] = ['Cache-Control', 'ETag'];

type Bodies = Readonly<Record<string, string | DescribedBody>>;

const reference = (kind: 'headers' | 'responses' | 'schemas', name: string) => ({ $ref: `#/components/${kind}/${name}` });

const headersOf = (names: readonly HeaderName[]) =>
  Object.fromEntries([...EVERY_RESPONSE, ...names].map((name) => [name, reference('headers', name)]));

/** JSON Schema does not describe bytes, so the schema of a file has no type. */
function bodyOf(mediaType: string, body: string | DescribedBody) {
  if (typeof body !== 'string') return { schema: schemaOf(body.schema), example: body.example };
  return { schema: FILE_TYPE.test(mediaType) ? { description: body } : { type: 'string' as const, description: body } };
}

const contentOf = (bodies: Bodies) =>
  Object.fromEntries(Object.entries(bodies).map(([mediaType, body]) => [mediaType, bodyOf(mediaType, body)]));

const requestId = DESCRIBED_HEADERS['X-Request-Id'].example;

const ERROR_EXAMPLES = {
  BadRequest: {
    error: 'Expected a whole number from 0 to 100000 for sourceId, got abc.',
    errno: 25,
    parameter: 'sourceId',
    requestId,
  },
  BodyTooLarge: { error: 'Expected at most 1048576 bytes for the request body, got more.', errno: 25, requestId },
  TooManyRequests: { error: 'Too many requests from this address. Try again in a minute.', errno: 29, requestId },
  RangeNotSatisfiable: {
    error: 'Expected a range of the 1000 bytes for Range, got bytes=1000-.',
    errno: 25,
    parameter: 'Range',
    requestId,
  },
  ServiceUnavailable: {
    error: 'The storage of the service does not respond at the moment. Try again in a few seconds.',
    errno: 29,
    requestId,
  },
  OtherFailure: { error: 'Expected GET, HEAD or POST for the method, got PUT.', errno: 26, requestId },
  InternalError: { error: 'The request failed because of an internal error. Try again later.', errno: 255, requestId },
} as const;

function sharedFailure(name: keyof typeof ERROR_EXAMPLES, description: string, headers: readonly HeaderName[] = []) {
  const content = { [JSON_TYPE]: { schema: reference('schemas', 'Error'), example: ERROR_EXAMPLES[name] } };
  return { description, headers: headersOf(headers), content };
}

/** Responses that many operations have, as components of the document. */
export const sharedResponses = () => ({
  BadRequest: sharedFailure('BadRequest', 'A parameter is missing or invalid.'),
  BodyTooLarge: sharedFailure('BodyTooLarge', 'The body of the request is too large.'),
  TooManyRequests: sharedFailure('TooManyRequests', 'Too many requests of one client.', ['Retry-After']),
  InternalError: sharedFailure('InternalError', 'An archived file is damaged or missing, or an internal error occurred.'),
  ServiceUnavailable: sharedFailure(
    'ServiceUnavailable',
    'The storage of the service does not respond, or the service is overloaded.',
    ['Retry-After'],
  ),
  OtherFailure: sharedFailure('OtherFailure', 'Any other failure.'),
  RangeNotSatisfiable: sharedFailure('RangeNotSatisfiable', 'The range is behind the end of the file.', ['Content-Range']),
});

/** The media types of a successful response: JSONP follows from the parameter `callback`. */
function successBodies<Services>({ responses, bodyInV1, shapes }: Operation<Services>, version: Version): Bodies {
  const bodies = version === 'v1' && bodyInV1 ? { ...responses, [JSON_TYPE]: bodyInV1 } : responses;
  const isWrapped = shapes[version]?.callback !== undefined && !(SCRIPT_TYPE in bodies);
  return isWrapped ? { ...bodies, [SCRIPT_TYPE]: JSONP } : bodies;
}

function otherResponse(status: number, given: string | OtherResponse) {
  const { description, content, headers = [] }: OtherResponse = typeof given === 'string' ? { description: given } : given;
  if (status < 400 && !content) return { description, headers: headersOf([...headers, 'Location']) };
  const failure = status < 400 ? {} : { [JSON_TYPE]: { schema: schemaOf(errorSchema) } };
  return { description, headers: headersOf(headers), content: { ...failure, ...contentOf(content ?? {}) } };
}

/** The responses of a successful GET: whole, a range of bytes, and without a body. None for an operation that only redirects. */
function successes<Services>(operation: Operation<Services>, version: Version) {
  const bodies = successBodies(operation, version);
  if (Object.keys(bodies).length === 0) return {};
  const headers = headersOf([...REPRESENTATION, ...operation.headers]);
  const whole = { 200: { description: operation.summary, headers, content: contentOf(bodies) } };
  if (operation.method === 'post') return whole;
  const notModified = { 304: { description: 'The client has the current content.', headers } };
  const part = {
    description: 'The range of bytes that the request asks for.',
    headers: headersOf([...REPRESENTATION, 'Content-Range', ...operation.headers]),
    content: Object.fromEntries(
      Object.keys(bodies).map((mediaType) => [mediaType, { schema: { description: 'The bytes of the range.' } }]),
    ),
  };
  return { ...whole, 206: part, ...notModified, 416: reference('responses', 'RangeNotSatisfiable') };
}

/** All responses of an operation by status. */
export function documentedResponses<Services>(operation: Operation<Services>, version: Version) {
  const others = Object.entries(operation.otherResponses).map(
    ([status, given]) => [status, otherResponse(Number(status), given)] as const,
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

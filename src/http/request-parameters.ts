// Parameters of a request: the query string, overridden by the fields of a POST body.
import { z } from '@hono/zod-openapi';
import { badParameter, Failure } from '../domain/errors.ts';
import { boundedBody } from '../util/bounded-body.ts';
import type { Shape, Values } from './parameters.ts';

/** Unvalidated parameters: text, or any JSON value of a body. A name maps to all values that it has in the query or in the body. */
export type RawParameters = ReadonlyMap<string, readonly unknown[]>;

interface Limits {
  readonly bodyBytes: number;
  readonly parameterCharacters: number;
}

function grouped(entries: Iterable<readonly [string, unknown]>): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const [name, value] of entries) {
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}

/** @throws Failure `body-too-large` */
export async function requestBody({ body }: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await boundedBody(body, { maxBytes });
  if (bytes) return bytes;
  throw new Failure('body-too-large', `Expected at most ${maxBytes} bytes for the request body, got more.`);
}

function jsonFields(body: Uint8Array): Map<string, unknown[]> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body));
  } catch {
    throw new Failure('bad-parameter', 'Expected a JSON object for the request body, got text that is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Failure('bad-parameter', 'Expected a JSON object for the request body, got another JSON value.');
  }
  const given = Object.entries(value).filter(([, field]) => field !== null);
  return grouped(given);
}

async function formFields(body: Uint8Array, contentType: string): Promise<Map<string, unknown[]>> {
  try {
    return grouped(await new Response(body, { headers: { 'Content-Type': contentType } }).formData());
  } catch {
    throw new Failure('bad-parameter', 'Expected form fields for the request body, got something else.');
  }
}

async function bodyFields(request: Request, maxBytes: number): Promise<Map<string, unknown[]>> {
  const body = await requestBody(request, maxBytes);
  if (body.byteLength === 0) return new Map();
  const contentType = request.headers.get('Content-Type') ?? '';
  const mediaType = contentType.split(';')[0]!.trim().toLowerCase();
  if (mediaType === 'application/json') return jsonFields(body);
  if (mediaType === 'application/x-www-form-urlencoded' || mediaType === 'multipart/form-data')
    return formFields(body, contentType);
  const what = 'application/json or application/x-www-form-urlencoded';
  throw badParameter('Content-Type', what, contentType || undefined);
}

/**
 * The parameters of a query and a body.
 * @throws Failure `body-too-large`, or `bad-parameter` for another or a wrong content type
 */
export async function collectParameters(request: Request, url: URL, { bodyBytes }: Limits): Promise<RawParameters> {
  const query = grouped(url.searchParams);
  if (request.method !== 'POST') return query;
  const body = await bodyFields(request, bodyBytes);
  // Repeated query parameters are kept, so that the validation rejects them.
  const repeated = [...query].filter(([, values]) => values.length > 1);
  return new Map([...query, ...body, ...repeated]);
}

/**
 * The text of a JSON number or boolean, or of a list of numbers and strings, as a query string has it. Other values are unchanged,
 * also the empty list, which is the empty object in the JSON of PHP clients.
 */
function asText(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isList = Array.isArray(value) && value.length > 0;
  if (isList && value.every((item) => typeof item === 'number' || typeof item === 'string')) return value.join(',');
  return value;
}

/**
 * The validated parameters of `shape`. Unknown names are ignored.
 * @throws Failure for the first parameter that is missing, repeated, too long or invalid
 */
export function parseParameters<S extends Shape>(
  shape: S,
  raw: RawParameters,
  limits: Pick<Limits, 'parameterCharacters'>,
): Values<S> {
  const input: Record<string, unknown> = {};
  for (const name of Object.keys(shape)) {
    const values = raw.get(name) ?? [];
    if (values.length > 1)
      throw new Failure('bad-parameter', `Expected one value for ${name}, got ${values.length}.`, { parameter: name });
    const value = asText(values[0]);
    if (typeof value === 'string' && value.length > limits.parameterCharacters) {
      throw badParameter(name, `at most ${limits.parameterCharacters} characters`, value);
    }
    input[name] = value;
  }
  const result = z.object(shape).safeParse(input);
  if (result.success) return result.data as Values<S>;
  const issue = result.error.issues[0]!;
  const name = String(issue.path[0]);
  throw badParameter(name, issue.message, input[name]);
}

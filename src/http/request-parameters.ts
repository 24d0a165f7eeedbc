// Parameters of a request: the query string, overridden by the fields of a POST body.
import { z } from '@hono/zod-openapi';
import { badParameter, Failure, type Suggestion } from '../domain/errors.ts';
import { boundedBody } from '../util/bounded-body.ts';
import { nearestWord } from '../util/nearest-word.ts';
import { ABSENCE_RULES, asText, countedValue } from './parameter-rules.ts';
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
  if (contentType === '') throw badParameter('Content-Type', what, undefined);
  const sentence = badParameter('Content-Type', what, contentType).message;
  throw new Failure('unsupported-type', sentence, { parameter: 'Content-Type' });
}

/** The parameters of a query. */
export function collectQuery({ searchParams }: URL): RawParameters {
  return grouped(searchParams);
}

/**
 * The parameters of a query and a body.
 * @throws Failure `body-too-large`, or `bad-parameter` for another or a wrong content type
 */
export async function collectParameters(request: Request, url: URL, { bodyBytes }: Limits): Promise<RawParameters> {
  const query = collectQuery(url);
  if (request.method !== 'POST') return query;
  const body = await bodyFields(request, bodyBytes);
  return new Map([...query, ...body]);
}

interface ParsingOptions extends Pick<Limits, 'parameterCharacters'> {
  /** Whether the words undefined, null and NaN stand for absent values. */
  readonly absentWords?: boolean;
}

/** Schemas of whole shapes, because making one takes as long as parsing with it ten times. */
const SCHEMAS = new WeakMap<Shape, z.ZodObject>();

function schemaOf(shape: Shape): z.ZodObject {
  const known = SCHEMAS.get(shape);
  if (known) return known;
  const schema = z.object(shape);
  SCHEMAS.set(shape, schema);
  return schema;
}

/**
 * The validated parameters of `shape`, by the table of parameter-rules.ts. Unknown names are ignored.
 * @throws Failure for the first parameter that is missing, too long or invalid
 */
export function parseParameters<S extends Shape>(shape: S, raw: RawParameters, options: ParsingOptions): Values<S> {
  const { parameterCharacters, absentWords = false } = options;
  const isAbsent = (value: unknown) => ABSENCE_RULES.empty(value) || (absentWords && ABSENCE_RULES.word(value));
  const input: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const value = asText(countedValue(raw.get(name) ?? []));
    if (isAbsent(value) && schema.isOptional()) continue;
    if (typeof value === 'string' && value.length > parameterCharacters) {
      throw badParameter(name, `at most ${parameterCharacters} characters`, value);
    }
    input[name] = value;
  }
  const result = schemaOf(shape).safeParse(input);
  if (result.success) return result.data as Values<S>;
  const issue = result.error.issues[0]!;
  const name = String(issue.path[0]);
  const misspelled = input[name] === undefined ? misspelledParameters(shape, raw).find(({ meant }) => meant === name) : undefined;
  const misspelling = misspelled && { value: name, gloss: `${misspelled.given} is unknown` };
  throw badParameter(name, issue.message, input[name], misspelling ?? suggestionOf(issue));
}

/** The suggestion of a schema for an invalid value. */
function suggestionOf(issue: z.core.$ZodIssue): Suggestion | undefined {
  const value: unknown = issue.code === 'custom' ? issue.params?.suggestion : undefined;
  return typeof value === 'string' ? { value } : undefined;
}

/** Characters of names that are shown in sentences and headers. */
const PLAIN_NAME = /^\w{2,64}$/;

/** Names in a request that no parameter has but that are close to the name of one which is absent. */
export function misspelledParameters(shape: Shape, raw: RawParameters): { readonly given: string; readonly meant: string }[] {
  const absent = Object.keys(shape).filter((name) => !raw.has(name));
  return [...raw.keys()].flatMap((given) => {
    if (Object.hasOwn(shape, given) || !PLAIN_NAME.test(given)) return [];
    const meant = nearestWord(given, absent);
    return meant === null ? [] : [{ given, meant }];
  });
}

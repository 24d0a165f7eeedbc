// Parameter types as zod schemas. Each parses the text of a query string and carries its OpenAPI description, so that the document
// always matches the validation. The message of an issue is the <what> of "Expected <what> for ...". All forms of a request (query,
// form, JSON body, ?action=) are read by the same rules, so that a value means the same in each of them.
import { z } from '@hono/zod-openapi';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { parseRequestDate, suggestedDate } from '../../sun/time.ts';
import { RATES } from '../limits/admission.ts';
import { REQUEST_LIMITS } from '../limits/http.ts';
import { parsedJson } from '../util/bytes.ts';
import { badParameter, type Suggestion } from '../util/errors.ts';
import { nearestWord } from '../util/nearest-word.ts';
import type { JsonBody, LazySchema } from './response.ts';

// Disables the code generation of zod, because Workers forbid eval.
z.config({ jitless: true });

/** Parameters of an operation by name, in the order of validation. */
export type ParameterShape = Readonly<Record<string, z.ZodType>>;
export type Values<S extends ParameterShape> = z.output<z.ZodObject<S>>;

/** Unvalidated parameters: text, or any JSON value of a body. A name maps to all values that it has in the query or in the body. */
export type RawParameters = ReadonlyMap<string, readonly unknown[]>;

/** Reads the text of a value; undefined for text that is not of its kind. */
type Reader<T> = (text: string) => T | undefined;

const INTEGER = /^[+-]?(0|[1-9]\d*)$/;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const BOOLEAN = /^(?:true|false|[01])$/i;

function numberIn(pattern: RegExp, text: string): number | undefined {
  const trimmed = text.trim();
  return pattern.test(trimmed) ? Number(trimmed) : undefined;
}

export const VALUE_RULES = {
  /** An integer literal without decimals or leading zeros; surrounding blanks are ignored. */
  integer: (text) => numberIn(INTEGER, text),
  /** A decimal literal with or without exponent; surrounding blanks are ignored. */
  decimal: (text) => numberIn(DECIMAL, text),
  /** true, false, 1 or 0 in any letter case: Python writes True. */
  boolean: (text) => (BOOLEAN.test(text) ? /^[t1]/i.test(text) : undefined),
  /** The forms of `parseRequestDate`, as milliseconds since 1970. */
  date: (text) => parseRequestDate(text) ?? undefined,
} as const satisfies Readonly<Record<string, Reader<number | boolean>>>;

type OpenApiSchema = Readonly<Record<string, unknown>>;

/** The value that an invalid text probably stands for, with its meaning where it does not say it; undefined when there is none. */
type Suggest = (text: string) => string | Suggestion | null | undefined;

/** A schema of a parameter given as text. `read` returns undefined for invalid text. */
function fromText<T>(what: string, openapi: OpenApiSchema, read: (text: string) => T | undefined, suggest?: Suggest) {
  return z
    .string({ error: what })
    .transform((text, context): T => {
      const value = read(text);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: what, params: { suggestion: suggest?.(text) ?? undefined } });
      return z.NEVER;
    })
    .openapi(openapi);
}

type NumberRange = { readonly min: number; readonly max: number };

/** The value in a range; undefined outside it. */
const within = (value: number | undefined, { min, max }: NumberRange) =>
  value !== undefined && value >= min && value <= max ? value : undefined;

/** The only whole number in a text: of `26.0`, `image-26` or `"26"`. */
function wholeNumberIn(text: string): number | undefined {
  const [digits, ...others] = text.replace(/\.0+(?!\d)/, '').match(/\d+/g) ?? [];
  return others.length === 0 ? VALUE_RULES.integer(digits?.replace(/^0+(?=\d)/, '') ?? '') : undefined;
}

/** The instant of a date, in units of so many milliseconds: for numbers of them. */
export const suggestedNumber = (unitMs: number) => (text: string) => {
  const iso = suggestedDate(text);
  return iso === undefined ? undefined : { value: String(Date.parse(iso) / unitMs), gloss: iso };
};

/** A whole number without decimals or leading zeros; blanks around it are ignored. @param suggest Unset: the only number in the text */
export function integer(description: string, { min, max }: NumberRange, suggest?: Suggest) {
  const what = `a whole number from ${min} to ${max}`;
  const openapi = { type: 'integer', minimum: min, maximum: max, description };
  const read = (text: string) => within(VALUE_RULES.integer(text), { min, max });
  const contained = (text: string) => within(wholeNumberIn(text), { min, max })?.toString();
  return fromText(what, openapi, read, (text) => suggest?.(text) ?? contained(text));
}

/** A finite decimal number from `min` to `max`. */
export function decimal(description: string, { min, max }: NumberRange) {
  const what = `a number from ${min} to ${max}`;
  const openapi = { type: 'number', minimum: min, maximum: max, description };
  return fromText(what, openapi, (text) => within(VALUE_RULES.decimal(text), { min, max }));
}

/** true, false, 1 or 0 in any letter case. */
export function boolean(description: string) {
  return fromText('true or false', { type: 'boolean', description }, VALUE_RULES.boolean);
}

export function choice<W extends string>(description: string, words: readonly W[]) {
  const what = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  const openapi = { type: 'string', enum: words, description };
  const read = (text: string) => words.find((word) => word === text);
  return fromText(what, openapi, read, (text) => nearestWord(text, words));
}

function unbracketed(text: string): string {
  const trimmed = text.trim();
  return trimmed.startsWith('[') && trimmed.endsWith(']') ? trimmed.slice(1, -1) : trimmed;
}

/** The values of a list separated by commas; undefined when one of them is invalid. */
function itemsOf<T>(list: string, read: (item: string) => T | null | undefined): T[] | undefined {
  const items = list.split(',').map((item) => read(item.trim()) ?? undefined);
  return items.includes(undefined) ? undefined : (items as T[]);
}

const integersOf = (list: string, range: NumberRange) => itemsOf(list, (item) => within(VALUE_RULES.integer(item), range));

const distinct = <T>(items: readonly T[] | undefined): T[] | undefined => items && [...new Set(items)];
const upTo = <T>(most: number, items: T[] | undefined) => (items && items.length <= most ? items : undefined);
const matching = (pattern: RegExp, text: string) => (pattern.test(text) ? text : undefined);

/** A list of words in any letter case, separated by commas: each once, in their order. @param otherNames Other names in lower case */
export function choiceList<W extends string>(
  description: string,
  words: readonly W[],
  otherNames: Readonly<Record<string, W>> = {},
) {
  const what = `one or more of ${words.join(', ')}, separated by commas`;
  const wordOf = (item: string) => words.find((word) => word.toLowerCase() === item.toLowerCase());
  const meant = (item: string) => wordOf(item) ?? otherNames[item.toLowerCase()] ?? (nearestWord(item, words) as W | null);
  const openapi = { type: 'string', description, example: words.join(',') };
  const read = (text: string) => distinct(itemsOf(text, wordOf));
  return fromText(what, openapi, read, (text) => distinct(itemsOf(unbracketed(text), meant))?.join());
}

interface Notation {
  /** The expectation in an error sentence. */
  readonly what: string;
  readonly example: string;
  readonly mayBeEmpty?: boolean;
}

/** Text in a notation of its own, parsed by the operation. */
export function notation(description: string, { what, example, mayBeEmpty = false }: Notation) {
  const openapi = { type: 'string', ...(mayBeEmpty ? {} : { minLength: 1 }), description, example };
  return fromText(what, openapi, (text) => (mayBeEmpty || text.trim() !== '' ? text : undefined));
}

/** Text of an address outside the operations, which no document describes. @param what The expectation in an error sentence */
export const addressText = (what: string) => notation('', { what, example: '' });

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An object of a JSON body, parsed by the operation; its size is limited by that of the body. */
export function jsonObject(description: string) {
  return z.custom<object>(isObject, { error: 'a JSON object' }).openapi({ type: 'object', description });
}

const objectOf = (value: unknown) => (typeof value === 'string' && value.startsWith('{"') ? parsedJson(value) : value);

/** An object of a JSON body, or its text in a query, with a member. */
export function jsonObjectOrItsText(description: string) {
  const type: ('object' | 'string')[] = ['object', 'string'];
  return z
    .custom<object | string>((value) => isObject(objectOf(value)), { error: 'a JSON object' })
    .transform((value) => objectOf(value) as object)
    .openapi({ type, description });
}

/** An object or list of a JSON body, or text in a notation of its own. */
export function jsonObjectOrText(description: string) {
  const isEither = (value: unknown): value is object | string => isObject(value) || typeof value === 'string';
  const type: ('array' | 'object' | 'string')[] = ['array', 'object', 'string'];
  return z.custom<object | string>(isEither, { error: 'a JSON object' }).openapi({ type, items: {}, description });
}

/** Schemas of values that are not converted to text. */
const AS_GIVEN = new WeakSet<z.ZodType>();

/** A list of texts of a JSON body, or text in which the operation separates them; its entries are parsed by the operation. */
export function textList(description: string, example: readonly string[]) {
  const isEither = (value: unknown): value is readonly unknown[] | string => Array.isArray(value) || typeof value === 'string';
  const openapi = { type: 'array' as const, items: { type: 'string' as const }, description, example };
  const schema = z.custom<readonly unknown[] | string>(isEither, { error: 'a list of texts' }).openapi(openapi).optional();
  AS_GIVEN.add(schema);
  return schema;
}

/** An instant, in milliseconds since 1970. */
export function date(description: string) {
  const what = 'a UTC date like 2024-01-31T12:00:00Z';
  return fromText(what, { type: 'string', format: 'date-time', description }, VALUE_RULES.date, suggestedDate);
}

/** Instants separated by commas, in milliseconds since 1970; keeps order and duplicates. */
export function dateList(description: string, { maxItems }: { maxItems: number }) {
  const what = `1 to ${maxItems} UTC dates like 2024-01-31T12:00:00Z, separated by commas`;
  const example = '2024-05-10T12:00:00Z,2024-05-10T12:10:00Z';
  const read = (text: string) => upTo(maxItems, itemsOf(text, VALUE_RULES.date));
  return fromText(what, { type: 'string', description, example }, read);
}

/** Whole numbers separated by commas, with or without brackets around the list; duplicates are removed. */
export function integerList(description: string, { min, max, maxItems }: NumberRange & { readonly maxItems: number }) {
  const what = `1 to ${maxItems} whole numbers from ${min} to ${max}, separated by commas`;
  const read = (text: string) => upTo(maxItems, distinct(integersOf(unbracketed(text), { min, max })));
  return fromText(what, { type: 'string', description, example: '10,13' }, read);
}

/** Like `integerList`, but keeps order and duplicates, and may be empty. */
export function integerSequence(
  description: string,
  { min, max, maxItems }: NumberRange & { readonly maxItems: number },
  suggest?: Suggest,
) {
  const what = `at most ${maxItems} whole numbers from ${min} to ${max}, separated by commas`;
  const read = (text: string) => {
    const list = unbracketed(text).trim();
    return list === '' ? [] : upTo(maxItems, integersOf(list, { min, max }));
  };
  return fromText(what, { type: 'string', description, example: '1388534400,1388538000' }, read, suggest);
}

/** Decimal numbers from `min` to `max` separated by commas, with any brackets around them or around groups of them. */
export function decimalList(
  description: string,
  { what, example, counts, ...range }: Notation & NumberRange & { readonly counts: (count: number) => boolean },
) {
  return fromText(what, { type: 'string', description, example }, (text) => {
    const values = itemsOf(text.replace(/[[\]]/g, ''), (item) => within(VALUE_RULES.decimal(item), range));
    return values && counts(values.length) ? values : undefined;
  });
}

const NAME = /^[\w+. -]{1,64}$/;

/** Names separated by commas, with or without brackets around the list; `[]` is the empty list. */
export function nameList(description: string) {
  const what = 'names separated by commas, like [STEREO_A,PROBA2]';
  const read = (text: string) => (text.trim() === '[]' ? [] : itemsOf(unbracketed(text), (item) => matching(NAME, item)));
  return fromText(what, { type: 'string', description, example: '[STEREO_A,PROBA2]' }, read);
}

export function name(description: string) {
  const what = 'a name of at most 64 letters, digits, blanks and _ - . +';
  return fromText(what, { type: 'string', maxLength: 64, description }, (text) => matching(NAME, text));
}

const HANDLE = /^[A-Za-z0-9]{1,64}$/;

/** An identifier issued by the service: letters and digits. */
export function handle(description: string, example: string) {
  const what = 'at most 64 letters and digits';
  const openapi = { type: 'string', maxLength: 64, description, example };
  return fromText(what, openapi, (text) => matching(HANDLE, text));
}

const CALLBACK = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Name of the JavaScript function that a JSONP response calls. */
export function callback() {
  const what = 'a JavaScript name of at most 64 letters, digits and underscores';
  const description = 'Returns a script (text/javascript) that calls this function with the response, as JSONP.';
  const openapi = { type: 'string', maxLength: 64, pattern: CALLBACK.source, description };
  return fromText(what, openapi, (text) => matching(CALLBACK, text));
}

/** The last of several values of a parameter, which counts as in PHP. */
export const countedValue = (values: readonly unknown[]): unknown => values.at(-1);

const isPlain = (value: unknown) => typeof value === 'number' || typeof value === 'string';
const isGroup = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0 && value.every(isPlain);

/** The text of a JSON value as a query string has it: inner lists in brackets. Others are unchanged, also the empty list of PHP clients. */
export function queryText(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  if (items.length === 0 || !items.every((item) => isPlain(item) || isGroup(item))) return value;
  return items.map((item) => (isGroup(item) ? `[${item.join(',')}]` : item)).join(',');
}

/** Words for an absent value in addresses that scripts put together from variables. */
const ABSENT_WORDS: readonly unknown[] = ['undefined', 'null', 'NaN'];

/** Values that stand for an absent optional parameter in every operation. jQuery writes undefined as an empty value. */
const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Schemas of whole shapes, because making one takes as long as parsing with it ten times. */
const SCHEMAS = new WeakMap<ParameterShape, z.ZodObject>();

/** The validated parameters of `shape`. Unknown names are ignored. @throws Failure for the first that is missing, too long or invalid */
export function parseParameters<S extends ParameterShape>(shape: S, raw: RawParameters, absentWords: boolean): Values<S> {
  const { parameterCharacters } = REQUEST_LIMITS;
  const isAbsent = (value: unknown) => isEmpty(value) || (absentWords && ABSENT_WORDS.includes(value));
  const input: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const given = countedValue(raw.get(name) ?? []);
    const value = AS_GIVEN.has(schema) ? given : queryText(given);
    if (isAbsent(value) && schema.isOptional()) continue;
    if (typeof value === 'string' && value.length > parameterCharacters) {
      throw badParameter(name, `at most ${parameterCharacters} characters`, value);
    }
    input[name] = value;
  }
  const whole = SCHEMAS.get(shape) ?? z.object(shape);
  SCHEMAS.set(shape, whole);
  const result = whole.safeParse(input);
  if (result.success) return result.data as Values<S>;
  const issue = result.error.issues[0]!;
  const name = String(issue.path[0]);
  throw badParameter(name, issue.message, input[name], suggestionOf(issue));
}

function suggestionOf(issue: z.core.$ZodIssue): Suggestion | undefined {
  const value: unknown = issue.code === 'custom' ? issue.params?.suggestion : undefined;
  return typeof value === 'string' ? { value } : (value as Suggestion | undefined);
}

/** Names of parameters with several different values, of which only the last counts. */
export function repeatedParameters(shape: ParameterShape, raw: RawParameters): string[] {
  return Object.keys(shape).filter((name) => new Set(raw.get(name)).size > 1);
}

/** Names that are shown in sentences and headers; `amp;` comes from an address in which `&` is written as in HTML, `[]` from clients that send lists. */
const PLAIN_NAME = /^(?:amp;)*(?<name>\w{2,64})(?:\[\w*\])?$/;

/** Unknown names of a request that are close to an absent parameter, among the first ones. */
export function misspelledParameters(shape: ParameterShape, raw: RawParameters) {
  const absent = Object.keys(shape).filter((name) => !raw.has(name));
  const unknown = [...raw.keys()].filter((name) => !Object.hasOwn(shape, name) && PLAIN_NAME.test(name));
  return unknown.slice(0, REQUEST_LIMITS.comparedNames).flatMap((given) => {
    const { name } = PLAIN_NAME.exec(given)!.groups as { name: string };
    const meant = absent.includes(name) ? name : nearestWord(name, absent);
    return meant === null ? [] : [{ given, meant }];
  });
}

/** The JSON body of a response, whose example is in examples.json. */
export interface DescribedBody {
  readonly description: string;
  readonly schema: LazySchema;
}

/** The body of a response; a file or a page has a description alone. */
export type ResponseBody = string | DescribedBody;

export const jsonBody = (description: string, schema: LazySchema): DescribedBody => ({ description, schema });

/** One instance for each function, so that all operations refer to one named component. */
const built = new Map<LazySchema, z.ZodType>();

export function schemaOf(lazy: LazySchema): z.ZodType {
  const known = built.get(lazy);
  if (known) return known;
  const schema = lazy();
  built.set(lazy, schema);
  return schema;
}

/** An object that the document has as a component of this name. */
export const named = <Members extends z.ZodRawShape>(name: string, description: string | null, members: Members) =>
  z.object(members).openapi(name, description === null ? {} : { description });

/** Described members of a JSON body. */
export const text = (description: string) => z.string().describe(description);
export const number = (description: string) => z.number().describe(description);
export const whole = (description: string) => z.int().describe(description);
export const object = <Members extends z.ZodRawShape>(description: string, members: Members) =>
  z.object(members).describe(description);

/** Headers of responses. */
export const HEADERS = {
  'X-Request-Id': 'Names the request in the log of the service.',
  ETag: 'Strong tag of the content, for If-None-Match and If-Range.',
  'Cache-Control': 'How long the response may be kept.',
  'Last-Modified': 'Observation time of the image, or time of the file.',
  'Content-Disposition': 'File name of the original service.',
  'Content-Range': 'The range that is sent, and the size of the whole.',
  Location: 'Address to which the client is sent.',
  'Retry-After': 'Seconds after which a retry can succeed.',
  RateLimit:
    'What is left of a limit and the seconds until more is admitted; only where the service knows it: with status 429, and in all responses of a service on one machine.',
  'RateLimit-Policy': `Limits of each client, in seconds: ${Object.values(RATES)
    .map(({ name, counts }) => `\`${name}\`, ${counts}`)
    .join('; ')}.`,
  'Set-Cookie': 'The session of the video host, for this browser only.',
  'X-Notice': 'Sentences about a request that is valid, but probably not meant as it is; absent where there is nothing to say.',
  'X-Image-Date': 'Observation time of the image; of a picture with layers, that of the image furthest from the requested time.',
  'X-Image-Distance':
    'Time of that image minus the requested time in seconds, so negative for an older image; 0 for an image requested by its id.',
  'X-Series-Rows': 'Rows of a series, for the progress of a response that is sent while it is measured.',
  'X-Image-Scale': 'Arcseconds per pixel of the picture.',
  'X-Image-Scale-Adjusted': `\`true\` where X-Image-Scale is coarser than requested, because a picture has at most ${RECIPE_LIMITS.sidePixels}x${RECIPE_LIMITS.sidePixels} pixels.`,
  'X-Layer-Images':
    'Source, observation time and signed distance in seconds of each layer, from the bottom to the top, separated by `; `.',
  'X-Layers-Far': 'Layers whose image is far from the requested time; absent where there is none.',
  'X-Events-Sources':
    'State of each source of events: `ok`, `stale;age=<seconds>`, `partial;days=<counted>/<all>` or `failed`, with `missing=`, `skipped=` and `cut`.',
  'X-Events-Loaded':
    'When the oldest part of the events of each source was loaded; a source of which nothing is there is left out.',
} as const;

export type HeaderName = keyof typeof HEADERS;

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const dateTimeText = (description: string) => text(`${description} \`YYYY-MM-DD HH:MM:SS\`, UTC.`);

/** The body of every failure, without the members that are undefined. */
export const errorSchema = () =>
  named('Error', 'A failure.', {
    error: z.string().describe('A sentence for people, often "Expected <what> for <name>, got <value>."'),
    errno: z.int().describe('Number of the failure, as in the original service; 255 for defects of the service alone.'),
    parameter: z.string().optional().describe('The parameter at fault.'),
    reason: z.string().optional().describe('A word for programs where several causes share a number.'),
    details: z.string().optional().describe('A sentence about the particular case, where `error` is a general one.'),
    replacedBy: z.int().nullable().optional().describe('Id of the image that replaced a withdrawn one; null where none did.'),
    suggestion: z.string().optional().describe('The value that was probably meant, to be sent instead.'),
    docs: z.string().optional().describe('Address of the documentation of the operation, for people.'),
    requestId: z.string().describe('The same as X-Request-Id, to be named in a report.'),
  });

export type ErrorBody = JsonBody<typeof errorSchema>;

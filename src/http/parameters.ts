// The kinds of parameter, as zod schemas: each reads the text of a query string and carries its own OpenAPI description,
// so that the document cannot differ from what is accepted. An issue's message is the <what> of "Expected <what> for ...".
import { z } from '@hono/zod-openapi';
import { parseRequestDate } from '../domain/time.ts';

// Workers refuse to compile code at run time, which zod would otherwise try.
z.config({ jitless: true });

/** The parameters of an operation, by name, in the order in which they are checked. */
export type Shape = Readonly<Record<string, z.ZodType>>;
export type Values<S extends Shape> = z.output<z.ZodObject<S>>;

type OpenApiSchema = Readonly<Record<string, unknown>>;

/** A schema over the parameter's text. `read` answers undefined for text that is not a `what`. */
function fromText<T>(what: string, openapi: OpenApiSchema, read: (text: string) => T | undefined) {
  return z
    .string({ error: what })
    .transform((text, context): T => {
      const value = read(text);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: what });
      return z.NEVER;
    })
    .openapi(openapi);
}

const INTEGER = /^[+-]?(0|[1-9]\d*)$/;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** A whole number from `min` to `max`: no decimals, no leading zeros, blanks around it are cut. */
export function integer(description: string, { min, max }: { min: number; max: number }) {
  const what = `a whole number from ${min} to ${max}`;
  return fromText(what, { type: 'integer', minimum: min, maximum: max, description }, (text) => {
    const trimmed = text.trim();
    const value = INTEGER.test(trimmed) ? Number(trimmed) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

/** A finite decimal number from `min` to `max`. */
export function decimal(description: string, { min, max }: { min: number; max: number }) {
  const what = `a number from ${min} to ${max}`;
  return fromText(what, { type: 'number', minimum: min, maximum: max, description }, (text) => {
    const trimmed = text.trim();
    const value = DECIMAL.test(trimmed) ? Number(trimmed) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** true, false, 1 or 0 in any letter case. */
export function boolean(description: string) {
  return fromText('true or false', { type: 'boolean', description }, (text) => BOOLEANS.get(text.toLowerCase()));
}

/** One of a few words. */
export function choice<W extends string>(description: string, words: readonly W[]) {
  const what = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  const openapi = { type: 'string', enum: words, description };
  return fromText(what, openapi, (text) => words.find((word) => word === text));
}

/** Some of a few words in any letter case, separated by commas; each counts once, in the order in which they come. */
export function choiceList<W extends string>(description: string, words: readonly W[]) {
  const what = `one or more of ${words.join(', ')}, separated by commas`;
  return fromText(what, { type: 'string', description, example: words.join(',') }, (text): readonly W[] | undefined => {
    const chosen = text.split(',').map((item) => words.find((word) => word.toLowerCase() === item.trim().toLowerCase()));
    const known = chosen.filter((word) => word !== undefined);
    return known.length === chosen.length ? [...new Set(known)] : undefined;
  });
}

interface Notation {
  /** What a failure expects. */
  readonly what: string;
  readonly example: string;
  readonly mayBeEmpty?: boolean;
}

/** Text in a notation of its own, which whoever uses it parses. */
export function notation(description: string, { what, example, mayBeEmpty = false }: Notation) {
  const openapi = { type: 'string', ...(mayBeEmpty ? {} : { minLength: 1 }), description, example };
  return fromText(what, openapi, (text) => (mayBeEmpty || text.trim() !== '' ? text : undefined));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An object of a JSON body, which whoever uses it parses; its size is limited by that of the body. */
export function jsonObject(description: string) {
  return z.custom<object>(isObject, { error: 'a JSON object' }).openapi({ type: 'object', description });
}

/** An object of a JSON body, or text in a notation of its own. */
export function jsonObjectOrText(description: string) {
  const isEither = (value: unknown): value is object | string => isObject(value) || typeof value === 'string';
  const type: ('object' | 'string')[] = ['object', 'string'];
  return z.custom<object | string>(isEither, { error: 'a JSON object' }).openapi({ type, description });
}

/** An instant, in milliseconds since 1970. */
export function date(description: string) {
  const what = 'a UTC date like 2024-01-31T12:00:00Z';
  return fromText(what, { type: 'string', format: 'date-time', description }, (text) => parseRequestDate(text) ?? undefined);
}

/** Whole numbers separated by commas, with or without brackets around the list; a number that occurs twice counts once. */
export function integerList(description: string, { min, max, maxItems }: { min: number; max: number; maxItems: number }) {
  const what = `1 to ${maxItems} whole numbers from ${min} to ${max}, separated by commas`;
  return fromText(what, { type: 'string', description, example: '10,13' }, (text) => {
    const items = unbracketed(text)
      .split(',')
      .map((item) => item.trim());
    const valid = items.every((item) => INTEGER.test(item) && Number(item) >= min && Number(item) <= max);
    const values = [...new Set(items.map(Number))];
    return valid && values.length <= maxItems ? values : undefined;
  });
}

/** As `integerList`, but in the order of the request with what occurs twice, and possibly empty. */
export function integerSequence(description: string, { min, max, maxItems }: { min: number; max: number; maxItems: number }) {
  const what = `at most ${maxItems} whole numbers from ${min} to ${max}, separated by commas`;
  return fromText(what, { type: 'string', description, example: '1388534400,1388538000' }, (text) => {
    const list = unbracketed(text).trim();
    const items = list === '' ? [] : list.split(',').map((item) => item.trim());
    const valid = items.every((item) => INTEGER.test(item) && Number(item) >= min && Number(item) <= max);
    return valid && items.length <= maxItems ? items.map(Number) : undefined;
  });
}

const NAME = /^[\w+. -]{1,64}$/;

/** Names separated by commas, with or without brackets around the list, which may be empty between brackets. */
export function nameList(description: string) {
  const what = 'names separated by commas, like [STEREO_A,PROBA2]';
  return fromText(what, { type: 'string', description, example: '[STEREO_A,PROBA2]' }, (text) => {
    if (text.trim() === '[]') return [];
    const names = unbracketed(text)
      .split(',')
      .map((name) => name.trim());
    return names.every((name) => NAME.test(name)) ? names : undefined;
  });
}

function unbracketed(text: string): string {
  const trimmed = text.trim();
  return trimmed.startsWith('[') && trimmed.endsWith(']') ? trimmed.slice(1, -1) : trimmed;
}

/** A name of letters, digits and a few signs. */
export function name(description: string) {
  const what = 'a name of at most 64 letters, digits, blanks and _ - . +';
  return fromText(what, { type: 'string', maxLength: 64, description }, (text) => (NAME.test(text) ? text : undefined));
}

const HANDLE = /^[A-Za-z0-9]{1,64}$/;

/** What the service has given a name itself: letters and digits. */
export function handle(description: string, example: string) {
  const what = 'at most 64 letters and digits';
  const openapi = { type: 'string', maxLength: 64, description, example };
  return fromText(what, openapi, (text) => (HANDLE.test(text) ? text : undefined));
}

const CALLBACK = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** The name of the JavaScript function that a JSONP answer calls. */
export function callback() {
  const what = 'at most 64 letters, digits and underscores that start with no digit';
  const description = 'Answers with a script that calls this function.';
  const openapi = { type: 'string', maxLength: 64, pattern: CALLBACK.source, description };
  return fromText(what, openapi, (text) => (CALLBACK.test(text) ? text : undefined));
}

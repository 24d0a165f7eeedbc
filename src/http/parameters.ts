// Parameter types as zod schemas. Each parses the text of a query string and carries its OpenAPI description, so that the document
// always matches the validation. The message of an issue is the <what> of "Expected <what> for ...".
import { z } from '@hono/zod-openapi';
import { suggestedDate } from '../domain/request-date.ts';
import { nearestWord } from '../util/nearest-word.ts';
import { VALUE_RULES } from './parameter-rules.ts';

// Disables the code generation of zod, because Workers forbid eval.
z.config({ jitless: true });

/** Parameters of an operation by name, in the order of validation. */
export type Shape = Readonly<Record<string, z.ZodType>>;
export type Values<S extends Shape> = z.output<z.ZodObject<S>>;

type OpenApiSchema = Readonly<Record<string, unknown>>;

/** The value that an invalid text probably stands for; undefined when there is none. */
type Suggest = (text: string) => string | null | undefined;

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

/** The value in a range; undefined outside it. */
const within = (value: number | undefined, { min, max }: { min: number; max: number }) =>
  value !== undefined && value >= min && value <= max ? value : undefined;

/** A whole number from `min` to `max` without decimals or leading zeros; surrounding blanks are ignored. */
export function integer(description: string, { min, max }: { min: number; max: number }) {
  const what = `a whole number from ${min} to ${max}`;
  const openapi = { type: 'integer', minimum: min, maximum: max, description };
  return fromText(what, openapi, (text) => within(VALUE_RULES.integer(text), { min, max }));
}

/** A finite decimal number from `min` to `max`. */
export function decimal(description: string, { min, max }: { min: number; max: number }) {
  const what = `a number from ${min} to ${max}`;
  const openapi = { type: 'number', minimum: min, maximum: max, description };
  return fromText(what, openapi, (text) => within(VALUE_RULES.decimal(text), { min, max }));
}

/** true, false, 1 or 0 in any letter case. */
export function boolean(description: string) {
  return fromText('true or false', { type: 'boolean', description }, VALUE_RULES.boolean);
}

/** One of several words. */
export function choice<W extends string>(description: string, words: readonly W[]) {
  const what = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  const openapi = { type: 'string', enum: words, description };
  const read = (text: string) => words.find((word) => word === text);
  return fromText(what, openapi, read, (text) => nearestWord(text, words));
}

/** A list of words in any letter case, separated by commas: each once, in the order of the request. */
export function choiceList<W extends string>(description: string, words: readonly W[]) {
  const what = `one or more of ${words.join(', ')}, separated by commas`;
  return fromText(what, { type: 'string', description, example: words.join(',') }, (text): readonly W[] | undefined => {
    const chosen = text.split(',').map((item) => words.find((word) => word.toLowerCase() === item.trim().toLowerCase()));
    const known = chosen.filter((word) => word !== undefined);
    return known.length === chosen.length ? [...new Set(known)] : undefined;
  });
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

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An object of a JSON body, parsed by the operation; its size is limited by that of the body. */
export function jsonObject(description: string) {
  return z.custom<object>(isObject, { error: 'a JSON object' }).openapi({ type: 'object', description });
}

/** An object or list of a JSON body, or text in a notation of its own. */
export function jsonObjectOrText(description: string) {
  const isEither = (value: unknown): value is object | string => isObject(value) || typeof value === 'string';
  const type: ('array' | 'object' | 'string')[] = ['array', 'object', 'string'];
  return z.custom<object | string>(isEither, { error: 'a JSON object' }).openapi({ type, items: {}, description });
}

/** An instant, in milliseconds since 1970. */
export function date(description: string) {
  const what = 'a UTC date like 2024-01-31T12:00:00Z';
  return fromText(what, { type: 'string', format: 'date-time', description }, VALUE_RULES.date, suggestedDate);
}

/** The whole numbers of a list; undefined when one of them is invalid. */
function integersOf(list: string, range: { min: number; max: number }): number[] | undefined {
  const items = list.split(',');
  const values = items.flatMap((item) => within(VALUE_RULES.integer(item), range) ?? []);
  return values.length === items.length ? values : undefined;
}

/** Whole numbers separated by commas, with or without brackets around the list; duplicates are removed. */
export function integerList(description: string, { min, max, maxItems }: { min: number; max: number; maxItems: number }) {
  const what = `1 to ${maxItems} whole numbers from ${min} to ${max}, separated by commas`;
  return fromText(what, { type: 'string', description, example: '10,13' }, (text) => {
    const values = integersOf(unbracketed(text), { min, max });
    const distinct = [...new Set(values)];
    return values && distinct.length <= maxItems ? distinct : undefined;
  });
}

/** Like `integerList`, but keeps order and duplicates, and may be empty. */
export function integerSequence(description: string, { min, max, maxItems }: { min: number; max: number; maxItems: number }) {
  const what = `at most ${maxItems} whole numbers from ${min} to ${max}, separated by commas`;
  return fromText(what, { type: 'string', description, example: '1388534400,1388538000' }, (text) => {
    const list = unbracketed(text).trim();
    const values = list === '' ? [] : integersOf(list, { min, max });
    return values && values.length <= maxItems ? values : undefined;
  });
}

const NAME = /^[\w+. -]{1,64}$/;

/** Names separated by commas, with or without brackets around the list; `[]` is the empty list. */
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

/** A name of letters, digits, blanks and `_ - . +`. */
export function name(description: string) {
  const what = 'a name of at most 64 letters, digits, blanks and _ - . +';
  return fromText(what, { type: 'string', maxLength: 64, description }, (text) => (NAME.test(text) ? text : undefined));
}

const HANDLE = /^[A-Za-z0-9]{1,64}$/;

/** An identifier issued by the service: letters and digits. */
export function handle(description: string, example: string) {
  const what = 'at most 64 letters and digits';
  const openapi = { type: 'string', maxLength: 64, description, example };
  return fromText(what, openapi, (text) => (HANDLE.test(text) ? text : undefined));
}

const CALLBACK = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Name of the JavaScript function that a JSONP response calls. */
export function callback() {
  const what = 'a JavaScript name of at most 64 letters, digits and underscores';
  const description = 'Returns a script that calls this function with the response.';
  const openapi = { type: 'string', maxLength: 64, pattern: CALLBACK.source, description };
  return fromText(what, openapi, (text) => (CALLBACK.test(text) ? text : undefined));
}

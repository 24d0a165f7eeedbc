// The table of rules by which parameters are read. The forms of a request (query, form, JSON body, ?action=) share it, so that a
// value means the same in each of them.
import { parseRequestDate } from '../domain/request-date.ts';

/** Reads the text of a value; undefined for text that is not of its kind. */
type Reader<T> = (text: string) => T | undefined;

const INTEGER = /^[+-]?(0|[1-9]\d*)$/;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function numberIn(pattern: RegExp, text: string): number | undefined {
  const trimmed = text.trim();
  return pattern.test(trimmed) ? Number(trimmed) : undefined;
}

/** Kinds of values. */
export const VALUE_RULES = {
  /** An integer literal without decimals or leading zeros; surrounding blanks are ignored. */
  integer: (text) => numberIn(INTEGER, text),
  /** A decimal literal with or without exponent; surrounding blanks are ignored. */
  decimal: (text) => numberIn(DECIMAL, text),
  /** true, false, 1 or 0 in any letter case: Python writes True. */
  boolean: (text) => BOOLEANS.get(text.toLowerCase()),
  /** `YYYY-MM-DDTHH:MM:SS[.ffffff]Z` and the forms of `parseRequestDate`, as milliseconds since 1970. */
  date: (text) => parseRequestDate(text) ?? undefined,
} as const satisfies Readonly<Record<string, Reader<number | boolean>>>;

/** Words for an absent value in addresses that scripts put together from variables. */
const ABSENT_WORDS: readonly unknown[] = ['undefined', 'null', 'NaN'];

/** Values that stand for an absent optional parameter. jQuery writes undefined as an empty value. */
export const ABSENCE_RULES = {
  /** Every operation. */
  empty: (value: unknown): boolean => value === undefined || value === null || value === '',
  /** Operations whose addresses clients put together by hand. */
  word: (value: unknown): boolean => ABSENT_WORDS.includes(value),
} as const;

/** The last of several values of a parameter, which counts as in PHP. */
export function countedValue(values: readonly unknown[]): unknown {
  return values.at(-1);
}

/**
 * The text of a JSON number or boolean, or of a list of numbers and strings, as a query string has it. Other values are unchanged,
 * also the empty list, which is the empty object in the JSON of PHP clients.
 */
export function asText(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isList = Array.isArray(value) && value.length > 0;
  if (isList && value.every((item) => typeof item === 'number' || typeof item === 'string')) return value.join(',');
  return value;
}

// A place of a request that a client fills with a text, and what makes such places of values in JSON.
import { REQUEST_LIMITS } from '../../../src/platform/limits/http.ts';
import { describeText, type HostileText, textOfLength } from './texts.ts';

export const ORIGIN = 'https://helioedge.test';

export interface Field {
  /** Name of the field in its request, which fields of several operations share. */
  readonly name: string;
  /** The request and the field, for reports. */
  readonly where: string;
  /** A valid value. Null for a place whose length alone grows. */
  readonly good: string | null;
  /** The values of 4n, ascending. */
  readonly lengths: readonly number[];
  /** Requests with such a text of this length in the field. The cost of each counts by itself. */
  readonly requests: readonly ((text: HostileText, length: number) => Request)[];
  describe(text: HostileText): string;
}

/** Length at which growth shows early, below most limits. */
const SHORT = 2000;
/** Characters of a text in a JSON body, which has no limit of its own inside an object. */
const LONG = 32_000;
/** Characters that the pieces and ends of a text have at least, where the valid value is shorter. */
const LEAST_PIECE = 2;

/** The largest length of which every text around a valid value has at most `limit` characters. */
const longestBelow = (limit: number, good: string) => limit - 3 * (good.length + LEAST_PIECE);

/** Lengths of texts in a place with these limits, the last of which they reach and do not exceed. */
export function lengthsTo(limits: readonly number[], good: string): readonly number[] {
  return [SHORT, ...limits.map((limit) => longestBelow(limit, good))].sort((a, b) => a - b);
}

/** Lengths of texts in an address, a form or parts, up to the limit of a parameter. */
export const lengthsOfParameter = (good: string): readonly number[] => lengthsTo([REQUEST_LIMITS.parameterCharacters], good);

/** Lengths of texts in a JSON body: up to the limit of a parameter, and beyond. */
const lengthsInJson = (good: string): readonly number[] => [...lengthsOfParameter(good), LONG];

interface Place {
  readonly where: string;
  /** Unset: `where`. */
  readonly name?: string | undefined;
  readonly good: string;
  /** Unset: those of a parameter. */
  readonly lengths?: readonly number[];
}

/** A field of texts around a valid value, in requests with a text. */
export const textField = (
  { where, name = where, good, lengths = lengthsOfParameter(good) }: Place,
  ...requests: readonly ((text: string) => Request)[]
): Field => ({
  ...{ name, where, good, lengths, describe: describeText },
  requests: requests.map((request) => (text, length) => request(textOfLength(text, length))),
});

export type Json = unknown;
type Path = readonly (string | number)[];
export type HeaderValues = Readonly<Record<string, string>>;

/** Paths of texts and of lists that are not empty in a JSON value. */
function placesIn(value: Json, path: Path = []): { readonly path: Path; readonly value: Json }[] {
  const children = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const keyOf = (key: string) => (Array.isArray(value) ? Number(key) : key);
  const isPlace = typeof value !== 'object' || (Array.isArray(value) && value.length > 0);
  return [...(isPlace ? [{ path, value }] : []), ...children.flatMap(([key, child]) => placesIn(child, [...path, keyOf(key)]))];
}

function withValueAt(whole: Json, [key, ...rest]: Path, value: Json): Json {
  if (key === undefined) return value;
  if (Array.isArray(whole)) return whole.map((item, i) => (i === key ? withValueAt(item, rest, value) : item));
  return { ...(whole as object), [key]: withValueAt((whole as Record<string, Json>)[key], rest, value) };
}

export const post = (path: string, body: BodyInit, headers: HeaderValues = {}) =>
  new Request(ORIGIN + path, { method: 'POST', body, headers });

export const postJson = (path: string, body: Json, headers: HeaderValues = {}) =>
  post(path, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers });

/** A list of as many entries as `length` has room for, equal or distinct ones. */
function listOfLength(entry: Json, length: number, areDistinct: boolean): Json[] {
  const count = Math.ceil(length / (JSON.stringify(entry).length + 1));
  return Array.from({ length: count }, (_, i) => (areDistinct && typeof entry === 'string' ? `${entry}${i}` : entry));
}

/** Fields of a member of a JSON body: texts and numbers as hostile texts, lists as long ones. */
export function jsonFields(path: string, example: Json, member: string, headers: HeaderValues = {}): Field[] {
  return placesIn((example as Record<string, Json>)[member] ?? '', [member]).flatMap(({ path: place, value }): Field[] => {
    const field = { name: place.join('.'), where: `POST ${path} ${place.join('.')}` };
    const withValue = (given: Json) => postJson(path, withValueAt(example, place, given), headers);
    if (!Array.isArray(value)) {
      const good = String(value);
      return [textField({ ...field, good, lengths: lengthsInJson(good) }, withValue)];
    }
    return [false, true].map((areDistinct) => ({
      ...field,
      good: null,
      lengths: lengthsInJson(''),
      requests: [(_, length) => withValue(listOfLength(value[0], length, areDistinct))],
      describe: () => `n characters of ${areDistinct ? 'distinct' : 'equal'} entries like ${JSON.stringify(value[0])}`,
    }));
  });
}

// Notations of pictures: canonical strings, which are JSON objects with their members in a fixed order, without those that have their default value;
// and groups, which are lists in brackets, separated by commas.
import { isJsonObject, parsedJson } from '../platform/util/bytes.ts';
import { badParameter, type Failure, type Suggestion } from '../platform/util/errors.ts';
import { parseRequestDate } from '../sun/time.ts';

export type Members = ReadonlyMap<string, unknown>;

export const badMember = (what: string, value: unknown): Failure => badParameter('recipe', what, value ?? 'nothing');

/**
 * The members of a canonical string.
 * @param known Names of the members that it may have
 * @throws Failure when the text is not a JSON object or has unknown members
 */
export function readMembers(text: string, known: readonly string[]): Members {
  const value = parsedJson(text);
  if (value === undefined) throw badMember('JSON', text);
  if (!isJsonObject(value)) throw badMember('a JSON object', value);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw badMember('known members', unknown);
  return new Map(Object.entries(value));
}

function memberIn<T>(members: Members, name: string, what: string, isOne: (value: unknown) => value is T, byDefault?: T): T {
  const value = members.get(name) ?? byDefault;
  if (!isOne(value)) throw badMember(`${what} as ${name}`, value);
  return value;
}

export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export const stringIn = (members: Members, name: string) =>
  memberIn(members, name, 'a text', (value) => typeof value === 'string');

export const flagIn = (members: Members, name: string, byDefault: boolean) =>
  memberIn(members, name, 'true or false', (value) => typeof value === 'boolean', byDefault);

export const positiveIn = (members: Members, name: string) =>
  memberIn(members, name, 'a number above 0', (value): value is number => isNumber(value) && value > 0);

/** Whole milliseconds since 1970. */
export function timeIn(members: Members, name: string): number {
  const atMs = parseRequestDate(stringIn(members, name));
  if (atMs === null) throw badMember(`a UTC date as ${name}`, members.get(name));
  return Math.floor(atMs);
}

/** Escapes left by clients that encode a URL more than once: `%5B` or `%255B` for a bracket. */
const STILL_ENCODED = /%(?:25)*(5B|5D|2C|3A|20)/gi;
const GROUPS = /^\[[^[\]]*\](\s*,\s*\[[^[\]]*\])*$/;

/** Characters that a suggestion repeats from a request. */
const PLAIN = /^[\w[\],;:.+ -]*$/;
const LONGEST_SUGGESTION = 200;
/** Elements of the shortest group of layers. */
const LEAST_ELEMENTS = 3;

const SHOWN_CHARACTERS = 60;

/** Text of an address as notes repeat it. */
export const shortened = (text: string): string => text.slice(0, SHOWN_CHARACTERS);

/** Without the comma at the end that the web client adds. */
export const withoutTrailingCommas = (text: string): string => text.replace(/(?<![\s,])[\s,]+$/, '');

interface Notation {
  /** Parameter name, for failures. */
  readonly parameter: string;
  /** Example of a group, for failures. */
  readonly example: string;
  /** Elements of a group, for suggestions. */
  readonly elements?: number;
  readonly maxCharacters: number;
}

/** Groups without a comma between them, with a comma at the end, in parentheses, or without brackets. */
function suggestedGroups(text: string, elements = LEAST_ELEMENTS): Suggestion | undefined {
  const bare = text
    .replace(/\(/g, '[')
    .replace(/\)/g, ']')
    .replace(/\]\s*\[/g, '],[')
    .replace(/(?<![\s,;])[\s,;]+$/, '');
  const bracketed = elements === 1 ? bare.replace(/[^,\s]+/g, '[$&]') : `[${bare}]`;
  const value = /[[\]]/.test(bare) ? bare : bracketed;
  const isWhole = value.length <= LONGEST_SUGGESTION && PLAIN.test(value) && GROUPS.test(value);
  return isWhole && value.split(',').length >= elements ? { value } : undefined;
}

/** A group that was probably meant; undefined for elements that a suggestion does not repeat. */
export function suggestedGroup(elements: readonly string[]): Suggestion | undefined {
  const value = `[${elements}]`;
  return value.length <= LONGEST_SUGGESTION && PLAIN.test(value) ? { value } : undefined;
}

/**
 * The trimmed elements of each group. The empty text and `[]` have no groups.
 * @throws Failure naming the parameter when the text is too long or malformed
 */
export function bracketGroups(text: string, { parameter, example, elements, maxCharacters }: Notation): string[][] {
  if (text.length > maxCharacters) throw badParameter(parameter, `at most ${maxCharacters} characters`, text);
  const repaired = text.replace(STILL_ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).trim();
  if (/^(\[\s*\])?$/.test(repaired)) return [];
  if (!GROUPS.test(repaired)) {
    throw badParameter(parameter, `groups like ${example}, separated by commas,`, text, suggestedGroups(repaired, elements));
  }
  return [...repaired.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1]!.split(',').map((element) => element.trim()));
}

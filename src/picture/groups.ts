// Groups of a notation: lists in brackets, separated by commas.
import { badParameter, type Suggestion } from '../platform/util/errors.ts';

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

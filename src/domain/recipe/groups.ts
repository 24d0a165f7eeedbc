// Both notations are groups in brackets, `[a,b,c],[d,e,f]`.
import { badParameter } from '../errors.ts';

/** Clients that encode a URL twice, or three times, leave these behind: `%5B`, `%255B` for a bracket and so on. */
const STILL_ENCODED = /%(?:25)*(5B|5D|2C|3A|20)/gi;
const GROUPS = /^\[[^[\]]*\](\s*,\s*\[[^[\]]*\])*$/;

/**
 * The elements of each group, without blanks at their ends. The empty text and `[]` have no groups.
 * @throws Failure naming `parameter` when the text is longer than `maxCharacters` or has no such form
 */
export function bracketGroups(text: string, parameter: string, maxCharacters: number): string[][] {
  if (text.length > maxCharacters) throw badParameter(parameter, `at most ${maxCharacters} characters`, text);
  const repaired = text.replace(STILL_ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).trim();
  if (/^(\[\s*\])?$/.test(repaired)) return [];
  if (!GROUPS.test(repaired)) throw badParameter(parameter, 'groups like [13,1,100], separated by commas,', text);
  return [...repaired.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1]!.split(',').map((element) => element.trim()));
}

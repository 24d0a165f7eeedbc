// Both notations are groups in brackets, `[a,b,c],[d,e,f]`.
import { badParameter } from '../errors.ts';

/** Clients that encode a URL twice, or three times, leave these behind: `%5B`, `%255B` for a bracket and so on. */
const STILL_ENCODED = /%(?:25)*(5B|5D|2C|3A|20)/gi;
const GROUPS = /^\[[^[\]]*\](\s*,\s*\[[^[\]]*\])*$/;

interface Notation {
  /** The parameter that has it. */
  readonly parameter: string;
  /** A group, for failures. */
  readonly example: string;
  readonly maxCharacters: number;
}

/**
 * The elements of each group, without blanks at their ends. The empty text and `[]` have no groups.
 * @throws Failure naming the parameter when the text is too long or has no such form
 */
export function bracketGroups(text: string, { parameter, example, maxCharacters }: Notation): string[][] {
  if (text.length > maxCharacters) throw badParameter(parameter, `at most ${maxCharacters} characters`, text);
  const repaired = text.replace(STILL_ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).trim();
  if (/^(\[\s*\])?$/.test(repaired)) return [];
  if (!GROUPS.test(repaired)) throw badParameter(parameter, `groups like ${example}, separated by commas,`, text);
  return [...repaired.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1]!.split(',').map((element) => element.trim()));
}

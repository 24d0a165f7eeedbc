// Bracket groups, `[a,b,c],[d,e,f]`: the common syntax of the layers and events notations.
import { badParameter } from '../errors.ts';

/** Escapes left by clients that encode a URL more than once: `%5B` or `%255B` for a bracket. */
const STILL_ENCODED = /%(?:25)*(5B|5D|2C|3A|20)/gi;
const GROUPS = /^\[[^[\]]*\](\s*,\s*\[[^[\]]*\])*$/;

interface Notation {
  /** Parameter name, for failures. */
  readonly parameter: string;
  /** Example of a group, for failures. */
  readonly example: string;
  readonly maxCharacters: number;
}

/**
 * The trimmed elements of each group. The empty text and `[]` have no groups.
 * @throws Failure naming the parameter when the text is too long or malformed
 */
export function bracketGroups(text: string, { parameter, example, maxCharacters }: Notation): string[][] {
  if (text.length > maxCharacters) throw badParameter(parameter, `at most ${maxCharacters} characters`, text);
  const repaired = text.replace(STILL_ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).trim();
  if (/^(\[\s*\])?$/.test(repaired)) return [];
  if (!GROUPS.test(repaired)) throw badParameter(parameter, `groups like ${example}, separated by commas,`, text);
  return [...repaired.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1]!.split(',').map((element) => element.trim()));
}

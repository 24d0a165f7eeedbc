// The grey levels of a layer that its colours span, and their contrast.
import { spreadColours } from '../colours.ts';
import { groupedOperation } from './operation.ts';

const BRIGHTEST = 255;

/** Gamma: 1 leaves the colours linear in the level, larger values brighten the middle of the range. */
export const GAMMA = { least: 0.2, most: 5 } as const;

export interface ColourRange {
  /** Level of the first colour, 0 to 254. */
  readonly low: number;
  /** Level of the last colour, above `low`, at most 255. */
  readonly high: number;
  readonly gamma: number;
}

export const FULL_RANGE: ColourRange = { low: 0, high: BRIGHTEST, gamma: 1 };

/** The range of a layer; undefined for the full one, with which it has all of its colours. */
export const withoutFull = (range: ColourRange): ColourRange | undefined =>
  range.low === FULL_RANGE.low && range.high === FULL_RANGE.high && range.gamma === FULL_RANGE.gamma ? undefined : range;

/** The range with an end or the contrast changed; an end that would pass the other one stops beside it. */
export function withinRange(range: ColourRange, part: Partial<ColourRange>): ColourRange {
  const { low, high, gamma } = { ...range, ...part };
  return part.high === undefined ? { low: Math.min(low, high - 1), high, gamma } : { low, high: Math.max(high, low + 1), gamma };
}

/** The colours of levels in a range: the place of a level among them is 255 * clamp((level - low) / (high - low), 0, 1) ** (1 / gamma). */
const ranged = ({ low, high, gamma }: ColourRange, colours: Uint8Array): Uint8Array =>
  spreadColours(colours, (level) => BRIGHTEST * Math.min(Math.max((level - low) / (high - low), 0), 1) ** (1 / gamma));

const isWhole = (text: string) => /^\d{1,3}$/.test(text);

/** The range of its elements: undefined for the full one, null for what is no range. */
function rangeIn([lowText = '', highText = '', gammaText = '1', ...more]: readonly string[]): ColourRange | null | undefined {
  const range = { low: Number(lowText), high: Number(highText), gamma: Math.round(1000 * Number(gammaText)) / 1000 };
  const isRange = isWhole(lowText) && isWhole(highText) && range.low < range.high && range.high <= BRIGHTEST;
  const isGamma = gammaText !== '' && range.gamma >= GAMMA.least && range.gamma <= GAMMA.most;
  if (!isRange || !isGamma || more.length > 0) return null;
  return withoutFull(range);
}

export const RANGE = groupedOperation({
  name: 'range',
  all: 'ranges',
  description: `The levels, from 0 to ${BRIGHTEST}, that have the first and the last colour, and the gamma between them, from ${GAMMA.least} to ${GAMMA.most}; above 1 it brightens the middle.`,
  what: `two levels from 0 to ${BRIGHTEST} and a gamma from ${GAMMA.least} to ${GAMMA.most}, as 20,200,1.4,`,
  example: '20,200,1.4',
  parse: rangeIn,
  print: ({ low, high, gamma }: ColourRange) => [low, high, gamma],
  colours: ranged,
});

// The grey levels of a layer that its colours span, and their contrast.

/** Levels of a grey frame or an indexed tile. */
const LEVELS = 256;
const BRIGHTEST = LEVELS - 1;

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

export const sameRange = (a: ColourRange, b: ColourRange): boolean => a.low === b.low && a.high === b.high && a.gamma === b.gamma;

export const isFullRange = (range: ColourRange): boolean => sameRange(range, FULL_RANGE);

/** The range with an end or the contrast changed; an end that would pass the other one stops beside it. */
export function withinRange(range: ColourRange, part: Partial<ColourRange>): ColourRange {
  const { low, high, gamma } = { ...range, ...part };
  return part.high === undefined ? { low: Math.min(low, high - 1), high, gamma } : { low, high: Math.max(high, low + 1), gamma };
}

/** The place among the colours, 0 to 255, of a level: 255 * clamp((level - low) / (high - low), 0, 1) ** (1 / gamma). */
function rangedLevel({ low, high, gamma }: ColourRange, level: number): number {
  return BRIGHTEST * Math.min(Math.max((level - low) / (high - low), 0), 1) ** (1 / gamma);
}

/** The palette (R, G, B of 256 levels) of the levels in a range, linear between neighbouring colours. */
export function rangedPalette(range: ColourRange, palette: Uint8Array): Uint8Array {
  const ranged = new Uint8Array(palette.length);
  const last = palette.length / 3 - 1;
  for (let level = 0; level <= last; level += 1) {
    const place = Math.min(rangedLevel(range, level), last);
    const below = Math.min(Math.floor(place), Math.max(last - 1, 0));
    const above = Math.min(below + 1, last);
    for (let channel = 0; channel < 3; channel += 1) {
      const [from, to] = [palette[3 * below + channel]!, palette[3 * above + channel]!];
      ranged[3 * level + channel] = Math.round(from + (to - from) * (place - below));
    }
  }
  return ranged;
}

/** Ranges by layer, as `[20,200,1.4],[]`; empty where every range is the full one. */
export function printRanges(ranges: readonly ColourRange[]): string {
  if (ranges.every(isFullRange)) return '';
  return ranges.map((range) => (isFullRange(range) ? '[]' : `[${range.low},${range.high},${range.gamma}]`)).join(',');
}

function readRange(text: string): ColourRange | null {
  const [low = Number.NaN, high = Number.NaN, gamma = 1, ...more] = text
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isRange = Number.isInteger(low) && Number.isInteger(high) && low >= 0 && low < high && high <= BRIGHTEST;
  return isRange && gamma >= GAMMA.least && gamma <= GAMMA.most && more.length === 0 ? { low, high, gamma } : null;
}

/**
 * Reads what `printRanges` writes.
 * @returns by layer, null for a group that is no range; null for a text without groups
 */
export function readRanges(text: string): readonly (ColourRange | null)[] | null {
  if (!/^\s*\[[^[\]]*\](?:\s*,\s*\[[^[\]]*\])*\s*$/.test(text)) return null;
  return [...text.matchAll(/\[([^\]]*)\]/g)].map(([, group]) => (group!.trim() === '' ? FULL_RANGE : readRange(group!)));
}

// The most notable events of a day, from their labels.
import { HOUR_MS, MINUTE_MS } from '../../util/durations.ts';

export interface DayEvent {
  readonly id: string;
  /** Two letters: `FL`. */
  readonly pin: string;
  /** `X2.1`, `930 ± 119 km/s 76 degrees`, `NOAA 13664 βγδ`, `179155549 m`. */
  readonly label: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly peakMs: number | null;
}

export type HighlightKind = 'flare' | 'ejection' | 'eruption' | 'region' | 'filament';

export interface Highlight {
  readonly kind: HighlightKind;
  readonly id: string;
  readonly pin: string;
  readonly title: string;
  /** When to look at it: the peak, the start, or a time in between. */
  readonly atMs: number;
}

/** Peak flux of a GOES class in units of A1; 0 for labels without one. */
export function flareStrength(label: string): number {
  const match = /\b([ABCMX])(\d+(?:\.\d+)?)\b/.exec(label);
  return match ? 10 ** 'ABCMX'.indexOf(match[1]!) * Number(match[2]) : 0;
}

/** km/s of an ejection; 0 without a speed. */
const ejectionSpeed = (label: string) => Number(/(?<!\d)(\d+)(?:\s*±\s*\d+)?\s*km\/s/.exec(label)?.[1] ?? 0);

/** Mount Wilson classes by complexity: each Greek letter counts, δ most. 0 without a NOAA number. */
function regionComplexity(label: string): number {
  if (!/NOAA \d+/.test(label)) return 0;
  return 1 + [...label].reduce((sum, letter) => sum + ({ β: 1, γ: 2, δ: 4 }[letter] ?? 0), 0);
}

/** Metres of a filament; 0 without a length. */
const filamentLength = (label: string) => Number(/^(\d+(?:\.\d+)?) m$/.exec(label.trim())?.[1] ?? 0);

interface Rule {
  readonly kind: HighlightKind;
  readonly pins: readonly string[];
  readonly most: number;
  /** Events that begin or peak within it are reports of the same one, of which the highest counts; null: those with the same label. */
  readonly sameMs: number | null;
  /** Events with 0 are left out. */
  readonly rank: (label: string) => number;
  readonly title: (label: string) => string;
}

const RULES: readonly Rule[] = [
  {
    kind: 'flare',
    pins: ['FL'],
    sameMs: MINUTE_MS,
    most: 5,
    rank: flareStrength,
    title: (label) => /\b[ABCMX]\d+(?:\.\d+)?\b/.exec(label)![0],
  },
  {
    kind: 'ejection',
    pins: ['CE', 'C3'],
    sameMs: HOUR_MS,
    most: 2,
    rank: ejectionSpeed,
    title: (label) => `${ejectionSpeed(label)} km/s`,
  },
  { kind: 'eruption', pins: ['FE'], sameMs: MINUTE_MS, most: 2, rank: () => 1, title: (label) => label },
  { kind: 'region', pins: ['AR'], sameMs: null, most: 2, rank: regionComplexity, title: (label) => label },
  {
    kind: 'filament',
    pins: ['FI'],
    sameMs: null,
    most: 1,
    rank: filamentLength,
    title: (label) => `${Math.round(filamentLength(label) / 1e6)} Mm`,
  },
];

/** Types of events to ask for; ejections of DONKI come with those of HEK. */
export const HIGHLIGHT_PINS: readonly string[] = [...new Set(RULES.flatMap(({ pins }) => pins))].filter((pin) => pin !== 'C3');

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

/** The time to look at an event: the peak of a flare, the start of an eruption, and the present time of what lasts. */
function timeOf({ kind, sameMs }: Rule, { peakMs, startMs, endMs }: DayEvent, atMs: number): number {
  if (kind === 'flare') return peakMs ?? startMs;
  return sameMs === null ? clamp(atMs, startMs, endMs) : startMs;
}

function ofRule(rule: Rule, events: readonly DayEvent[], atMs: number, dayMs: number, endMs: number): Highlight[] {
  const ranked = events
    .filter(({ pin, label }) => rule.pins.includes(pin) && rule.rank(label) > 0)
    .map((event) => ({ event, at: timeOf(rule, event, atMs), rank: rule.rank(event.label) }))
    .filter(({ at }) => at >= dayMs && at < endMs)
    .sort((a, b) => b.rank - a.rank || a.at - b.at);
  const single = ranked.filter(
    ({ at, event }, i) =>
      ranked.findIndex((other) =>
        rule.sameMs === null ? other.event.label === event.label : Math.abs(other.at - at) < rule.sameMs,
      ) === i,
  );
  return single.slice(0, rule.most).map(({ event, at }) => {
    return { kind: rule.kind, id: event.id, pin: event.pin, title: rule.title(event.label), atMs: at };
  });
}

/**
 * The strongest flares, fastest ejections, filament eruptions, most complex active regions and the longest filament of a day.
 * @param atMs The time that is shown
 * @param dayMs Start of the day; `endMs`: its end
 */
export function highlightsOf(events: readonly DayEvent[], atMs: number, dayMs: number, endMs: number): Highlight[] {
  return RULES.flatMap((rule) => ofRule(rule, events, atMs, dayMs, endMs));
}

// The most notable events of a day, from their labels.
import { HOUR_MS, MINUTE_MS } from '../../util/durations.ts';
import { SOLAR_RADIUS_M } from '../geometry.ts';
import { flareStrength } from './event-facts.ts';

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
  /** Types of events that report it, its own among them. */
  readonly pins: readonly string[];
  readonly title: string;
  /** When to look at it: the peak, the start, an ejection in the field of a coronagraph, or a time in between. */
  readonly atMs: number;
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
  /** Of equal reports, that of the first one counts: ejections of the HEK are placed where they are seen. */
  readonly pins: readonly string[];
  readonly most: number;
  /** Reports within this time are duplicates, of which the strongest counts. Null: reports with equal labels are. */
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

/** Types of events to ask for. */
export const HIGHLIGHT_PINS: readonly string[] = [...new Set(RULES.flatMap(({ pins }) => pins))];

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

/** The time to look at an event: the peak of a flare, the start of an eruption, and the present time of what lasts. */
function timeOf({ kind, sameMs }: Rule, { peakMs, startMs, endMs }: DayEvent, atMs: number): number {
  if (kind === 'flare') return peakMs ?? startMs;
  return sameMs === null ? clamp(atMs, startMs, endMs) : startMs;
}

/** Kilometres that an ejection crosses from its first appearance in LASCO C2, beyond 2 solar radii, until most of it is in the field. */
const CROSSED_KM = 1.5 * (SOLAR_RADIUS_M / 1000);

/** `atMs`: as `timeOf` has it. An ejection is only just seen at its start. */
function lookAt({ kind }: Rule, { label, endMs }: DayEvent, atMs: number): number {
  return kind === 'ejection' ? Math.min(atMs + Math.round(CROSSED_KM / ejectionSpeed(label)) * 1000, endMs) : atMs;
}

function ofRule(rule: Rule, events: readonly DayEvent[], atMs: number, dayMs: number, endMs: number): Highlight[] {
  const order = ({ pin }: DayEvent) => rule.pins.indexOf(pin);
  const ranked = events
    .filter(({ pin, label }) => rule.pins.includes(pin) && rule.rank(label) > 0)
    .map((event) => ({ event, at: timeOf(rule, event, atMs), rank: rule.rank(event.label) }))
    .filter(({ at }) => at >= dayMs && at < endMs)
    .sort((a, b) => b.rank - a.rank || order(a.event) - order(b.event) || a.at - b.at);
  const single = ranked.filter(
    ({ at, event }, i) =>
      ranked.findIndex((other) =>
        rule.sameMs === null ? other.event.label === event.label : Math.abs(other.at - at) < rule.sameMs,
      ) === i,
  );
  return single.slice(0, rule.most).map(({ event, at }) => {
    const { id, pin, label } = event;
    return { kind: rule.kind, id, pin, pins: rule.pins, title: rule.title(label), atMs: lookAt(rule, event, at) };
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

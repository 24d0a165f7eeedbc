// The most notable events of a day, by what was measured of them.
import { HOUR_MS, MINUTE_MS } from '../../platform/util/durations.ts';
import type { EventStrength, SolarEvent } from '../../sun/events/solar-event.ts';
import { SOLAR_RADIUS_M } from '../../sun/geometry.ts';

/** `label`: `X2.1`, `930 ± 119 km/s 76 degrees`, `NOAA 13664 βγδ`, `179155549 m`. */
export interface DayEvent extends Pick<SolarEvent, 'id' | 'pin' | 'label' | 'startMs' | 'endMs' | 'peakMs'> {
  readonly strength: EventStrength | null;
}

export type HighlightKind = 'flare' | 'ejection' | 'eruption' | 'region' | 'filament';

interface Rule {
  readonly kind: HighlightKind;
  /** Pins of the kind. Of equal reports that of the first pin counts: ejections of the HEK are placed where they are seen. */
  readonly pins: readonly string[];
  readonly most: number;
  /** Reports within this time are duplicates, of which the strongest counts. Null: reports with equal labels are. */
  readonly sameMs: number | null;
  /** Unit of the strength, which events must have; absent for events of which none is measured. */
  readonly unit?: EventStrength['unit'];
  readonly title: (event: DayEvent) => string;
}

const METRES_PER_MM = 1e6;
const labelOf = ({ label }: DayEvent) => label;
const strengthOf = ({ strength }: DayEvent) => strength!.text;
const lengthOf = ({ strength }: DayEvent) => `${Math.round(strength!.value / METRES_PER_MM)} Mm`;

const RULES: readonly Rule[] = [
  { kind: 'flare', pins: ['FL'], sameMs: MINUTE_MS, most: 5, unit: 'W/m2', title: strengthOf },
  { kind: 'ejection', pins: ['CE', 'C3'], sameMs: HOUR_MS, most: 2, unit: 'km/s', title: strengthOf },
  { kind: 'eruption', pins: ['FE'], sameMs: MINUTE_MS, most: 2, title: labelOf },
  { kind: 'region', pins: ['AR'], sameMs: null, most: 2, unit: null, title: labelOf },
  { kind: 'filament', pins: ['FI'], sameMs: null, most: 1, unit: 'm', title: lengthOf },
];

export const HIGHLIGHT_PINS: readonly string[] = [...new Set(RULES.flatMap(({ pins }) => pins))];

/** The time to look at an event: the peak of a flare, the start of an eruption, and the present time of what lasts. */
function timeOf({ kind, sameMs }: Rule, { peakMs, startMs, endMs }: DayEvent, atMs: number): number {
  if (kind === 'flare') return peakMs ?? startMs;
  return sameMs === null ? Math.min(Math.max(atMs, startMs), endMs) : startMs;
}

/** Kilometres that an ejection crosses from its first appearance in LASCO C2, beyond 2 solar radii, until most of it is in the field. */
const CROSSED_KM = 1.5 * (SOLAR_RADIUS_M / 1000);

/** `atMs`: as `timeOf` has it. An ejection is only just seen at its start. */
function lookAt({ kind }: Rule, { strength, endMs }: DayEvent, atMs: number): number {
  return kind === 'ejection' ? Math.min(atMs + Math.round(CROSSED_KM / strength!.value) * 1000, endMs) : atMs;
}

/**
 * The strongest flares, fastest ejections, filament eruptions, most complex active regions and the longest filament of a day.
 * @param atMs The time that is shown
 * @param dayMs Start of the day; `endMs`: its end
 */
export function highlightsOf(events: readonly DayEvent[], atMs: number, dayMs: number, endMs: number) {
  return RULES.flatMap((rule) => {
    const { kind, pins, sameMs, unit } = rule;
    const order = ({ pin }: DayEvent) => pins.indexOf(pin);
    const ranked = events
      .filter(({ pin, strength }) => pins.includes(pin) && (unit === undefined || strength?.unit === unit))
      .map((event) => ({ event, at: timeOf(rule, event, atMs), rank: event.strength?.value ?? 0 }))
      .filter(({ at }) => at >= dayMs && at < endMs)
      .sort((a, b) => b.rank - a.rank || order(a.event) - order(b.event) || a.at - b.at);
    const isSame = (a: (typeof ranked)[number], b: typeof a) =>
      sameMs === null ? a.event.label === b.event.label : Math.abs(a.at - b.at) < sameMs;
    const single = ranked.filter((one, i) => ranked.findIndex((other) => isSame(one, other)) === i);
    return single.slice(0, rule.most).map(({ event, at }) => {
      return { kind, id: event.id, pin: event.pin, pins, title: rule.title(event), atMs: lookAt(rule, event, at) };
    });
  });
}

export type Highlight = ReturnType<typeof highlightsOf>[number];

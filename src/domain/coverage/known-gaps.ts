// Periods without images whose reason is known: missions before their launch and after their end, outages, and eclipses.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../util/durations.ts';
import type { DataSource, KnownGap } from '../catalogue/datasource.ts';
import type { TimeRange } from './bins.ts';

/**
 * Why there are no images. `before-first`, `after-last`: of the source in this archive; `not-launched`, `mission-ended`: of the
 * spacecraft or instrument; `outage`: of the spacecraft; `eclipse`: by the Earth, as the time and length of the gap suggest.
 */
type GapReason = 'before-first' | 'after-last' | 'eclipse' | KnownGap['reason'];

export interface ReasonedGap {
  readonly reason: GapReason;
  readonly sentence: string;
}

const within = ({ startMs, endMs }: TimeRange, { from, to }: KnownGap) =>
  startMs >= (from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from) - DAY_MS) &&
  endMs <= (to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to) + DAY_MS);

/** Eclipses of SDO: each day in three weeks near an equinox, for up to 72 minutes about 07:00 UTC. */
const ECLIPSE = {
  maxMs: 90 * MINUTE_MS,
  /** Times of day between which a gap has its middle. */
  middleMs: { from: 6 * HOUR_MS, to: 8.5 * HOUR_MS },
  /** Days of the year from 1 January as 0: 5 February to 10 April, and 5 August to 15 October. */
  days: [
    [35, 99],
    [216, 287],
  ],
} as const;

function isEclipse(source: DataSource, { startMs, endMs }: TimeRange): boolean {
  if (!source.hasEclipseSeasons || endMs - startMs > ECLIPSE.maxMs) return false;
  const middleMs = (startMs + endMs) / 2;
  const timeOfDayMs = middleMs % DAY_MS;
  const day = Math.floor((middleMs - Date.UTC(new Date(middleMs).getUTCFullYear(), 0, 1)) / DAY_MS);
  const isTime = timeOfDayMs >= ECLIPSE.middleMs.from && timeOfDayMs <= ECLIPSE.middleMs.to;
  return isTime && ECLIPSE.days.some(([first, last]) => day >= first && day <= last);
}

/** The documented reason of a gap in the images of a source; null when there is none. */
export function knownReason(source: DataSource, gap: TimeRange): ReasonedGap | null {
  const period = source.knownGaps.find((known) => within(gap, known));
  if (period) return { reason: period.reason, sentence: period.sentence };
  if (!isEclipse(source, gap)) return null;
  return {
    reason: 'eclipse',
    sentence: 'Probably an eclipse: in some weeks near the equinoxes the Earth hides the Sun from SDO about 07:00 UTC.',
  };
}

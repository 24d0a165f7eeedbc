// Periods without images whose reason is documented: missions before their launch and after their end, and outages of spacecraft.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../util/durations.ts';
import { type DataSource, levelName } from '../catalogue/datasource.ts';
import type { TimeRange } from './bins.ts';

/**
 * Why there are no images. `before-first`, `after-last`: of the source in this archive; `not-launched`, `mission-ended`: of the
 * spacecraft or instrument; `outage`: of the spacecraft; `eclipse`: by the Earth, as the time and length of the gap suggest.
 */
export type GapReason = 'before-first' | 'after-last' | 'not-launched' | 'mission-ended' | 'outage' | 'eclipse';

export interface ReasonedGap {
  readonly reason: GapReason;
  readonly sentence: string;
}

/** Names of the levels of a source that the entry is about; absent ones match every source. */
interface Subject {
  readonly observatory: string;
  readonly instrument?: string;
  readonly detector?: string;
}

interface KnownPeriod extends Subject {
  readonly reason: GapReason;
  /** UTC dates; absent for a period without beginning or end. */
  readonly from?: string;
  readonly to?: string;
  readonly sentence: string;
}

/** From the announcements of the missions: ESA, NASA, NRL, JAXA and the Royal Observatory of Belgium. */
const PERIODS: readonly KnownPeriod[] = [
  { observatory: 'SDO', reason: 'not-launched', to: '2010-02-11', sentence: 'SDO was launched on 11 February 2010.' },
  { observatory: 'SOHO', reason: 'not-launched', to: '1995-12-02', sentence: 'SOHO was launched on 2 December 1995.' },
  { observatory: 'STEREO_A', reason: 'not-launched', to: '2006-10-26', sentence: 'STEREO was launched on 26 October 2006.' },
  { observatory: 'STEREO_B', reason: 'not-launched', to: '2006-10-26', sentence: 'STEREO was launched on 26 October 2006.' },
  { observatory: 'PROBA2', reason: 'not-launched', to: '2009-11-02', sentence: 'PROBA2 was launched on 2 November 2009.' },
  { observatory: 'Hinode', reason: 'not-launched', to: '2006-09-22', sentence: 'Hinode was launched on 22 September 2006.' },
  { observatory: 'TRACE', reason: 'not-launched', to: '1998-04-02', sentence: 'TRACE was launched on 2 April 1998.' },
  { observatory: 'Yohkoh', reason: 'not-launched', to: '1991-08-30', sentence: 'Yohkoh was launched on 30 August 1991.' },
  {
    observatory: 'SOHO',
    instrument: 'MDI',
    reason: 'mission-ended',
    from: '2011-04-12',
    sentence: 'MDI ended its observations on 12 April 2011.',
  },
  { observatory: 'TRACE', reason: 'mission-ended', from: '2010-06-21', sentence: 'TRACE took its last image on 21 June 2010.' },
  {
    observatory: 'Yohkoh',
    reason: 'mission-ended',
    from: '2001-12-14',
    sentence: 'Yohkoh lost the Sun on 14 December 2001 and did not recover.',
  },
  {
    observatory: 'STEREO_B',
    reason: 'mission-ended',
    from: '2014-10-01',
    sentence: 'Contact with STEREO-B was lost on 1 October 2014.',
  },
  {
    observatory: 'SOHO',
    reason: 'outage',
    from: '1998-06-24',
    to: '1998-11-05',
    sentence: 'Contact with SOHO was lost on 24 June 1998; all instruments worked again in early November.',
  },
  {
    observatory: 'SOHO',
    reason: 'outage',
    from: '1998-12-21',
    to: '1999-02-28',
    sentence: 'SOHO lost its last gyroscope in December 1998 and was without observations until February 1999.',
  },
  {
    observatory: 'STEREO_A',
    reason: 'outage',
    from: '2015-03-24',
    to: '2015-07-13',
    sentence: 'STEREO-A was behind the Sun and out of contact.',
  },
];

/** Names in the catalogue and in the table agree without case, blanks, dashes and underscores. */
const plain = (name: string | undefined) => (name ?? '').toLowerCase().replace(/[\s_-]/g, '');

const isAbout = (source: DataSource, { observatory, instrument, detector }: Subject) =>
  plain(levelName(source, 'Observatory')) === plain(observatory) &&
  (instrument === undefined || plain(levelName(source, 'Instrument')) === plain(instrument)) &&
  (detector === undefined || plain(levelName(source, 'Detector')) === plain(detector));

const within = ({ startMs, endMs }: TimeRange, { from, to }: KnownPeriod) =>
  startMs >= (from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from) - DAY_MS) &&
  endMs <= (to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to) + DAY_MS);

/** Twice a year the Earth hides the Sun from SDO each day, for up to 72 minutes about 07:00 UTC, in three weeks near an equinox. */
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
  if (levelName(source, 'Observatory') !== 'SDO' || endMs - startMs > ECLIPSE.maxMs) return false;
  const middleMs = (startMs + endMs) / 2;
  const timeOfDayMs = middleMs % DAY_MS;
  const day = Math.floor((middleMs - Date.UTC(new Date(middleMs).getUTCFullYear(), 0, 1)) / DAY_MS);
  const isTime = timeOfDayMs >= ECLIPSE.middleMs.from && timeOfDayMs <= ECLIPSE.middleMs.to;
  return isTime && ECLIPSE.days.some(([first, last]) => day >= first && day <= last);
}

/** The documented reason of a gap in the images of a source; null when there is none. */
export function knownReason(source: DataSource, gap: TimeRange): ReasonedGap | null {
  const period = PERIODS.find((known) => isAbout(source, known) && within(gap, known));
  if (period) return { reason: period.reason, sentence: period.sentence };
  if (!isEclipse(source, gap)) return null;
  return {
    reason: 'eclipse',
    sentence: 'Probably an eclipse: in some weeks near the equinoxes the Earth hides the Sun from SDO about 07:00 UTC.',
  };
}

// The states of the parts of the service that an operator watches: instruments, upstreams and the movie queue.
import type { InstrumentStatus } from '../../archive/ingestion-status.ts';
import { formatIso } from '../../sun/time.ts';
import type { D1StatusRegister, heartbeats, State, SubjectState } from './d1-status-register.ts';

/** Whether an operator has to act. A stopped instrument does not count, because an ended mission is no fault. */
export const isLateOrFailing = ({ state }: { readonly state: State }): boolean => state === 'late' || state === 'failing';

/** An upstream that responds, or does not: `mirror`, `events` and the source, `video host`, `news` or `shortener`. */
export type Heartbeat = Readonly<Pick<typeof heartbeats.$inferSelect, 'name' | 'okAtMs' | 'failures' | 'sentence'>> & {
  readonly triedAtMs: number | null;
};

type MovieQueueStatus = Awaited<ReturnType<D1StatusRegister['movieQueue']>>;

export interface StatusFacts {
  readonly nowMs: number;
  readonly instruments: Readonly<Record<string, InstrumentStatus>>;
  readonly heartbeats: readonly Heartbeat[];
  readonly movies: MovieQueueStatus;
}

/** Level of getStatus from which an instrument is late, and that of more than a week. */
const LATE_LEVEL = 3;
const STOPPED_LEVEL = 5;
/** Failures in sequence from which an upstream counts as failing: single ones are repeated within minutes. */
const FAILURES = 3;
/** Wait from which the movie queue does not get on: three of the longest movies. */
const LONGEST_WAIT_MS = 60 * 60_000;

export const statesOf = ({ instruments, heartbeats, movies }: StatusFacts): SubjectState[] => [
  ...Object.entries(instruments).map(([name, status]) => instrumentState(name, status)),
  ...heartbeats.map(upstreamState),
  moviesState(movies),
];

function instrumentState(name: string, { level, time }: InstrumentStatus): SubjectState {
  const state = level >= STOPPED_LEVEL ? 'stopped' : level >= LATE_LEVEL ? 'late' : 'ok';
  return { subject: `instrument ${name}`, state, sentence: `The newest image is of ${time}.` };
}

export const isFailing = ({ failures }: Pick<Heartbeat, 'failures'>): boolean => failures >= FAILURES;

function upstreamState({ name, okAtMs, failures, sentence }: Heartbeat): SubjectState {
  const last = okAtMs === null ? 'It has not responded yet.' : `It responded last at ${formatIso(okAtMs)}.`;
  if (!isFailing({ failures })) return { subject: name, state: 'ok', sentence: last };
  return { subject: name, state: 'failing', sentence: [sentence, last].filter(Boolean).join(' ') };
}

function moviesState({ queued, oldestWaitMs }: MovieQueueStatus): SubjectState {
  const waits = oldestWaitMs !== null && oldestWaitMs > LONGEST_WAIT_MS;
  const minutes = Math.round((oldestWaitMs ?? 0) / 60_000);
  const sentence = queued === 0 ? 'No movie waits.' : `${queued} wait, the oldest for ${minutes} minutes.`;
  return { subject: 'movies', state: waits ? 'late' : 'ok', sentence };
}

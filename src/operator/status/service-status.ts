// The status of the service: gathered for requests, and kept by the clock, which notes changes.

import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { type InstrumentStatus, ingestionStatus } from '../../archive/ingestion-status.ts';
import type { SampleProgressStore } from '../../archive/sample-progress.ts';
import type { EventService } from '../../events/event-service.ts';
import { MIRROR_STEP } from '../../platform/limits/mirror.ts';
import { STATUS } from '../../platform/limits/status.ts';
import type { Clock, Log } from '../../platform/ports/timing.ts';
import { SHARDS } from '../../platform/storage/shards.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { traceOf } from '../../platform/util/errors.ts';
import { Service } from '../../platform/util/service.ts';
import { fresh } from '../../platform/util/single-flight.ts';
import { countedBins, countedWidthMs } from '../../sun/bins.ts';
import { allSources } from '../../sun/catalogue/sources.ts';
import { EVENT_SOURCES } from '../../sun/events/event-types.ts';
import { dayStart, formatIso } from '../../sun/time.ts';
import type { MirrorHeartbeat } from '../mirror/d1-mirror-state.ts';
import type { StatusPoints } from './analytics-sql.ts';
import type { D1StatusRegister, Heartbeat, State, StateChange, SubjectState } from './d1-status-register.ts';
import { isJobBeat, jobStates } from './jobs.ts';

/** Numbers of images of each of the last days by instrument, today included, the oldest first. */
export async function dayCounts(index: Pick<ImageIndex, 'extents' | 'counts'>, nowMs: number) {
  const today = dayStart(nowMs);
  const bins = countedBins('D', { startMs: today - (STATUS.chartDays - 1) * DAY_MS, endMs: today });
  const extents = await index.extents();
  const sources = allSources.filter((source) => extents.has(source.id) && source.statusName !== null);
  const ids = sources.map(({ id }) => id);
  const counted = await index.counts(ids, bins, countedWidthMs('D'));
  const byInstrument = Map.groupBy(sources.keys(), (i) => sources[i]!.statusName!);
  return [...byInstrument].map(([instrument, members]) => ({
    instrument,
    counts: bins.map(([startMs]) => members.reduce((sum, i) => sum + (counted[i]!.get(startMs) ?? 0), 0)),
  }));
}

export type DayCounts = Awaited<ReturnType<typeof dayCounts>>;

const { freshMs, chartsFreshMs, shareMs } = STATUS;
const NO_RESPONSE = 'The upstream did not respond as expected.';

type BeatPorts = { readonly register: Pick<D1StatusRegister, 'beat'>; readonly clock: Clock; readonly log: Log };

/** Notes every failure, and a success each `STATUS.beatMs` or after a failure, because an upload alone makes hundreds of requests. */
export function upstreamBeats({ register, clock, log }: BeatPorts) {
  const noted = new Map<string, number>();

  async function note(name: string, isGood: boolean): Promise<void> {
    const nowMs = clock();
    if (isGood && nowMs - (noted.get(name) ?? Number.NEGATIVE_INFINITY) < STATUS.beatMs) return;
    if (isGood) noted.set(name, nowMs);
    else noted.delete(name);
    // A status that cannot be noted does not fail the request.
    await register
      .beat(name, isGood ? null : NO_RESPONSE)
      .catch((error: unknown) => log({ heartbeat: name, failed: traceOf(error) }));
  }

  /** Runs a request to an upstream and notes whether it succeeded, by `isGood` or always. @throws the failure of the request */
  return async <T>(name: string, request: () => Promise<T>, isGood: (result: T) => boolean = () => true): Promise<T> => {
    try {
      const result = await request();
      await note(name, isGood(result));
      return result;
    } catch (error) {
      await note(name, false);
      throw error;
    }
  };
}

/** Whether an operator has to act. A stopped instrument does not count, because an ended mission is no fault. */
export const isLateOrFailing = ({ state }: { readonly state: State }): boolean => state === 'late' || state === 'failing';

interface StatusFacts {
  readonly nowMs: number;
  readonly instruments: Readonly<Record<string, InstrumentStatus>>;
  readonly heartbeats: readonly Heartbeat[];
  readonly movies: Awaited<ReturnType<D1StatusRegister['movieQueue']>>;
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

const isFailing = ({ failures }: Pick<Heartbeat, 'failures'>): boolean => failures >= FAILURES;

function upstreamState({ name, okAtMs, failures, sentence }: Heartbeat): SubjectState {
  const last = okAtMs === null ? 'It has not responded yet.' : `It responded last at ${formatIso(okAtMs)}.`;
  if (!isFailing({ failures })) return { subject: name, state: 'ok', sentence: last };
  return { subject: name, state: 'failing', sentence: [sentence, last].filter(Boolean).join(' ') };
}

function moviesState({ queued, oldestWaitMs }: StatusFacts['movies']): SubjectState {
  const waits = oldestWaitMs !== null && oldestWaitMs > LONGEST_WAIT_MS;
  const minutes = Math.round((oldestWaitMs ?? 0) / 60_000);
  const sentence = queued === 0 ? 'No movie waits.' : `${queued} wait, the oldest for ${minutes} minutes.`;
  return { subject: 'movies', state: waits ? 'late' : 'ok', sentence };
}

/** The list of RHESSI is in the database. */
const REMOTE_SOURCES = EVENT_SOURCES.filter((source) => source !== 'RHESSI');

/** Names of the heartbeats of event sources begin so. */
const EVENTS = 'events ';

export type ServiceStatus = Awaited<ReturnType<StatusService['read']>>;

export class StatusService extends Service<{
  readonly index: Pick<ImageIndex, 'extents' | 'counts'>;
  readonly register: D1StatusRegister;
  readonly events: Pick<EventService, 'eventsAt'>;
  readonly mirror: (() => Promise<MirrorHeartbeat>) | null;
  readonly points: StatusPoints;
  readonly clock: Clock;
}> {
  readonly register = this.ports.register;

  /** At most half a minute old, because `/health` and `/metrics` are read often. */
  readonly read = fresh(() => this.#gather(), { freshMs, shareMs, clock: this.ports.clock });

  /** Images a day of each instrument, at most five minutes old. */
  readonly dayCounts = fresh(() => dayCounts(this.ports.index, this.ports.clock()), {
    freshMs: chartsFreshMs,
    shareMs,
    clock: this.ports.clock,
  });

  changes(): Promise<readonly StateChange[]> {
    return this.ports.register.changes(STATUS.changes);
  }

  /** Asks the sources of events whether they respond, writes points, and keeps the states. @returns number of changes */
  async record(): Promise<number> {
    await this.#beat();
    const { states, instruments, movies } = await this.#gather();
    const behind = (subject: string) => instruments[subject.replace(/^instrument /, '')]?.secondsBehind ?? 0;
    for (const { subject, state } of states) {
      const values = subject === 'movies' ? [movies.queued, (movies.oldestWaitMs ?? 0) / 1000] : [behind(subject)];
      this.ports.points(subject, state, values);
    }
    return this.ports.register.keep(states);
  }

  async #beat(): Promise<void> {
    const { events, register, clock } = this.ports;
    const ofEvents = (await register.heartbeats()).filter(({ name }) => name.startsWith(EVENTS));
    const triedAtMs = Math.max(0, ...ofEvents.map((beat) => beat.triedAtMs ?? 0));
    if (clock() - triedAtMs < STATUS.beatMs) return;
    const { states } = await events.eventsAt(clock(), REMOTE_SOURCES);
    for (const { source, state, missing } of states) {
      const parts = missing.length > 0 ? ` (${missing.join(', ')})` : '';
      await register.beat(EVENTS + source, state === 'ok' ? null : `The source did not respond${parts}.`);
    }
  }

  async #gather() {
    const { index, register, mirror: readMirror, clock } = this.ports;
    const [extents, beats, movies, kept, deadLetters, mirror] = await Promise.all([
      index.extents(),
      register.heartbeats(),
      register.movieQueue(),
      register.states(),
      register.deadLetters(),
      readMirror ? readMirror() : null,
    ]);
    const nowMs = clock();
    const facts = {
      nowMs,
      instruments: ingestionStatus(extents, nowMs),
      heartbeats: [...(mirror ? [mirrorBeat(mirror, nowMs)] : []), ...beats.filter((beat) => !isJobBeat(beat))],
      movies,
    };
    const since = new Map(kept.map(({ subject, state, sinceMs }) => [`${subject} ${state}`, sinceMs]));
    const states = statesOf(facts).map((each) => ({ ...each, sinceMs: since.get(`${each.subject} ${each.state}`) ?? null }));
    return { ...facts, mirror, states, deadLetters, jobs: jobStates(beats, nowMs) };
  }
}

/** A mirror fails when all of its sources do, and when it has listed none of them for a while. */
function mirrorBeat({ okAtMs, triedAtMs, failing, sources, sentence }: MirrorHeartbeat, nowMs: number): Heartbeat {
  const hasFailed = sources > 0 && (failing === sources || (okAtMs !== null && nowMs - okAtMs > MIRROR_STEP.lateMs));
  return { name: 'mirror', okAtMs, triedAtMs, failures: hasFailed ? Number.MAX_SAFE_INTEGER : 0, sentence };
}

export const isoOrNull = (ms: number | null) => (ms === null ? null : formatIso(ms));

/** Times are `YYYY-MM-DDTHH:MM:SSZ`, durations seconds. */
export function statusJson({ states, heartbeats, movies, mirror, nowMs }: ServiceStatus) {
  return {
    time: formatIso(nowMs),
    states: states.map(({ sinceMs, ...state }) => ({ ...state, since: isoOrNull(sinceMs) })),
    upstreams: heartbeats.map(({ name, okAtMs, triedAtMs, failures, sentence }) => ({
      name,
      ok: isoOrNull(okAtMs),
      tried: isoOrNull(triedAtMs),
      isFailing: isFailing({ failures }),
      sentence,
    })),
    mirror: mirror && {
      sources: mirror.sources,
      added: mirror.added,
      refused: mirror.refused,
      incomplete: mirror.open,
      through: isoOrNull(mirror.cursorMs),
    },
    movies: {
      queued: movies.queued,
      processing: movies.processing,
      oldestWaitSeconds: movies.oldestWaitMs === null ? null : Math.round(movies.oldestWaitMs / 1000),
      repeated: movies.repeated,
      expiredLeases: movies.expired,
      failed: movies.failed,
    },
  };
}

/** Ids that no image has, because sequences begin at 1, one for each shard: the check only needs a response of every image database. */
const NO_IMAGES = SHARDS;

interface HealthPorts {
  readonly index: Pick<ImageIndex, 'withdrawn'>;
  readonly sample: SampleProgressStore;
  readonly status: Pick<StatusService, 'register'>;
  readonly clock: Clock;
}

/**
 * Whether the image databases (`index`), those of visitors (`main`) and operators (`operations`) and the archive (R2) respond, some seconds old at
 * most: a monitor that looks each second costs the databases and R2 one request each in this time. Every look has a key of its own in the edge
 * cache, which repeats expired responses while the Worker fails.
 */
export function healthCheck(ports: HealthPorts) {
  const { healthFreshMs: freshMs, shareMs } = STATUS;
  return fresh(() => examined(ports), { freshMs, shareMs, clock: ports.clock });
}

export type HealthCheck = ReturnType<typeof healthCheck>;

async function examined({ index, sample, status: { register }, clock }: HealthPorts) {
  // Withdrawn images are in the databases alone; other facts of images are read from the archive first.
  const checks = [index.withdrawn(NO_IMAGES), register.movieQueue(), register.heartbeats(), sample.read()] as const;
  const [images, main, beats, progress] = await Promise.allSettled(checks);
  const responds = ({ status }: PromiseSettledResult<unknown>) => status === 'fulfilled';
  return {
    isOk: [images, main, beats, progress].every(responds),
    responding: { index: responds(images), main: responds(main), operations: responds(beats), archive: responds(progress) },
    sample: progress.status === 'fulfilled' ? progress.value : null,
    jobs: beats.status === 'fulfilled' ? jobStates(beats.value, clock()) : [],
  };
}

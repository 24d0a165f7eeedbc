// The status of the service: gathered for requests, and kept by the clock, which notes changes.
import { ingestionStatus } from '../../archive/ingestion-status.ts';
import type { ImageIndex } from '../../archive/ports.ts';
import type { EventService } from '../../events/event-service.ts';
import { STATUS } from '../../platform/limits/status.ts';
import type { Clock, Log } from '../../platform/ports/timing.ts';
import { traceOf } from '../../platform/util/errors.ts';
import { Service } from '../../platform/util/service.ts';
import { FreshValue } from '../../platform/util/single-flight.ts';
import { EVENT_SOURCES } from '../../sun/events/event-types.ts';
import type { MirrorHeartbeat } from '../mirror/mirror-state.ts';
import type { D1StatusRegister } from './d1-status-register.ts';
import { type DayCounts, dayCounts } from './day-counts.ts';
import { isJobBeat, type JobState, jobStates } from './jobs.ts';
import type { StateChange, StatusPoints } from './ports.ts';
import { type Heartbeat, type StatusFacts, type SubjectState, statesOf } from './states.ts';

const { freshMs, chartsFreshMs, shareMs } = STATUS;
const NO_RESPONSE = 'The upstream did not respond as expected.';

/** Notes every failure, and a success each `STATUS.beatMs` or after a failure, because an upload alone makes hundreds of requests. */
export class UpstreamBeats extends Service<{
  readonly register: Pick<D1StatusRegister, 'beat'>;
  readonly clock: Clock;
  readonly log: Log;
}> {
  readonly #noted = new Map<string, number>();

  /** Runs a request to an upstream and notes whether it succeeded, by `isGood` or always. @throws the failure of the request */
  async watch<T>(name: string, request: () => Promise<T>, isGood: (result: T) => boolean = () => true): Promise<T> {
    try {
      const result = await request();
      await this.#note(name, isGood(result));
      return result;
    } catch (error) {
      await this.#note(name, false);
      throw error;
    }
  }

  async #note(name: string, isGood: boolean): Promise<void> {
    const nowMs = this.ports.clock();
    if (isGood && nowMs - (this.#noted.get(name) ?? Number.NEGATIVE_INFINITY) < STATUS.beatMs) return;
    if (isGood) this.#noted.set(name, nowMs);
    else this.#noted.delete(name);
    // A status that cannot be noted does not fail the request.
    await this.ports.register
      .beat(name, isGood ? null : NO_RESPONSE)
      .catch((error: unknown) => this.ports.log({ heartbeat: name, failed: traceOf(error) }));
  }
}

/** The list of RHESSI is in the database. */
const REMOTE_SOURCES = EVENT_SOURCES.filter((source) => source !== 'RHESSI');

/** Names of the heartbeats of event sources begin so. */
const EVENTS = 'events ';

export interface ServiceStatus extends StatusFacts {
  readonly mirror: MirrorHeartbeat | null;
  readonly jobs: readonly JobState[];
  readonly deadLetters: number;
  readonly states: readonly (SubjectState & { readonly sinceMs: number | null })[];
}

export class StatusService extends Service<{
  readonly index: Pick<ImageIndex, 'extents' | 'counts'>;
  readonly register: D1StatusRegister;
  readonly events: Pick<EventService, 'eventsAt'>;
  readonly mirror: (() => Promise<MirrorHeartbeat>) | null;
  readonly points: StatusPoints;
  readonly clock: Clock;
}> {
  readonly #status = new FreshValue(() => this.#gather(), { freshMs, shareMs, clock: this.ports.clock });
  readonly #dayCounts = new FreshValue(() => dayCounts(this.ports.index, this.ports.clock()), {
    freshMs: chartsFreshMs,
    shareMs,
    clock: this.ports.clock,
  });

  /** At most half a minute old, because `/health` and `/metrics` are read often. */
  read(): Promise<ServiceStatus> {
    return this.#status.read();
  }

  /** Images a day of each instrument, at most five minutes old. */
  dayCounts(): Promise<readonly DayCounts[]> {
    return this.#dayCounts.read();
  }

  /** Reads the visitors' database now. @throws when it does not respond */
  async readMain(): Promise<void> {
    await this.ports.register.movieQueue();
  }

  /** Reads the runs of the jobs from the operations database now. @throws when it does not respond */
  async readJobs(): Promise<readonly JobState[]> {
    return jobStates(await this.ports.register.heartbeats(), this.ports.clock());
  }

  changes(): Promise<readonly StateChange[]> {
    return this.ports.register.changes(STATUS.changes);
  }

  /** Asks the sources of events whether they respond, writes points, and keeps the states. @returns number of changes */
  async record(): Promise<number> {
    await this.#beat();
    const { states, instruments, movies } = await this.#gather();
    const behind = (subject: string) => instruments[subject.replace(/^instrument /, '')]?.secondsBehind ?? 0;
    for (const { subject, state } of states) {
      const values = subject === 'movies' && movies ? [movies.queued, (movies.oldestWaitMs ?? 0) / 1000] : [behind(subject)];
      this.ports.points.write({ subject, state, values });
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

  async #gather(): Promise<ServiceStatus> {
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
      heartbeats: [...(mirror ? [mirrorBeat(mirror)] : []), ...beats.filter((beat) => !isJobBeat(beat))],
      movies,
    };
    const since = new Map(kept.map(({ subject, state, sinceMs }) => [`${subject} ${state}`, sinceMs]));
    const states = statesOf(facts).map((each) => ({ ...each, sinceMs: since.get(`${each.subject} ${each.state}`) ?? null }));
    return { ...facts, mirror, states, deadLetters, jobs: jobStates(beats, nowMs) };
  }
}

/** A mirror fails when all of its sources do. */
function mirrorBeat({ okAtMs, triedAtMs, failing, sources, sentence }: MirrorHeartbeat): Heartbeat {
  const hasFailed = sources > 0 && failing === sources;
  return { name: 'mirror', okAtMs, triedAtMs, failures: hasFailed ? Number.MAX_SAFE_INTEGER : 0, sentence };
}

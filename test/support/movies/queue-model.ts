// The queue of movies as a machine without a database: the states of its builds and its steps. The property test runs the same
// steps at the same time through the SQL, and requires that some order of them in this machine has the same outcome.
import { MOVIE_STATUS, MOVIE_TRANSITIONS, type MovieEvent, type MovieStatus } from '../../../src/domain/movies/movie.ts';

/** Part of `MOVIE_BUILDS`. */
export const RULES = { leaseMs: 1000, attempts: 3, silentAttempts: 4 } as const;
export const FRAMES = 12;
export const COST = 100;
/** Segments that a worker stores: the frames 0..5 of one encoding each. */
export const SEGMENTS = ['mp4', 'hq', 'webm'] as const;
/** Clients whose builds may overtake one: see OVERTAKING_CLIENTS of the claims. */
const OVERTAKING_CLIENTS = 16;
const SEGMENT_FRAMES = 6;

/** A claim of a worker, named by the step that made it. */
type Lease = number;

export interface BuildState {
  readonly key: string;
  status: MovieStatus;
  client: string;
  arrival: number;
  turn: number;
  attempts: number;
  lease: Lease | null;
  leaseUntilMs: number | null;
  worker: string | null;
  framesDone: number;
  segments: string[];
}

/** A step of the machine, and `lease`: the claim that a worker names in its report. */
export type Step =
  | { readonly do: 'add'; readonly key: string; readonly client: string }
  | { readonly do: 'requeue'; readonly key: string; readonly client: string }
  | { readonly do: 'claim'; readonly worker: string; readonly lease: Lease }
  | { readonly do: 'expire' }
  | { readonly do: 'progress'; readonly lease: Lease; readonly frames: number }
  | { readonly do: 'segment'; readonly lease: Lease; readonly output: (typeof SEGMENTS)[number] }
  | { readonly do: 'extend' | 'finish' | 'fail' | 'failFinally' | 'release'; readonly lease: Lease };

/** The status after an event; null where the event is not allowed. */
export function statusAfter(event: MovieEvent, status: MovieStatus): MovieStatus | null {
  const { from, to } = MOVIE_TRANSITIONS[event];
  return from.some((allowed) => allowed === status) ? to : null;
}

/** Result of a step: the key of a claimed build, or whether the step took effect. */
export type Outcome = string | boolean | null;

export class QueueModel {
  readonly builds: BuildState[] = [];
  /** Build of each claim. */
  readonly claims = new Map<Lease, string>();
  nowMs = 0;
  #arrivals = 0;
  /** Start of the turns of new clients. */
  virtualTime = 0;

  copy(): QueueModel {
    const copy = new QueueModel();
    copy.builds.push(...this.builds.map((build) => ({ ...build, segments: [...build.segments] })));
    for (const [lease, key] of this.claims) copy.claims.set(lease, key);
    copy.nowMs = this.nowMs;
    copy.#arrivals = this.#arrivals;
    copy.virtualTime = this.virtualTime;
    return copy;
  }

  build(key: string): BuildState | undefined {
    return this.builds.find((each) => each.key === key);
  }

  run(step: Step): Outcome {
    switch (step.do) {
      case 'add':
        return this.#add(step.key, step.client);
      case 'requeue':
        return this.#requeue(this.build(step.key), step.client);
      case 'claim':
        return this.#claim(step.worker, step.lease);
      case 'expire':
        this.#expire();
        return null;
      default:
        return this.#report(step);
    }
  }

  /** @returns whether the build existed already */
  #add(key: string, client: string): boolean {
    const known = this.build(key);
    if (!known) {
      const place = this.#place(client);
      const empty = { attempts: 0, lease: null, leaseUntilMs: null, worker: null, framesDone: 0 };
      this.builds.push({ key, status: MOVIE_STATUS.queued, client, ...place, ...empty, segments: [] });
      return false;
    }
    return known.status !== MOVIE_STATUS.invalid || !this.#requeue(known, client);
  }

  #requeue(build: BuildState | undefined, client: string): boolean {
    if (!build || !allowed('requeue', build)) return false;
    Object.assign(build, { ...this.#place(client), client, attempts: 0, framesDone: 0, segments: [] });
    this.#change('requeue', build);
    Object.assign(build, { lease: null, worker: null });
    return true;
  }

  #place(client: string): Pick<BuildState, 'arrival' | 'turn'> {
    const ends = this.#queued().flatMap((build) => (build.client === client ? build.turn + COST : []));
    this.#arrivals += 1;
    return { arrival: this.#arrivals, turn: Math.max(this.virtualTime, ...ends) };
  }

  #queued(): BuildState[] {
    const queued = this.builds.filter(({ status }) => status === MOVIE_STATUS.queued);
    return queued.sort((a, b) => a.turn - b.turn || a.arrival - b.arrival);
  }

  #claim(worker: string, lease: Lease): string | null {
    this.#expire();
    const queued = this.#queued();
    const next = queued.find((build) => build.worker !== worker) ?? queued[0];
    if (!next) return null;
    this.virtualTime = Math.max(this.virtualTime, next.turn) + COST / OVERTAKING_CLIENTS;
    this.#change('claim', next);
    Object.assign(next, { lease, leaseUntilMs: this.nowMs + RULES.leaseMs, worker, attempts: next.attempts + 1 });
    this.claims.set(lease, next.key);
    return next.key;
  }

  #expire(): void {
    for (const build of this.builds) {
      if (build.leaseUntilMs === null || build.leaseUntilMs >= this.nowMs) continue;
      if (build.attempts >= RULES.silentAttempts) this.#end(build);
      else this.#retry(build, null);
    }
  }

  #report(step: Extract<Step, { readonly lease: Lease }>): boolean {
    const build = this.builds.find(({ lease }) => lease === step.lease);
    // A repeated report of the end takes no effect, and is confirmed.
    if (step.do === 'finish' && build?.status === MOVIE_STATUS.finished) return true;
    if (build?.status !== MOVIE_STATUS.processing) return false;
    switch (step.do) {
      case 'progress':
        build.framesDone = Math.max(build.framesDone, Math.min(step.frames, FRAMES));
        build.leaseUntilMs = this.nowMs + RULES.leaseMs;
        break;
      case 'extend':
        build.leaseUntilMs = this.nowMs + RULES.leaseMs;
        break;
      case 'segment':
        build.segments = [...new Set([...build.segments, step.output])].sort();
        break;
      case 'finish':
        this.#change('finish', build);
        Object.assign(build, { framesDone: FRAMES, segments: [] });
        break;
      case 'fail':
        if (build.attempts >= RULES.attempts) this.#end(build);
        else this.#retry(build, build.worker);
        break;
      case 'failFinally':
        this.#end(build);
        break;
      case 'release':
        this.#retry(build, null);
        build.attempts -= 1;
        break;
    }
    return true;
  }

  #retry(build: BuildState, failedWorker: string | null): void {
    this.#change('retry', build);
    const framesDone = build.segments.length === SEGMENTS.length ? SEGMENT_FRAMES : 0;
    Object.assign(build, { lease: null, worker: failedWorker, framesDone });
  }

  #end(build: BuildState): void {
    this.#change('end', build);
    Object.assign(build, { lease: null, worker: null });
  }

  #change(event: MovieEvent, build: BuildState): void {
    build.status = statusAfter(event, build.status)!;
    build.leaseUntilMs = null;
  }
}

const allowed = (event: MovieEvent, { status }: BuildState) => statusAfter(event, status) !== null;

// Ports of the status: what the databases know, and where points of it go. Times are milliseconds since 1970, UTC.
import type { Heartbeat, MovieQueueStatus, State, SubjectState } from '../domain/status/states.ts';

/** A state and the time since which it holds. */
export interface KeptState extends SubjectState {
  readonly sinceMs: number;
}

/** A change of a state. */
export interface StateChange {
  /** Ascends with the time. */
  readonly id: number;
  readonly atMs: number;
  readonly subject: string;
  readonly before: State;
  readonly state: State;
  readonly sentence: string;
}

export interface StatusRegister {
  heartbeats(): Promise<readonly Heartbeat[]>;
  /** Notes an attempt at an upstream; null for one that succeeded, else why it failed. */
  beat(name: string, failure: string | null): Promise<void>;
  states(): Promise<readonly KeptState[]>;
  /** Keeps the present states, and a change for each that differs from the one before. @returns number of changes */
  keep(states: readonly SubjectState[]): Promise<number>;
  /** The newest changes first. */
  changes(limit: number): Promise<readonly StateChange[]>;
  movieQueue(): Promise<MovieQueueStatus>;
}

/** A time series of points, as Workers Analytics Engine. */
export interface StatusPoints {
  write(point: { readonly subject: string; readonly state: State; readonly values: readonly number[] }): void;
}

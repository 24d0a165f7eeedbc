// States of the status, and where points of it go. Times are milliseconds since 1970, UTC.
import type { State, SubjectState } from '../domain/status/states.ts';

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

/** A time series of points, as Workers Analytics Engine. */
export interface StatusPoints {
  write(point: { readonly subject: string; readonly state: State; readonly values: readonly number[] }): void;
}

// States of the status, and where points of it go. Times are milliseconds since 1970, UTC.
import type { State, SubjectState } from './states.ts';

export interface KeptState extends SubjectState {
  readonly sinceMs: number;
}

export interface StateChange {
  /** Ascends with the time. */
  readonly id: number;
  readonly atMs: number;
  readonly subject: string;
  readonly before: State;
  readonly state: State;
  readonly sentence: string;
}

export interface StatementCount {
  readonly ran: number;
  /** Text of D1 for the first that failed; null when none did. */
  readonly failed: string | null;
}

/** Sums of the requests of some minutes. */
export interface OperationCount {
  /** Name of the operation, or first part of the path of other files; `other` for all others. */
  readonly operation: string;
  readonly requests: number;
  /** Failures that are faults of the service. */
  readonly faults: number;
  /** Responses from the edge cache. */
  readonly hits: number;
  readonly seconds: number;
}

/** A time series of points, as Workers Analytics Engine. */
export interface StatusPoints {
  write(point: { readonly subject: string; readonly state: State; readonly values: readonly number[] }): void;
}

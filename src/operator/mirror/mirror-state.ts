// State of a mirror between its steps. Times are milliseconds since 1970, UTC.

export type TimeSpan = { readonly fromMs: number; readonly toMs: number };

/** A chosen source, from a chosen time on: cursors of different choices are independent. */
export type MirrorScope = { readonly sourceId: number; readonly cadenceMs: number | null; readonly fromMs: number };

/** A part of the list that is incomplete because files or the list itself failed. */
export interface OpenSpan extends TimeSpan {
  readonly attempts: number;
}

export type Refusal = { readonly reason: string; readonly sentence: string };

/** Where a step was cut off, and the next one continues. */
export interface MirrorPosition {
  /** `open`: an incomplete part of the list, by its start. `list`: the page of the list that begins at this time. */
  readonly part: 'open' | 'list';
  readonly fromMs: number;
  /** Name of the last file of the page that was tried; null for none. */
  readonly afterName: string | null;
  /** First failure of the page so far. */
  readonly failure: string | null;
}

/** A listed file that waits for its copy. The attempt tells a message from the one that has followed it. */
export type PlannedFile = { readonly fileName: string; readonly attempts: number };

export interface StepResult {
  /** Time of the next step. */
  readonly dueAtMs: number;
  /** Why the upstream failed; null when it did not. */
  readonly sentence: string | null;
}

export interface MirrorHeartbeat {
  readonly upstream: string;
  readonly sources: number;
  /** Last step without a failure of the upstream; null before the first. */
  readonly okAtMs: number | null;
  readonly triedAtMs: number | null;
  readonly cursorMs: number | null;
  readonly added: number;
  /** Sources at which the last step failed. */
  readonly failing: number;
  /** Why, at one of them. */
  readonly sentence: string | null;
  /** Incomplete parts of the lists; this number and the next two are counted to ten thousand. */
  readonly open: number;
  /** Listed files that wait for their copies. */
  readonly waiting: number;
  /** Files that the ingest has refused within a month. */
  readonly refused: number;
}

// Clocks, timings and logs.

/** Milliseconds since 1970, UTC. */
export type Clock = () => number;

/** Stages of a request in the order of the pipeline, as in the Server-Timing header. */
export const STAGES = ['cache', 'index', 'read', 'decode', 'colour', 'compose', 'overlays', 'encode'] as const;

export type Stage = (typeof STAGES)[number];

/** Adds up the time in each stage of a request. */
export interface Stopwatch {
  /** Runs `work` and adds its duration, until it returns or its promise settles, to a stage. */
  measure<T>(stage: Stage, work: () => T): T;
}

/** For work that no request waits for. */
export const UNTIMED: Stopwatch = { measure: (_, work) => work() };

/** Receives one JSON record per event that an operator may want to know. */
export type Log = (record: Readonly<Record<string, unknown>>) => void;

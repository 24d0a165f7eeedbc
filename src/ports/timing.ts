// Clocks, timings and logs.

/** Milliseconds since 1970, UTC. */
export type Clock = () => number;

/** Milliseconds spent in each stage of a request, for the Server-Timing header. */
export type StageTimings = Partial<
  Record<'cache' | 'index' | 'read' | 'decode' | 'colour' | 'compose' | 'overlays' | 'encode', number>
>;

/** Adds up the stage timings of one request. */
export interface Stopwatch {
  measure<T>(stage: keyof StageTimings, work: () => Promise<T>): Promise<T>;
  add(timings: StageTimings): void;
}

/** Receives one JSON record per event that an operator may want to know. */
export type Log = (record: Readonly<Record<string, unknown>>) => void;

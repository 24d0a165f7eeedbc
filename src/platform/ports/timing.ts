// Clocks, timings and logs.
import { TURNS } from '../limits/admission.ts';
import { PICTURE_COST } from '../limits/rendering.ts';

/** Milliseconds since 1970, UTC. */
export type Clock = () => number;

/** Stages of a request in the order of the pipeline, as in the Server-Timing header. */
export const STAGES = ['index', 'read', 'decode', 'colour', 'compose', 'overlays', 'encode'] as const;

export type Stage = (typeof STAGES)[number];

export interface Stopwatch {
  /** Runs `work` and adds its duration, until it returns or its promise settles, to a stage. */
  measure<T>(stage: Stage, work: () => T): T;
}

/** Times the stages of a drawing, and lets other requests of the isolate go first between its steps. */
export interface Pace extends Stopwatch {
  /** Precedes or follows a step that takes this many pixels of a layer or of the encoded picture. */
  pause(pixels: number): Promise<void>;
  /** Runs work that holds a decoder while it pauses: one after the other, so that a drawing has one decoder at a time. */
  inOrder<T>(work: () => Promise<T>): Promise<T>;
  /** Charges the client for work beyond what the size of its picture shows, in pixels of a layer. @throws Failure `rate-limited` */
  charge(pixels: number): Promise<void>;
}

/** Times the stages of a drawing without pauses and charges. */
export const unpaused = (stopwatch: Stopwatch): Pace => ({
  measure: (stage, work) => stopwatch.measure(stage, work),
  pause: async () => undefined,
  inOrder: (work) => work(),
  charge: async () => undefined,
});

/** For work that no request waits for, and for programs of their own, which have no other requests. */
export const UNTIMED: Pace = unpaused({ measure: (_, work) => work() });

/** Receives one JSON record per event that an operator may want to know. */
export type Log = (record: Readonly<Record<string, unknown>>) => void;

/** Keeps work alive after the response is sent. */
export type WaitUntil = (work: Promise<unknown>) => void;

/** Lets other requests go first after each step of `TURNS.stepMs`. Parts that go on at once wait for the same turn. */
export function inSteps(step: (ms: number) => Promise<void>): (ms: number) => Promise<void> {
  let sinceMs = 0;
  let turning: Promise<void> | null = null;
  const turnAfter = (ms: number) =>
    step(ms).finally(() => {
      turning = null;
    });
  return async (ms) => {
    sinceMs += ms;
    if (!turning && sinceMs >= TURNS.stepMs) {
      turning = turnAfter(sinceMs);
      sinceMs = 0;
    }
    await turning;
  };
}

type Paced = { readonly stopwatch: Stopwatch; readonly step: (ms: number) => Promise<void> } & Partial<Pick<Pace, 'charge'>>;

/** The pace of a picture, which is drawn in steps. */
export function paceOf({ stopwatch, step, charge = async () => undefined }: Paced): Pace {
  const work = inSteps(step);
  let last: Promise<unknown> = Promise.resolve();
  return {
    measure: (stage, part) => stopwatch.measure(stage, part),
    pause: (pixels) => work(pixels * PICTURE_COST.msPerPixel),
    inOrder: (next) => {
      const running = last.then(next);
      last = running.catch(() => undefined);
      return running;
    },
    charge,
  };
}

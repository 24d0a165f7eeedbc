import { TURNS } from '../limits/admission.ts';
import { PICTURE_COST } from '../limits/rendering.ts';
import type { Pace, Stopwatch } from '../ports/timing.ts';

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

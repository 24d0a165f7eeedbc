// How fast a movie is.
import { DEFAULT_FRAME_RATE, LENGTH_FRAME_RATE } from './limits.ts';

export interface Pace {
  /** Frames per second; counts when both are given. */
  readonly frameRate?: number | undefined;
  /** Seconds. */
  readonly movieLength?: number | undefined;
}

/** Decimals of a rate: a length of minutes is then right to a tenth of a second. */
const thousandths = (rate: number): number => Math.round(rate * 1000) / 1000;

/** Frames per second of so many frames, and whether the length is another one than was asked for. */
export function paceOf({ frameRate, movieLength }: Pace, frames: number): { frameRate: number; isOtherLength: boolean } {
  if (frameRate !== undefined) return { frameRate: thousandths(frameRate), isOtherLength: false };
  if (movieLength === undefined) return { frameRate: DEFAULT_FRAME_RATE, isOtherLength: false };
  const wanted = thousandths(frames / movieLength);
  const { min, max } = LENGTH_FRAME_RATE;
  const kept = Math.min(Math.max(wanted, min), max);
  return { frameRate: kept, isOtherLength: kept !== wanted };
}

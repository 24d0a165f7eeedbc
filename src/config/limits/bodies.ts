// Limits of celestial bodies: their positions, passages and tables of states.
import { DAY_MS } from '../../util/durations.ts';

/** Times for which positions are computed, inclusive: two centuries around the space age, where the planetary theory is accurate. */
export const BODY_TIMES = { firstMs: Date.UTC(1900, 0, 1), lastMs: Date.UTC(2100, 0, 1) } as const;

/** Points of a trajectory. */
export const TRAJECTORY = {
  /** Milliseconds between two points of a planet, which the web client assumes. */
  planetCadenceMs: DAY_MS,
  /** Points of one trajectory, after which their spacing doubles: planets need at most 110, a point takes 200 bytes. */
  points: 400,
} as const;

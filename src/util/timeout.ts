/** Result of `withTimeout` when the work did not settle in time. */
export const TIMED_OUT = Symbol('timed out');

/** The result of `work`, or TIMED_OUT when it has not settled within `ms` milliseconds. The work itself goes on. */
export function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | typeof TIMED_OUT> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(TIMED_OUT), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Delay before the next attempt after `attempt` failed ones: `firstMs`, doubled for each further attempt, varied by a quarter so
 * that clients that failed together do not return together.
 */
export function backoffMs(attempt: number, firstMs: number): number {
  return firstMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
}

/** `firstMs`, doubled for each attempt after the first, up to `longestMs`. */
export function doubled(attempt: number, firstMs: number, longestMs: number): number {
  return Math.min(firstMs * 2 ** (attempt - 1), longestMs);
}

/** Settles after `ms` milliseconds. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

// Runs a fuzz target for a given time. A case depends on its seed only, so that every finding can be reproduced.
import { randomNumbers } from '../support/imaging/rasters.ts';

/**
 * Runs one case with the given random numbers.
 * @throws Error when an invariant is violated
 */
export type FuzzCase = (random: () => number) => void | Promise<void>;

/** Creates the corpus of a target and returns its case. */
export type FuzzTarget = () => FuzzCase | Promise<FuzzCase>;

export interface Finding {
  readonly seed: number;
  readonly message: string;
}

/** Time limit for one case. */
const CASE_LIMIT_MS = 5000;

/** Runs cases with the seeds `seed`, `seed + 1`, ... for `seconds`, at least one. Calls `onCase` before each. */
export async function fuzz(runCase: FuzzCase, seed: number, seconds: number, onCase: (seed: number) => void = () => {}) {
  const findings: Finding[] = [];
  const until = performance.now() + seconds * 1000;
  let cases = 0;
  let slowestMs = 0;
  do {
    const caseSeed = seed + cases++;
    onCase(caseSeed);
    const from = performance.now();
    try {
      await runCase(randomNumbers(caseSeed));
      const took = performance.now() - from;
      slowestMs = Math.max(slowestMs, took);
      if (took > CASE_LIMIT_MS)
        throw new Error(`Expected a result within ${CASE_LIMIT_MS} ms, got one after ${Math.round(took)} ms.`);
    } catch (error) {
      findings.push({ seed: caseSeed, message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  } while (performance.now() < until && findings.length < 10);
  return { cases, findings, slowestMs };
}

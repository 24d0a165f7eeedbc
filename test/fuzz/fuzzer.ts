// Runs a fuzz target for a time. A case is a function of its seed alone, so that every finding can be run again.
import { randomNumbers } from '../support/imaging/rasters.ts';

/** Does one case with the random numbers given. Throws when a rule is broken. */
export type FuzzCase = (random: () => number) => void;

/** Makes the corpus of a target, once, and returns its case. */
export type FuzzTarget = () => FuzzCase | Promise<FuzzCase>;

export interface Finding {
  readonly seed: number;
  readonly message: string;
}

/** No input may keep a worker busy for longer than this, in milliseconds. */
const LONGEST_CASE_MS = 5000;

/** Runs cases with seeds `seed`, `seed + 1`, ... for `seconds`, at least one. `onCase` hears of each before it begins. */
export function fuzz(runCase: FuzzCase, seed: number, seconds: number, onCase: (seed: number) => void = () => {}) {
  const findings: Finding[] = [];
  const until = performance.now() + seconds * 1000;
  let cases = 0;
  let slowestMs = 0;
  do {
    const caseSeed = seed + cases++;
    onCase(caseSeed);
    const from = performance.now();
    try {
      runCase(randomNumbers(caseSeed));
      const took = performance.now() - from;
      slowestMs = Math.max(slowestMs, took);
      if (took > LONGEST_CASE_MS)
        throw new Error(`Expected an answer within ${LONGEST_CASE_MS} ms, got one after ${Math.round(took)} ms.`);
    } catch (error) {
      findings.push({ seed: caseSeed, message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  } while (performance.now() < until && findings.length < 10);
  return { cases, findings, slowestMs };
}

// Runs a fuzz target for a given time. A case depends on its draws only, so that every finding can be reproduced.
import { randomNumbers } from '../support/imaging/rasters.ts';
import type { Coverage } from './coverage.ts';
import { type Draws, drawsInPart, drawsOfSeed, drawsText, near, numbersOf, partOfDraws } from './draws.ts';

/**
 * Runs one case with the given random numbers. `onInput` receives its input, for the corpus.
 * @throws Error when an invariant is violated
 */
export interface FuzzCase {
  (random: () => number, onInput: (input: Uint8Array | string) => void): void | Promise<void>;
  /** Parts of the target, of which the first number of a case selects one: a run visits all of them. Unset: none. */
  readonly parts?: number;
}

/** Creates the valid inputs of a target and returns its case. */
export type FuzzTarget = () => FuzzCase | Promise<FuzzCase>;

/** Returns what runs an input of the corpus, which throws as a case does. */
export type FuzzReplay = () => Replay | Promise<Replay>;
type Replay = (input: Uint8Array) => void | Promise<void>;

export interface Finding {
  /** Text of the draws. */
  readonly draws: string;
  readonly message: string;
}

/** A case that ran code which none before had run. */
export interface KeptCase {
  readonly draws: Draws;
  readonly drawn: number;
  readonly input: Uint8Array | string | null;
}

export interface FuzzOptions {
  /** The first case. Others have the seeds after it, or are near to kept ones. */
  readonly first: Draws;
  /** Time on `performance.now()` after which no case begins, once one has run, or one in each part of a target that has parts. */
  readonly until?: number;
  /** Most cases. */
  readonly cases?: number;
  /** Unset: no case is kept. */
  readonly coverage?: Coverage | null;
  /** Called before each case. */
  readonly onCase?: (draws: string) => void;
}

/** Limit of processor time for one case. */
const CASE_LIMIT_MS = 5000;
const MOST_FINDINGS = 10;
/** Part of the cases that are near to kept ones. */
const NEAR = 0.6;
/** Most cases between two looks at the coverage, which takes as long as several cases. */
const LARGEST_BATCH = 64;

/** Milliseconds of processor time of this thread, which do not depend on what else the machine runs. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Runs cases one after the other, and keeps those that run new code. */
class Fuzzing {
  readonly findings: Finding[] = [];
  readonly kept: KeptCase[] = [];
  slowestMs = 0;
  readonly #runCase: FuzzCase;
  readonly #coverage: Coverage | null;
  #batch: Draws[] = [];
  #batchSize = 1;

  constructor(runCase: FuzzCase, coverage: Coverage | null) {
    this.#runCase = runCase;
    this.#coverage = coverage;
  }

  async run(draws: Draws): Promise<void> {
    const from = processorMs();
    try {
      await this.#runCase(numbersOf(draws).random, () => {});
      const took = processorMs() - from;
      this.slowestMs = Math.max(this.slowestMs, took);
      if (took > CASE_LIMIT_MS)
        throw new Error(`The case took ${Math.round(took)} ms of processor time, more than ${CASE_LIMIT_MS}.`);
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.findings.push({ draws: drawsText(draws), message });
    }
    this.#batch.push(draws);
    if (this.#coverage && this.#batch.length >= this.#batchSize) await this.#look(this.#coverage);
  }

  /** Looks for new code of the batch, and at each of its cases when there is some. Batches grow while there is none. */
  async #look(coverage: Coverage): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    const fresh = coverage.add(coverage.take());
    this.#batchSize = fresh.size > 0 ? Math.max(1, this.#batchSize >> 1) : Math.min(LARGEST_BATCH, 2 * this.#batchSize);
    for (const draws of batch) {
      if (fresh.size === 0) return;
      const { random, count } = numbersOf(draws);
      let input: Uint8Array | string | null = null;
      const onInput = (one: Uint8Array | string) => {
        input = one;
      };
      // Its failures have been found before.
      await (async () => this.#runCase(random, onInput))().catch(() => undefined);
      const blocks = coverage.take();
      const own = [...blocks].filter((block) => fresh.delete(block));
      if (own.length > 0) this.kept.push({ draws, drawn: count(), input });
    }
  }
}

/** Parts in an order that the random numbers shuffle, all of them before any again. */
class Tour {
  readonly #parts: number;
  readonly #random: () => number;
  readonly #left = new Set<number>();
  readonly #seen = new Set<number>();

  constructor(parts: number, random: () => number) {
    this.#parts = parts;
    this.#random = random;
    this.#begin();
  }

  /** Whether each part has been visited. */
  get isComplete(): boolean {
    return this.#seen.size === this.#parts;
  }

  /** The next part, which `visit` takes off. */
  get next(): number {
    if (this.#left.size === 0) this.#begin();
    const [part] = this.#left;
    return part!;
  }

  visit(part: number): void {
    this.#left.delete(part);
    this.#seen.add(part);
  }

  #begin(): void {
    const order = Array.from({ length: this.#parts }, (_, part) => ({ part, rank: this.#random() }));
    for (const { part } of order.sort((a, b) => a.rank - b.rank)) this.#left.add(part);
  }
}

/** Runs the parts of a target in turn, whatever code they run, if it has any; else cases of which some are near to those that ran new code. */
export async function fuzz(
  runCase: FuzzCase,
  { first, until = Infinity, cases: most = Infinity, coverage = null, onCase = () => {} }: FuzzOptions,
) {
  const fuzzing = new Fuzzing(runCase, coverage);
  const { findings, kept } = fuzzing;
  const random = randomNumbers(first.seed);
  const { parts } = runCase;
  const tour = parts === undefined ? null : new Tour(parts, random);
  let cases = 0;
  const drawn = (): Draws => {
    const seed = first.seed + cases;
    if (cases === 0) return first;
    if (tour) return drawsInPart(seed, tour.next, parts!);
    const parent = kept.length > 0 && random() < NEAR ? kept[Math.floor(random() * kept.length)]! : null;
    return parent ? near(parent.draws, parent.drawn, random) : drawsOfSeed(seed);
  };
  do {
    const draws = drawn();
    tour?.visit(partOfDraws(draws, parts!));
    cases += 1;
    onCase(drawsText(draws));
    await fuzzing.run(draws);
  } while (cases < most && (performance.now() < until || tour?.isComplete === false) && findings.length < MOST_FINDINGS);
  return { cases, findings, kept, slowestMs: fuzzing.slowestMs };
}

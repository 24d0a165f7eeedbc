// The outcomes of many files: counts, reasons with some names, and a report of every problem as JSON lines.
import { basename } from 'node:path';
import { INTERRUPTED, interruption } from '../../platform/util/interrupt.ts';
import { type Progress, reportFile, showProgress } from '../command.ts';
import type { UploadOutcome } from './admin-client.ts';

export const EXIT = { good: 0, failed: 1, refused: 2, interrupted: INTERRUPTED } as const;

/** Different reasons that are kept: sentences may contain a date or a path of each file. */
const REASONS = 50;
const NAMES_PER_REASON = 3;

interface Problem {
  readonly label: string;
  readonly outcome: 'refused' | 'failed' | 'warned';
  readonly reason?: string;
  readonly sentence: string;
}

type Reason = { readonly outcome: Problem['outcome']; readonly text: string; count: number; readonly names: string[] };

export class Outcomes {
  added = 0;
  /** Files that the archive had before, or that an earlier run has sent. */
  known = 0;
  refused = 0;
  failed = 0;
  /** Accepted files that lack something. */
  warned = 0;
  /** The first file that is not in the archive now, and was not withdrawn. */
  first: Problem | null = null;
  readonly #reasons = new Map<string, Reason>();
  readonly #onProblem: (problem: Problem) => void;

  /** @param onProblem Takes every problem as it arises */
  constructor(onProblem: (problem: Problem) => void = () => undefined) {
    this.#onProblem = onProblem;
  }

  /** Notes the outcome of a file; an Error for one that could not be read or sent. */
  note(label: string, outcome: UploadOutcome | Error): void {
    if (outcome instanceof Error) this.problem({ label, outcome: 'failed', sentence: outcome.message });
    else if (outcome.outcome === 'refused') this.problem({ label, ...outcome });
    else {
      this[outcome.outcome] += 1;
      if (outcome.warning) this.problem({ label, outcome: 'warned', sentence: outcome.warning });
    }
  }

  problem(problem: Problem): void {
    const { label, outcome, reason, sentence } = problem;
    this[outcome] += 1;
    if (outcome !== 'warned' && reason !== 'withdrawn') this.first ??= problem;
    this.#onProblem(problem);
    const text = reason ? `${reason}: ${sentence}` : sentence;
    const key = `${outcome} ${this.#reasons.size < REASONS || this.#reasons.has(`${outcome} ${text}`) ? text : 'other'}`;
    const known = this.#reasons.get(key) ?? { outcome, text: key.slice(outcome.length + 1), count: 0, names: [] };
    known.count += 1;
    if (known.names.length < NAMES_PER_REASON) known.names.push(basename(label));
    this.#reasons.set(key, known);
  }

  /** Files so far. */
  get count(): number {
    return this.added + this.known + this.refused + this.failed;
  }

  get exitStatus(): number {
    if (this.failed > 0) return EXIT.failed;
    return this.refused > 0 ? EXIT.refused : EXIT.good;
  }

  /** Counts of the outcomes, then each reason with its number of files and some of their names. */
  table(): string {
    const { added, known, refused, failed } = this;
    const rows = Object.entries({ accepted: added, 'already there': known, refused, failed });
    const width = Math.max(...rows.map(([, count]) => String(count).length));
    const counts = rows.map(([name, count]) => `${name.padEnd(14)}${String(count).padStart(width)}`);
    const inOrder = [...this.#reasons.values()].sort((a, b) => b.outcome.localeCompare(a.outcome));
    return [...counts, ...inOrder.flatMap(describe)].join('\n');
  }
}

/** A command over many files. */
export interface OutcomesRun {
  readonly outcomes: Outcomes;
  readonly progress: Progress;
  /** Aborts at an interruption, and when the command has failed. */
  readonly interrupted: AbortSignal;
  /** How a run goes on that is interrupted or fails. */
  goOn: string;
}

/**
 * Runs a command over many files, whose problems go to the report as they arise. Prints what became of the files, also of a run that fails, and how
 * to go on after an interruption, which is the end of a run that `isEndless`. @returns the exit status
 * @throws the error of the work, or that of the system when the report could not be written
 */
export async function withOutcomes(
  name: string,
  { report: path, isEndless = false }: { readonly report: string | undefined; readonly isEndless?: boolean },
  work: (run: OutcomesRun) => Promise<unknown>,
): Promise<number> {
  const report = reportFile(path);
  const failed = new AbortController();
  const interrupted = AbortSignal.any([interruption(), failed.signal]);
  const outcomes = new Outcomes((problem) => report.write(problem));
  const run = { outcomes, progress: showProgress(name), interrupted, goOn: 'the same command goes on from here' };
  const end = async (how: string | null) => {
    run.progress.finish();
    console.log(outcomes.table());
    if (how !== null) console.log(`${how}: ${run.goOn}`);
    await report.end();
  };
  try {
    await work(run);
  } catch (error) {
    failed.abort();
    if (outcomes.count > 0) await end('failed');
    throw error;
  }
  const isCutOff = interrupted.aborted && !isEndless;
  await end(isCutOff ? 'interrupted' : null);
  return isCutOff ? EXIT.interrupted : outcomes.exitStatus;
}

function describe({ outcome, text, count, names }: Reason): string[] {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return ['', `${outcome} ${count}: ${text === 'other' ? 'other reasons' : text}`, `  ${names.join(', ')}${more}`];
}

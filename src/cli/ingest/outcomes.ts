// The outcomes of many files: counts, reasons with some names, and a report of every problem as JSON lines.
import { basename } from 'node:path';
import { INTERRUPTED, interruption } from '../../platform/util/interrupt.ts';
import { reportFile, showProgress } from '../command.ts';
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
  /** The first file that is not in the archive now. */
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
    if (outcome !== 'warned') this.first ??= problem;
    this.#onProblem(problem);
    const text = reason ? `${reason}: ${sentence}` : sentence;
    const key = `${outcome} ${this.#reasons.size < REASONS || this.#reasons.has(`${outcome} ${text}`) ? text : 'other'}`;
    const known = this.#reasons.get(key) ?? { outcome, text: key.slice(outcome.length + 1), count: 0, names: [] };
    known.count += 1;
    if (known.names.length < NAMES_PER_REASON) known.names.push(basename(label));
    this.#reasons.set(key, known);
  }

  get exitStatus(): number {
    if (this.failed > 0) return EXIT.failed;
    return this.refused > 0 ? EXIT.refused : EXIT.good;
  }

  /** Counts of the outcomes, then each reason with its number of files and some of their names. */
  table(): string {
    const rows: [string, number][] = [
      ['accepted', this.added],
      ['already there', this.known],
      ['refused', this.refused],
      ['failed', this.failed],
    ];
    const width = Math.max(...rows.map(([, count]) => String(count).length));
    const counts = rows.map(([name, count]) => `${name.padEnd(14)}${String(count).padStart(width)}`);
    const inOrder = [...this.#reasons.values()].sort((a, b) => b.outcome.localeCompare(a.outcome));
    return [...counts, ...inOrder.flatMap(describe)].join('\n');
  }
}

/** A command over many files: its progress, its outcomes, which go to the report as they arise, its interruption and its end. */
export function outcomesOf(name: string, reportPath: string | undefined) {
  const report = reportFile(reportPath);
  const progress = showProgress(name);
  const outcomes = new Outcomes((problem) => report.write(problem));
  const interrupted = interruption();
  /**
   * Prints what became of the files and, after an interruption, how to go on. `isEndless`: the run has no other end. @returns the exit status
   * @throws Error of the system when the report could not be written
   */
  const finished = async (goOn: string, isEndless = false): Promise<number> => {
    progress.finish();
    console.log(outcomes.table());
    if (interrupted.aborted && !isEndless) console.log(`interrupted: ${goOn}`);
    await report.end();
    return interrupted.aborted && !isEndless ? EXIT.interrupted : outcomes.exitStatus;
  };
  return { outcomes, progress, interrupted, finished };
}

function describe({ outcome, text, count, names }: Reason): string[] {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return ['', `${outcome} ${count}: ${text === 'other' ? 'other reasons' : text}`, `  ${names.join(', ')}${more}`];
}

// Steps of the mirror, each bounded in files and time: by the clock, over the sources that are due, and on command, for one source.
import { MIRROR_STEP } from '../../config/limits/mirror.ts';
import type { MirrorPosition, MirrorScope } from '../../domain/mirror/mirror-state.ts';
import { MirrorError } from '../../ports/mirror.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import { doubled } from '../../util/retry.ts';
import { type MirrorPorts, mirrorSource } from './mirror-source.ts';

interface MirrorStepPorts extends MirrorPorts {
  readonly clock: Clock;
  readonly log: Log;
}

/** Sources that the clock mirrors. */
interface MirroredSources {
  readonly scopes: readonly MirrorScope[];
  /** Files at once. */
  readonly parallel: number;
  /** Milliseconds between two looks at a source that is in step. */
  readonly everyMs: number;
}

/** Files, pages and time that a step has left. */
interface Budget {
  files: number;
  pages: number;
  readonly endsAtMs: number;
}

const newBudget = (clock: Clock): Budget => ({
  files: MIRROR_STEP.files,
  pages: MIRROR_STEP.pages,
  endsAtMs: clock() + MIRROR_STEP.workMs,
});

/** Copies what the due sources lack, within the budget of a step. @returns images added */
export async function mirrorStep(ports: MirrorStepPorts, mirrored: MirroredSources): Promise<number> {
  const { state, clock } = ports;
  const budget = newBudget(clock);
  await state.begin(mirrored.scopes);
  let added = 0;
  while (!isSpent(budget, clock)) {
    const scope = await state.claim(mirrored.scopes, MIRROR_STEP.leaseMs);
    if (!scope) break;
    added += await stepOfSource(ports, mirrored, scope, budget);
  }
  await state.sweep(clock() - MIRROR_STEP.memoryMs);
  return added;
}

const isSpent = ({ files, pages, endsAtMs }: Budget, clock: Clock) => files <= 0 || pages <= 0 || clock() >= endsAtMs;

async function stepOfSource(
  ports: MirrorStepPorts,
  { parallel, everyMs }: MirroredSources,
  scope: MirrorScope,
  budget: Budget,
): Promise<number> {
  const { state, clock, log, upstream } = ports;
  let added = 0;
  try {
    const cutOff = await mirrorSource(ports, scope, {
      toMs: clock(),
      concurrency: parallel,
      isOver: () => isSpent(budget, clock),
      notePage: () => {
        budget.pages -= 1;
      },
      note: (label, outcome, isNew) => {
        if (!isNew) return;
        budget.files -= 1;
        if (outcome instanceof Error) log({ job: 'mirror', file: label, failed: outcome.message });
        else if (outcome.outcome === 'added') added += 1;
        else if (outcome.outcome !== 'known') log({ job: 'mirror', file: label, ...outcome });
      },
    });
    await state.finish(scope, { added, dueAtMs: clock() + (cutOff ? 0 : everyMs), sentence: null });
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    log({ job: 'mirror', upstream: upstream.address, sourceId: scope.sourceId, failed: sentence });
    const failures = await state.failures(scope);
    const retryMs = doubled(failures + 1, MIRROR_STEP.firstRetryMs, MIRROR_STEP.longestRetryMs);
    await state.finish(scope, { added, dueAtMs: clock() + retryMs, sentence: sentence.slice(0, 300) });
    const isBusy = error instanceof MirrorError && error.problem === 'busy';
    if (isBusy) await state.postpone(clock() + Math.max(retryMs, error.waitMs ?? 0));
  }
  return added;
}

/** A step that a command requests. */
export interface CommandedStep {
  readonly scope: MirrorScope;
  readonly toMs: number;
  readonly parallel: number;
  /** Whether the run reads the whole list, and tries refused files again. */
  readonly again: boolean;
  /** Where the step before was cut off; null for the first of a run. */
  readonly position: MirrorPosition | null;
}

export interface CommandedResult {
  readonly added: number;
  readonly known: number;
  readonly problems: readonly {
    readonly label: string;
    readonly outcome: 'refused' | 'failed';
    readonly reason?: string;
    readonly sentence: string;
  }[];
  /** Where the next step begins; null at the end of the list. */
  readonly next: MirrorPosition | null;
  /** Incomplete parts of the list, which the next run tries again. */
  readonly open: number;
  /** Milliseconds for which the upstream wants no request, when the step has ended for that; 0 when it named no time. */
  readonly busyMs: number | null;
}

/** Copies what one source lacks, within the budget of a step. A failure of the upstream is among the problems. */
export async function commandedStep(ports: MirrorStepPorts, step: CommandedStep): Promise<CommandedResult> {
  const { state, clock, upstream } = ports;
  const { scope, toMs, parallel, again, position } = step;
  const budget = newBudget(clock);
  const counts = { added: 0, known: 0 };
  const problems: CommandedResult['problems'][number][] = [];
  const failed = (label: string, sentence: string) => problems.push({ label, outcome: 'failed', sentence });
  let [next, busyMs]: [MirrorPosition | null, number | null] = [null, null];
  await state.begin([scope]);
  try {
    next = await mirrorSource(ports, scope, {
      toMs,
      concurrency: parallel,
      position,
      again,
      retriesAll: true,
      isOver: () => isSpent(budget, clock),
      notePage: () => {
        budget.pages -= 1;
      },
      note: (label, outcome, isNew) => {
        if (isNew) budget.files -= 1;
        if (outcome instanceof Error) failed(label, outcome.message);
        else if (outcome.outcome === 'added' || outcome.outcome === 'known') counts[outcome.outcome] += 1;
        else {
          const { reason = outcome.outcome, sentence = '' } = outcome;
          problems.push({ label, outcome: 'refused', reason, sentence });
        }
      },
    });
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error;
    if (error.problem === 'busy') [next, busyMs] = [position, error.waitMs ?? 0];
    failed(`${upstream.address} source ${scope.sourceId}`, error.message);
  }
  await state.sweep(clock() - MIRROR_STEP.memoryMs);
  return { ...counts, problems, next, busyMs, open: (await state.openSpans(scope, { onlyDue: false })).length };
}

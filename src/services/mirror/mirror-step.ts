// The mirror on the clock: one bounded step each minute, over the sources that are due.
import { MIRROR_STEP } from '../../config/limits/mirror.ts';
import { type MirrorClaims, MirrorError, type MirrorScope } from '../../ports/mirror.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import { doubled } from '../../util/timeout.ts';
import { type MirrorPorts, mirrorSource } from './mirror-source.ts';

export interface MirrorStepPorts extends MirrorPorts {
  readonly claims: MirrorClaims;
  readonly clock: Clock;
  readonly log: Log;
}

export interface MirrorPlan {
  readonly scopes: readonly MirrorScope[];
  /** Files at once. */
  readonly parallel: number;
  /** Milliseconds between two looks at a source that is in step. */
  readonly everyMs: number;
}

/** Files and time that a step has left. */
interface Budget {
  files: number;
  readonly endsAtMs: number;
}

/** Copies what the due sources lack, within the budget of a step. @returns images added */
export async function mirrorStep(ports: MirrorStepPorts, plan: MirrorPlan): Promise<number> {
  const { claims, clock } = ports;
  const budget: Budget = { files: MIRROR_STEP.files, endsAtMs: clock() + MIRROR_STEP.workMs };
  await claims.begin(plan.scopes);
  let added = 0;
  while (!isSpent(budget, clock)) {
    const scope = await claims.claim(plan.scopes, MIRROR_STEP.leaseMs);
    if (!scope) break;
    added += await stepOfSource(ports, plan, scope, budget);
  }
  await claims.sweep(clock() - MIRROR_STEP.memoryMs);
  return added;
}

const isSpent = ({ files, endsAtMs }: Budget, clock: Clock) => files <= 0 || clock() >= endsAtMs;

async function stepOfSource(ports: MirrorStepPorts, plan: MirrorPlan, scope: MirrorScope, budget: Budget): Promise<number> {
  const { claims, clock, log, upstream } = ports;
  let added = 0;
  try {
    const isComplete = await mirrorSource(ports, scope, {
      toMs: clock(),
      concurrency: plan.parallel,
      isOver: () => isSpent(budget, clock),
      note: (label, outcome, isNew) => {
        if (!isNew) return;
        budget.files -= 1;
        if (outcome instanceof Error) log({ job: 'mirror', file: label, failed: outcome.message });
        else if (outcome.outcome === 'refused') log({ job: 'mirror', file: label, ...outcome });
        else if (outcome.outcome === 'added') added += 1;
      },
    });
    await claims.finish(scope, { added, dueAtMs: clock() + (isComplete ? plan.everyMs : 0), sentence: null });
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    log({ job: 'mirror', upstream: upstream.address, sourceId: scope.sourceId, failed: sentence });
    const failures = await claims.failures(scope);
    const retryMs = doubled(failures + 1, MIRROR_STEP.firstRetryMs, MIRROR_STEP.longestRetryMs);
    await claims.finish(scope, { added, dueAtMs: clock() + retryMs, sentence: sentence.slice(0, 300) });
    const isBusy = error instanceof MirrorError && error.problem === 'busy';
    if (isBusy) await claims.postpone(clock() + Math.max(retryMs, error.waitMs ?? 0));
  }
  return added;
}

// Reconciliation of objects and rows: steps for a command, and a slow walk of the clock that remembers its position.
import { RECONCILIATION } from '../../config/limits/images.ts';
import { RECONCILIATION_KEY } from '../../domain/archive/keys.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import { jsonBytes, jsonOf } from '../../util/bytes.ts';
import { BEGINNING, type Fault, type FaultKind, type ReconciliationCursor } from './faults.ts';
import { type ComparisonPorts, compareStep } from './find-faults.ts';
import { MENDING_CALLS, type MendingPorts, mend, reported } from './mend-faults.ts';

type ReconciliationPorts = ComparisonPorts & MendingPorts;

export interface ReconciledStep {
  readonly examined: number;
  readonly faults: readonly Fault[];
  readonly next: ReconciliationCursor | null;
}

export interface ReconciliationRequest {
  readonly cursor: ReconciliationCursor;
  readonly mends: boolean;
}

/**
 * Compares the page at the cursor and, with `mends`, mends what it finds, one fault after another, as far as the calls of an invocation
 * allow. The next step begins with the first fault that is left.
 */
export async function reconcileStep(
  ports: ReconciliationPorts,
  { cursor, mends }: ReconciliationRequest,
): Promise<ReconciledStep> {
  const { examined, faults: found, next, placeBefore } = await compareStep(ports, cursor);
  const faults: Fault[] = [];
  let calls = 0;
  for (const one of found) {
    calls += mends ? MENDING_CALLS[one.kind] : 0;
    if (calls > RECONCILIATION.mendingCalls) return { examined: one.position, faults, next: placeBefore(one.position) };
    const fault = mends ? await mend(ports, one) : reported(one);
    if (fault) faults.push(fault);
  }
  return { examined, faults, next };
}

/** The walk of the clock. */
export interface ReconciliationState {
  readonly cursor: ReconciliationCursor;
  /** Time of the first step of this round. */
  readonly startedAtMs: number;
  readonly examined: number;
  /** Numbers of faults of this round by kind. */
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** The round before; null during the first. */
  readonly last: (Omit<ReconciliationState, 'cursor' | 'last'> & { readonly endedAtMs: number }) | null;
}

interface ClockPorts extends ReconciliationPorts {
  readonly states: Pick<ObjectStore, 'readAll' | 'put'>;
  readonly clock: Clock;
  readonly log: Log;
}

export async function reconciliationState({ states }: Pick<ClockPorts, 'states'>): Promise<ReconciliationState | null> {
  const bytes = await states.readAll(RECONCILIATION_KEY);
  return bytes && jsonOf<ReconciliationState>(bytes);
}

/**
 * One step of the clock's walk, which reports to the log and mends nothing. A round begins `RECONCILIATION.pauseMs` after the start of the
 * one before, or at once when that took longer.
 * @returns the number of faults found
 */
export async function reconcileByClock(ports: ClockPorts): Promise<number> {
  const { clock, log, states } = ports;
  const nowMs = clock();
  const before = await reconciliationState(ports);
  if (before?.last && isAtBeginning(before) && nowMs < before.last.startedAtMs + RECONCILIATION.pauseMs) return 0;
  const round = before === null || isAtBeginning(before) ? { startedAtMs: nowMs, examined: 0, faults: {} } : before;
  const { examined, faults, next } = await reconcileStep(ports, { cursor: before?.cursor ?? BEGINNING, mends: false });
  for (const fault of faults) log({ job: 'reconcile', ...fault });
  const counted: Partial<Record<FaultKind, number>> = { ...round.faults };
  for (const { kind } of faults) counted[kind] = (counted[kind] ?? 0) + 1;
  const progress = { startedAtMs: round.startedAtMs, examined: round.examined + examined, faults: counted };
  const state: ReconciliationState = next
    ? { ...progress, cursor: next, last: before?.last ?? null }
    : { cursor: BEGINNING, startedAtMs: nowMs, examined: 0, faults: {}, last: { ...progress, endedAtMs: nowMs } };
  await states.put(RECONCILIATION_KEY, jsonBytes(state), 'application/json');
  return faults.length;
}

const isAtBeginning = ({ cursor }: Pick<ReconciliationState, 'cursor'>): boolean =>
  cursor.walk === BEGINNING.walk && cursor.after === BEGINNING.after;

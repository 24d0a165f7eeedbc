// When a process that does not respond counts as stuck.
import { describe, expect, it } from 'vitest';
import type { Activity } from '../../../../src/cli/local/processes.ts';
import { type Patience, Silence } from '../../../../src/cli/local/silence.ts';

const CHECK_MS = 1_000;
const PATIENCE: Patience = { idleMs: 5_000, spinMs: 7_000, mostMs: 60_000 };

/** What a process does in a second. */
interface Second {
  readonly computes?: number;
  readonly queues?: number;
  readonly transfers?: number;
  readonly isAtDisk?: boolean;
  readonly hasResponded?: boolean;
  /** Length of the interval, when the watch itself is late. */
  readonly lasts?: number;
}

/** Seconds until a process counts as stuck that does this in each; null if it does not within two minutes. */
function stuckAfter(what: (second: number) => Second | null): number | null {
  let now = 0;
  let activity: Activity | null = { computedMs: 0, queuedMs: 0, transfers: 0, isAtDisk: false };
  const silence = new Silence(1, now, { checkMs: CHECK_MS, patience: PATIENCE, activity: () => activity });
  for (let second = 1; second <= 120; second++) {
    const doing = what(second);
    const { computes = 0, queues = 0, transfers = 0, isAtDisk = false, hasResponded = false, lasts = CHECK_MS } = doing ?? {};
    now += lasts;
    activity = doing && {
      computedMs: (activity?.computedMs ?? 0) + computes,
      queuedMs: (activity?.queuedMs ?? 0) + queues,
      transfers: (activity?.transfers ?? 0) + transfers,
      isAtDisk,
    };
    if (silence.isStuck(hasResponded, now)) return second;
  }
  return null;
}

describe('a silent process', () => {
  it('is stuck when it does nothing for more than five seconds', () => {
    expect(stuckAfter(() => ({}))).toBe(6);
    expect(stuckAfter(() => ({ computes: 50, transfers: 3 }))).toBe(6);
  });

  it('is stuck when it computes for more than seven seconds without reading or writing', () => {
    expect(stuckAfter(() => ({ computes: 1_000 }))).toBe(8);
  });

  it('has as much processor time on a loaded machine, where that takes longer', () => {
    expect(stuckAfter(() => ({ computes: 250, queues: 750 }))).toBe(29);
  });

  it('is not stuck while it computes and writes, up to a minute', () => {
    expect(stuckAfter(() => ({ computes: 900, transfers: 1 }))).toBe(61);
  });

  it('is not stuck while it waits for a processor or a disk, up to a minute', () => {
    expect(stuckAfter(() => ({ queues: 950 }))).toBe(61);
    expect(stuckAfter(() => ({ isAtDisk: true }))).toBe(61);
  });

  it('begins anew with each response', () => {
    expect(stuckAfter((second) => ({ hasResponded: second % 5 === 0 }))).toBeNull();
    expect(stuckAfter((second) => ({ hasResponded: second <= 10 }))).toBe(16);
  });

  it('is given up after a minute where nothing is known of processes', () => {
    expect(stuckAfter(() => null)).toBe(61);
  });
});

describe('a check that is late', () => {
  it('counts as two checks at most, because the watch may have been stopped', () => {
    expect(stuckAfter((second) => (second === 1 ? { lasts: 3_600_000 } : {}))).toBe(5);
    expect(stuckAfter((second) => ({ lasts: 3_600_000, hasResponded: second % 2 === 0 }))).toBeNull();
  });
});

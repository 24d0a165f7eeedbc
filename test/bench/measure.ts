// Paired measurements, alternated so that other load on the machine affects both sides equally.
import type { BenchResult } from './run.ts';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** The value below which this part of the values is, 0 to 1. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
}

/** Milliseconds of one call. */
function time(work: () => unknown): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

/** Milliseconds of the processor, of all threads. */
export async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Medians in milliseconds of both sides over `rounds` alternated calls, after `warmUp` calls that do not count. */
export function alternate(
  ours: () => unknown,
  theirs: () => unknown,
  rounds: number,
  warmUp = 3,
): { ours: number; theirs: number } {
  const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let i = -warmUp; i < rounds; i++) {
    const [a, b] = i % 2 ? [time(ours), time(theirs)] : [time(theirs), time(ours)].reverse();
    if (i < 0) continue;
    times.ours.push(a as number);
    times.theirs.push(b as number);
  }
  return { ours: median(times.ours), theirs: median(times.theirs) };
}

/** The results of a bench as they come, with their goals, each logged with `decimals`. */
export function goalResults(log: (line: string) => void, decimals: number) {
  const results: BenchResult[] = [];
  const add = (name: string, metric: string, unit: string, value: number, goal?: number) => {
    results.push({ case: name, metric, unit, value, ...(goal === undefined ? {} : { against: goal, ratio: goal / value }) });
    log(`${name}: ${metric} ${value.toFixed(decimals)} ${unit}`);
  };
  return { results, add };
}

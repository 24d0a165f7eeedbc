// Paired measurements, alternated so that other load on the machine affects both sides equally.
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

/** Milliseconds until work has ended. */
export async function clockMs(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
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

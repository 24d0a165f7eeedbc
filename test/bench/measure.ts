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

type Works = Readonly<Record<string, (round: number) => unknown>>;
type Results<Kinds extends Works> = { [Kind in keyof Kinds]: Awaited<ReturnType<Kinds[Kind]>>[] };

/** What each kind of work gives in `rounds`, in each of which all take turns, after `warmUp` rounds that do not count. Every other round is in reverse. */
export async function inTurns<Kinds extends Works>(kinds: Kinds, rounds: number, warmUp = 1): Promise<Results<Kinds>> {
  const names = Object.keys(kinds);
  const found = new Map(names.map((name) => [name, [] as unknown[]]));
  for (let round = -warmUp; round < rounds; round++)
    for (const name of round % 2 ? names.toReversed() : names) {
      const result = await kinds[name]!(round);
      if (round >= 0) found.get(name)!.push(result);
    }
  return Object.fromEntries(found) as Results<Kinds>;
}

/** What work gives in `rounds`, after `warmUp` rounds that do not count. */
export const repeated = async <T>(work: (round: number) => T | Promise<T>, rounds: number, warmUp = 1): Promise<T[]> =>
  (await inTurns({ work: async (round: number): Promise<T> => work(round) }, rounds, warmUp)).work;

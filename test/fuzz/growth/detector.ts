// Detects cost that grows faster than the length of an input. The cost is any measure: CPU time, or counted steps.

/** Cost of a run with an input of this length. */
export type Cost = (length: number) => number | Promise<number>;

/** Costs at n, 2n and 4n, each the least of several runs. */
export type Growth = Awaited<ReturnType<typeof measured>>;

interface Search {
  /** The values of 4n, ascending. A length is examined closely when a run there costs `floor` more than one at half of it. */
  readonly lengths: readonly number[];
  /** Cost below which differences are noise. */
  readonly floor: number;
}

/** Runs at each length in the measurements that must agree, of which the last is reported. Few cases come past the first. */
const RUNS = { agreeing: [2, 5, 5], last: 5 };
/** Runs at half of a length before it is examined. */
const HALF_RUNS = 2;
/** Increase from 2n to 4n over that from n to 2n: 2 for linear cost, 4 for its square. A constant part cancels out. */
const LARGEST_RATIO = 3;

async function least(cost: Cost, length: number, runs: number): Promise<number> {
  let found = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) found = Math.min(found, await cost(length));
  return found;
}

async function measured(cost: Cost, length: number, runs: number) {
  const lengths = [length >> 2, length >> 1, length] as const;
  const [first, second, third] = lengths;
  const costs = [await least(cost, first, runs), await least(cost, second, runs), await least(cost, third, runs)] as const;
  return { lengths, costs };
}

function isAboveLinear({ costs: [first, second, third] }: Growth, floor: number): boolean {
  return third - second > floor && third - second > LARGEST_RATIO * (second - first);
}

async function isSuspicious(cost: Cost, length: number, floor: number): Promise<boolean> {
  for (const runs of RUNS.agreeing) if (!isAboveLinear(await measured(cost, length, runs), floor)) return false;
  return true;
}

/** Whether a run costs that much more than one of two at half the length, because the other may have been interrupted. */
async function exceedsHalf(cost: Cost, length: number, floor: number): Promise<boolean> {
  const whole = await cost(length);
  if (whole < floor) return false;
  for (let runs = 0; runs < HALF_RUNS; runs++) if (whole - (await cost(length >> 1)) > floor) return true;
  return false;
}

/** The growth of a cost above linear; null where no length shows one. */
export async function growthAboveLinear(cost: Cost, { lengths, floor }: Search): Promise<Growth | null> {
  for (const length of lengths) {
    if (!(await exceedsHalf(cost, length, floor))) continue;
    if (!(await isSuspicious(cost, length, floor))) continue;
    const last = await measured(cost, length, RUNS.last);
    if (isAboveLinear(last, floor)) return last;
  }
  return null;
}

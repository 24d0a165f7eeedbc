// Histories of a range of seeds, for tests.
import { replay } from './history.ts';
import type { StatementName } from './statements.ts';

/** Expects the statements in the histories of `count` seeds; returns the number of times that each was checked. */
export async function expectHistories(first: number, count: number): Promise<ReadonlyMap<StatementName, number>> {
  const counts = new Map<StatementName, number>();
  for (let seed = first; seed < first + count; seed += 1) {
    const outcome = await replay({ seed });
    if (outcome.broken) throw new Error(`seed ${seed} (npm run simulate -- --seed ${seed}): ${outcome.broken.message}`);
    for (const [name, checked] of outcome.counts) counts.set(name, (counts.get(name) ?? 0) + checked);
  }
  return counts;
}

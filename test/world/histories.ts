// Histories of a range of seeds, for tests.
import { expect } from 'vitest';
import { replay } from './history.ts';
import { STATEMENTS, type StatementName } from './statements.ts';

/** Expects the statements in the histories of `count` seeds, and that each of them was checked. */
export async function expectHistories(first: number, count: number): Promise<void> {
  const counts = new Map<StatementName, number>();
  for (let seed = first; seed < first + count; seed += 1) {
    const outcome = await replay({ seed });
    if (outcome.broken) throw new Error(`seed ${seed} (npm run simulate -- --seed ${seed}): ${outcome.broken.message}`);
    for (const [name, checked] of outcome.counts) counts.set(name, (counts.get(name) ?? 0) + checked);
  }
  expect([...counts.keys()].sort()).toEqual(Object.keys(STATEMENTS).sort());
}

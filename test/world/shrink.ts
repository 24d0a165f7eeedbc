// Makes a history that breaks a statement as short as it can be, and writes it as a test.
import type { Action } from './clients/actions.ts';
import { type Given, replay } from './history.ts';
import type { Broken } from './statements.ts';

/** Histories that a search for a shorter one runs at most. */
const ATTEMPTS = 300;

/** The least history found that breaks the same statement: no action of it can be left out. */
export async function shrunk(
  given: Required<Given>,
  broken: Broken,
): Promise<{ readonly given: Required<Given>; readonly broken: Broken }> {
  let [best, found] = [given, broken];
  let attempts = 0;
  const isBroken = async (actions: readonly Action[]): Promise<boolean> => {
    attempts += 1;
    const outcome = await replay({ ...best, actions });
    if (outcome.broken?.statement !== found.statement) return false;
    [best, found] = [{ ...best, actions }, outcome.broken];
    return true;
  };
  for (let size = best.actions.length >> 1; size > 1; size >>= 1) {
    for (let at = best.actions.length - size; at >= 0 && attempts < ATTEMPTS; at = Math.min(at, best.actions.length) - size)
      await isBroken(best.actions.toSpliced(at, size));
  }
  for (let at = best.actions.length - 1; at >= 0 && attempts < ATTEMPTS; at -= 1) await isBroken(best.actions.toSpliced(at, 1));
  return { given: best, broken: found };
}

const literal = (action: Action): string => {
  const members = Object.entries(action).map(([name, value]) => `${name}: ${typeof value === 'string' ? `'${value}'` : value}`);
  return `{ ${members.join(', ')} }`;
};

/** The test of a history, in the form of the code. */
export function story({ seed, actions }: Given & { readonly actions: readonly Action[] }, broken: Broken): string {
  return `// ${broken.message.split('\n')[0]!.slice(0, 300)}
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('keeps the statement "${broken.statement}" in the history of seed ${seed}', () =>
  expectHolds(${seed}, [
${actions.map((action) => `    ${literal(action)},`).join('\n')}
  ]));
`;
}

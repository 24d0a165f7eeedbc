// The isolate of an upload, a replacement or a withdrawal ends after each of its steps.
import { expect, it } from 'vitest';
import type { Action } from './clients.ts';
import { replay } from './history.ts';

const FIRST: Action = { do: 'upload', name: 'a', content: 0 };
/** Changes, what is before them, and their steps. */
const CHANGES: readonly (readonly [string, number, Action, readonly Action[]])[] = [
  ['an upload', 30, FIRST, []],
  ['a replacement', 42, { do: 'upload', name: 'a', content: 1 }, [FIRST, { do: 'pass', ms: 1000 }]],
  ['a withdrawal', 24, { do: 'withdraw', name: 'a' }, [FIRST, { do: 'pass', ms: 1000 }]],
];

it.each(CHANGES)(
  'loses and leaves nothing when the isolate of %s ends after any of its first %i steps',
  async (_, steps, change, before) => {
    const broken: string[] = [];
    for (let count = 0; count < steps; count += 1) {
      const outcome = await replay({ seed: count, actions: [...before, change, { do: 'steps', count }, { do: 'kill' }] });
      if (outcome.broken) broken.push(`${count}: ${outcome.broken.message}`);
    }
    expect(broken).toEqual([]);
  },
);

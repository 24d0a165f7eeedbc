// The isolate of an upload, a replacement or a withdrawal ends after each of its steps: of two names in a history, because its end takes most
// of its time.
import { expect, it } from 'vitest';
import type { Action } from './clients.ts';
import { replay } from './history.ts';

const NAMES = ['a', 'b'] as const;
type Name = (typeof NAMES)[number];
const SECOND: Action = { do: 'pass', ms: 1000 };
const upload = (name: Name, version = 0): Action => ({ do: 'upload', name, content: 2 * NAMES.indexOf(name) + version });

/** Changes with what is before them, and their steps. */
const CHANGES: readonly (readonly [string, number, (name: Name) => readonly Action[]])[] = [
  ['an upload', 30, (name) => [upload(name)]],
  ['a replacement', 42, (name) => [upload(name), SECOND, upload(name, 1)]],
  ['a withdrawal', 24, (name) => [upload(name), SECOND, { do: 'withdraw', name }]],
];

it.each(CHANGES)(
  'loses and leaves nothing when the isolate of %s ends after any of its first %i steps',
  async (_, steps, change) => {
    const broken: string[] = [];
    for (let first = 0; first < steps; first += NAMES.length) {
      const cut = (name: Name, i: number): Action[] => [
        ...change(name),
        { do: 'steps', count: first + i },
        { do: 'kill' },
        SECOND,
      ];
      const outcome = await replay({ seed: first, actions: NAMES.flatMap(cut) });
      if (outcome.broken) broken.push(`${first}: ${outcome.broken.message}`);
    }
    expect(broken).toEqual([]);
  },
);

// The isolate of an upload, a replacement or a withdrawal ends after each of its steps: of four names in a history, because its end takes most
// of its time.
import { expect, it } from 'vitest';
import { type Action, LETTERS, type Letter } from './clients/actions.ts';
import { replay } from './history.ts';

const SECOND: Action = { do: 'pass', ms: 1000 };
const upload = (name: Letter, version = 0): Action => ({ do: 'upload', name, content: 2 * LETTERS.indexOf(name) + version });

/** Changes with what is before them, and their steps. */
const CHANGES: readonly (readonly [string, number, (name: Letter) => readonly Action[]])[] = [
  ['an upload', 32, (name) => [upload(name)]],
  ['a replacement', 44, (name) => [upload(name), SECOND, upload(name, 1)]],
  ['a withdrawal', 24, (name) => [upload(name), SECOND, { do: 'withdraw', name }]],
];

it.each(CHANGES)(
  'loses and leaves nothing when the isolate of %s ends after any of its first %i steps',
  async (_, steps, change) => {
    const broken: string[] = [];
    for (let first = 0; first < steps; first += LETTERS.length) {
      const cut = (name: Letter, i: number): Action[] => [
        ...change(name),
        { do: 'steps', count: first + i },
        { do: 'kill' },
        SECOND,
      ];
      const outcome = await replay({ seed: first, actions: LETTERS.flatMap(cut) });
      if (outcome.broken) broken.push(`${first}: ${outcome.broken.message}`);
    }
    expect(broken).toEqual([]);
  },
);

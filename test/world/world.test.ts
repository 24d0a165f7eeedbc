import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digest, expectHistories, plan, replay } from './history.ts';
import { STATEMENTS } from './statements.ts';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');

describe('the whole service in a world of one seed', () => {
  it('goes through the same steps to the byte each time', async () => {
    const [first, , again] = [await replay({ seed: 7 }), await replay({ seed: 8 }), await replay({ seed: 7 })];
    expect(digest(again.trace)).toBe(digest(first.trace));
    expect(first.trace.length).toBeGreaterThan(200);
  });

  it('goes through other steps with another seed of the same actions', async () => {
    const actions = plan(7);
    const [one, other] = [await replay({ seed: 7, actions }), await replay({ seed: 8, actions })];
    expect(digest(one.trace)).not.toBe(digest(other.trace));
  });

  it('keeps every statement in the first histories, and checks each', async () => {
    const counts = await expectHistories(1, 120);
    expect([...counts.keys()].sort()).toEqual(Object.keys(STATEMENTS).sort());
  });

  it('states what always holds in the words of the docs', () => {
    expect(Object.values(STATEMENTS).filter((sentence) => !page('operate.md').includes(`- ${sentence}`))).toEqual([]);
    const { meaning, gone, cached, alone, whole, honest } = STATEMENTS;
    expect([meaning, gone, cached, alone, whole, honest].filter((sentence) => !page('security.md').includes(sentence))).toEqual(
      [],
    );
  });
});

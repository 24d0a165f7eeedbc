import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digest, expectHistories, plan, replay } from './history.ts';
import { STATEMENTS } from './statements.ts';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');

describe('the whole service in a world of one seed', () => {
  it('goes through the same steps to the byte each time, whatever has gone before', async () => {
    const seeds = Array.from({ length: 10 }, (_, i) => 7 + i);
    const traces = new Map<number, readonly string[]>();
    for (const seed of seeds) traces.set(seed, (await replay({ seed })).trace);
    for (const seed of seeds.reverse()) expect(digest((await replay({ seed })).trace)).toBe(digest(traces.get(seed)!));
    expect(traces.get(7)!.length).toBeGreaterThan(200);
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

import { expect, it } from 'vitest';
import { boundedMap } from '../../../src/platform/util/memory-budget.ts';

it('a bounded map forgets the longest unused entry', () => {
  const map = boundedMap<{ readonly value: number }>(3);
  for (const [value, key] of ['a', 'b', 'c'].entries()) map.set(key, { value });
  map.get('a');
  map.set('d', { value: 3 });
  expect([...map.keys()].sort()).toEqual(['a', 'c', 'd']);
});

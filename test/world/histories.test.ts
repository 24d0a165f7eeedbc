import { expect, it } from 'vitest';
import { expectHistories } from './histories.ts';

it('keeps every statement in further histories of the whole service', async () => {
  expect((await expectHistories(1001, 20)).get('served')).toBeGreaterThan(100);
});

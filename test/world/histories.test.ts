import { expect, it } from 'vitest';
import { expectHistories } from './history.ts';

it('keeps every statement in further histories of the whole service', async () => {
  expect((await expectHistories(1001, 380)).get('served')).toBeGreaterThan(300);
});

import { expect, it } from 'vitest';
import { expectHistories } from './history.ts';

it('keeps every statement in a second run of histories of the whole service', async () => {
  expect((await expectHistories(2001, 500)).get('served')).toBeGreaterThan(300);
});

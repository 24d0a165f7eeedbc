import { expect, it } from 'vitest';
import { expectHistories, hasFailure } from './history.ts';

it('keeps every statement in further histories of the whole service with failures', async () => {
  expect((await expectHistories(1001, 380, hasFailure)).get('served')).toBeGreaterThan(300);
});

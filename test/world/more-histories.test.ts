import { expect, it } from 'vitest';
import { expectHistories, hasFailure } from './history.ts';

it('keeps every statement in a second run of histories of the whole service with failures', async () => {
  expect((await expectHistories(2001, 500, hasFailure)).get('served')).toBeGreaterThan(300);
});

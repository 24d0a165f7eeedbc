import type { IndexedObject } from '../../../src/services/images/index-objects.ts';

/** For services of tests without objects of other writers. */
export const noIndexing = {
  indexObjects: async () => ({ results: [] as readonly IndexedObject[], timesMs: { lookUp: 0, inspect: 0, register: 0 } }),
  sendAgain: async () => undefined,
};

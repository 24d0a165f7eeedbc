import type { MarkerSource } from '../../../src/events/event-markers.ts';

/** For an archive without events. */
export const NO_MARKERS: MarkerSource = { markers: async () => ({}) };

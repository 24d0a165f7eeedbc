// The flares of RHESSI, out of the list that was imported.
import { type RhessiFlare, rhessiEvent } from '../../domain/events/rhessi.ts';
import type { EventFeed, RhessiFlares } from '../../ports/events.ts';
import { DAY_MS } from '../../util/durations.ts';

export function rhessiFeed(flares: Pick<RhessiFlares, 'between'>, limits: { readonly records: number }): EventFeed {
  return {
    name: 'rhessi',
    source: 'RHESSI',
    isRemote: false,
    read: (record) => rhessiEvent(record as unknown as RhessiFlare),
    async load(dayMs) {
      const found = await flares.between(dayMs, dayMs + DAY_MS - 1, limits.records + 1);
      const records = found.slice(0, limits.records).map((flare) => ({ ...flare }));
      return { records, isCut: found.length > limits.records, missing: [] };
    },
  };
}

// Flares of DONKI (CCMC).
import { DAY_MS } from '../../util/durations.ts';
import { DONKI_PAGE } from './donki-cme.ts';
import { parseLocation } from './location.ts';
import { addressOf, dateOf, dateWithin, type RawRecord, recordsOf, textOf } from './record.ts';
import type { SolarEvent } from './solar-event.ts';

export const FLARE_GROUP = { name: 'Solar Flares', contact: '', url: DONKI_PAGE };

/** Days that a flare goes on at most: one without an end is taken to last as long, and so much is looked back. */
export const LONGEST_FLARE_DAYS = 1;

/** Null for a record without time, id or place. */
export function donkiFlare(record: RawRecord): SolarEvent | null {
  const id = textOf(record, 'flrID');
  const startMs = dateOf(record, 'beginTime');
  const location = parseLocation(textOf(record, 'sourceLocation'));
  if (id === '' || startMs === null || !location) return null;
  const longestMs = startMs + LONGEST_FLARE_DAYS * DAY_MS;
  const endMs = Math.min(Math.max(startMs, dateOf(record, 'endTime') ?? longestMs), longestMs);
  // A day of slack, since times of different instruments are put together.
  const peakMs = dateWithin(record, 'peakTime', startMs - DAY_MS, endMs + DAY_MS);
  const [peakTime, flareClass, region] = ['peakTime', 'classType', 'activeRegionNum'].map((key) => textOf(record, key));
  const lines = [peakMs === null ? '' : peakTime, flareClass, region && `AR ${region}`].filter((line): line is string =>
    Boolean(line),
  );
  const page = addressOf(textOf(record, 'link'));
  return {
    source: 'CCMC',
    pin: 'C3',
    type: 'FL',
    group: FLARE_GROUP,
    id,
    version: '',
    label: lines.join('\n'),
    shortLabel: lines.join(' '),
    startMs,
    endMs,
    peakMs,
    place: { kind: 'stonyhurst', ...location, atMs: peakMs ?? startMs },
    outlines: [],
    link: page === null ? null : { url: page, text: 'View on DONKI site' },
    get views() {
      const instruments = recordsOf(record, 'instruments').map((instrument) => textOf(instrument, 'displayName'));
      const facts = {
        Instruments: instruments.join(', '),
        'Begin Time': textOf(record, 'beginTime'),
        'Peak Time': peakTime,
        'End Time': textOf(record, 'endTime'),
        Class: flareClass,
        'Active Region': region,
        'External Link': page ?? '',
      };
      return [{ name: 'Flare', content: Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== '')) }];
    },
    raw: record,
  };
}

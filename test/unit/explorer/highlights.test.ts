import { describe, expect, it } from 'vitest';
import { flareStrength } from '../../../src/domain/explorer/event-facts.ts';
import { type DayEvent, highlightsOf } from '../../../src/domain/explorer/highlights.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/util/durations.ts';

const DAY = Date.UTC(2024, 4, 10);
const NOON = DAY + 12 * HOUR_MS;

let lastId = 0;
const event = (pin: string, label: string, hours: number, rest: Partial<DayEvent> = {}): DayEvent => {
  lastId += 1;
  const startMs = DAY + hours * HOUR_MS;
  return { id: `${pin}${lastId}`, pin, label, startMs, endMs: startMs + HOUR_MS, peakMs: null, ...rest };
};
const titles = (...events: DayEvent[]) => highlightsOf(events, NOON, DAY, DAY + DAY_MS).map(({ title }) => title);

describe('highlights of a day', () => {
  it('rank flares by their GOES class, one of each peak', () => {
    const peakMs = DAY + 7 * HOUR_MS;
    const flares = [
      event('FL', 'M9.9', 1),
      event('FL', 'X1.0', 6, { peakMs }),
      event('FL', 'X1.0', 6, { peakMs: peakMs + 10_000 }),
      event('FL', 'C3.2', 9),
      event('FL', 'SSW', 9),
    ];
    expect(titles(...flares)).toEqual(['X1.0', 'M9.9', 'C3.2']);
    expect(highlightsOf(flares, NOON, DAY, DAY + DAY_MS)[0]!.atMs).toBe(peakMs);
    expect(flareStrength('X2.1')).toBeGreaterThan(flareStrength('M9.9'));
  });

  it('rank ejections by their speed, whichever catalogue reports them', () => {
    const slow = event('CE', '930 ± 119 km/s 76 degrees', 4);
    const fast = event('C3', 'Type: O Half Angle: 45° 1200 km/s Modeled', 9);
    const same = event('C3', 'Type: C 910 km/s', 4.5);
    expect(highlightsOf([slow, fast, same], NOON, DAY, DAY + DAY_MS)).toMatchObject([
      { title: '1200 km/s', pin: 'C3', pins: ['CE', 'C3'] },
      { title: '930 km/s', pin: 'CE', pins: ['CE', 'C3'] },
    ]);
  });

  it('place an ejection that two catalogues report with the same speed where it is seen', () => {
    const [modelled, seen] = [event('C3', '1200 km/s', 9), event('CE', '1200 km/s', 9.5)];
    expect(highlightsOf([modelled, seen], NOON, DAY, DAY + DAY_MS)).toMatchObject([{ id: seen.id, pin: 'CE' }]);
  });

  it('show an ejection when it is 1.5 solar radii above its first appearance, or at its end', () => {
    const slow = event('CE', '930 km/s', 4);
    const short = event('CE', '500 km/s', 9, { endMs: DAY + 9 * HOUR_MS + MINUTE_MS });
    const late = event('CE', '1500 km/s', 23.9);
    const crossingMs = Math.round((1.5 * 695_700) / 930) * 1000;
    const found = highlightsOf([slow, short], NOON, DAY, DAY + DAY_MS);
    expect(found.map(({ atMs }) => atMs)).toEqual([slow.startMs + crossingMs, short.endMs]);
    // It belongs to the day on which it begins.
    expect(titles(late)).toEqual(['1500 km/s']);
  });

  it('rank regions by their Mount Wilson class, and show each once at the present time', () => {
    const lasting = { startMs: DAY, endMs: DAY + DAY_MS - 1000 };
    const regions = ['NOAA 13665 β', 'NOAA 13664 βγδ', 'NOAA 13664 βγδ', 'SPoCA 9', 'NOAA 13666 α', 'NOAA 13667 βγ'];
    const events = regions.map((label) => event('AR', label, 0, lasting));
    expect(titles(...events)).toEqual(['NOAA 13664 βγδ', 'NOAA 13667 βγ']);
    expect(highlightsOf(events, NOON, DAY, DAY + DAY_MS)[0]!.atMs).toBe(NOON);
  });

  it('include the longest filament, and the eruptions of filaments', () => {
    const filaments = [event('FI', '127732210 m', 0), event('FI', '179155549 m', 0), event('FE', 'Filament eruption', 3)];
    expect(titles(...filaments)).toEqual(['Filament eruption', '179 Mm']);
  });

  it('leave out other days', () => {
    const late = { peakMs: DAY + DAY_MS + MINUTE_MS };
    expect(titles(event('FL', 'X1.0', 23.9, late), event('CE', '900 km/s', -1))).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import { eventStrength } from '../../../src/events/records/strength.ts';
import { type DayEvent, highlightsOf } from '../../../src/explorer/model/highlights.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';

const DAY = Date.UTC(2024, 4, 10);
const NOON = DAY + 12 * HOUR_MS;

let lastId = 0;
/** An event with the columns of its source. */
function event(pin: string, raw: object, hours: number, rest: Partial<DayEvent> & { type?: string } = {}): DayEvent {
  lastId += 1;
  const startMs = DAY + hours * HOUR_MS;
  const { type = pin, label = '', ...times } = rest;
  const strength = eventStrength({ pin, type, raw: { ...raw } });
  return { id: `${pin}${lastId}`, pin, label, startMs, endMs: startMs + HOUR_MS, peakMs: null, strength, ...times };
}
const flare = (goesClass: string, hours: number, rest: Partial<DayEvent> = {}) =>
  event('FL', { fl_goescls: goesClass }, hours, rest);
const ejection = (speed: number, hours: number, rest: Partial<DayEvent> = {}) =>
  event('CE', { cme_radiallinvel: String(speed), cme_radiallinvelunit: 'km/s' }, hours, rest);
const modelled = (speed: number, hours: number) =>
  event('C3', { cmeAnalyses: [{ speed, halfAngle: 45, isMostAccurate: true }] }, hours, { type: 'CE' });
const region = (number: string, classes: string, method = 'NOAA SWPC Observer') => {
  const times = { label: `NOAA ${number}`, startMs: DAY, endMs: DAY + DAY_MS - 1000 };
  return event('AR', { frm_name: method, ar_noaanum: number, ar_mtwilsoncls: classes }, 0, times);
};
const filament = (metres: number) => event('FI', { fi_length: metres, fi_lengthunit: 'm' }, 0);
const titles = (...events: DayEvent[]) => highlightsOf(events, NOON, DAY, DAY + DAY_MS).map(({ title }) => title);

it('highlights of a day rank flares by their GOES class, one of each peak', () => {
  const peakMs = DAY + 7 * HOUR_MS;
  const flares = [
    flare('M9.9', 1),
    flare('X1.0', 6, { peakMs }),
    flare('X1.0', 6, { peakMs: peakMs + 10_000 }),
    flare('C3.2', 9),
    flare('SSW', 9),
  ];
  expect(titles(...flares)).toEqual(['X1.0', 'M9.9', 'C3.2']);
  expect(highlightsOf(flares, NOON, DAY, DAY + DAY_MS)[0]!.atMs).toBe(peakMs);
});

it('highlights of a day rank ejections by their speed, whichever catalogue reports them, and place equal ones where seen', () => {
  const [slow, fast, same] = [ejection(930, 4), modelled(1200, 9), modelled(910, 4.5)];
  const flareOfDonki = event('C3', { classType: 'X1.0' }, 12, { type: 'FL' });
  expect(highlightsOf([slow, fast, same, flareOfDonki], NOON, DAY, DAY + DAY_MS)).toMatchObject([
    { title: '1200 km/s', pin: 'C3', pins: ['CE', 'C3'] },
    { title: '930 km/s', pin: 'CE', pins: ['CE', 'C3'] },
  ]);
  const seen = ejection(1200, 9.5);
  expect(highlightsOf([modelled(1200, 9), seen], NOON, DAY, DAY + DAY_MS)).toMatchObject([{ id: seen.id, pin: 'CE' }]);
});

it('highlights of a day show an ejection when it is 1.5 solar radii above its first appearance, or at its end', () => {
  const slow = ejection(930, 4);
  const short = ejection(500, 9, { endMs: DAY + 9 * HOUR_MS + MINUTE_MS });
  const late = ejection(1500, 23.9);
  const crossingMs = Math.round((1.5 * 695_700) / 930) * 1000;
  const found = highlightsOf([slow, short], NOON, DAY, DAY + DAY_MS);
  expect(found.map(({ atMs }) => atMs)).toEqual([slow.startMs + crossingMs, short.endMs]);
  // It belongs to the day on which it begins.
  expect(titles(late)).toEqual(['1500 km/s']);
});

it('highlights of a day rank regions by their Mount Wilson class, and show each once at the present time', () => {
  const complex = () => region('13664', 'BETA-GAMMA-DELTA');
  const others = [region('13665', 'BETA'), region('13666', 'ALPHA'), region('13667', 'BETA-GAMMA')];
  const events = [...others, complex(), complex(), region('13664', 'BETA-GAMMA-DELTA', 'SPoCA')];
  expect(titles(...events)).toEqual(['NOAA 13664', 'NOAA 13667']);
  expect(highlightsOf(events, NOON, DAY, DAY + DAY_MS)[0]!.atMs).toBe(NOON);
});

it('highlights of a day include the longest filament and the eruptions of filaments, and leave out other days', () => {
  const eruption = event('FE', {}, 3, { label: 'Filament eruption' });
  expect(titles(filament(127_732_210), filament(179_155_549), eruption)).toEqual(['Filament eruption', '179 Mm']);
  const late = { peakMs: DAY + DAY_MS + MINUTE_MS };
  expect(titles(flare('X1.0', 23.9, late), ejection(900, -1))).toEqual([]);
});

import { expect, it } from 'vitest';
import { factsOf } from '../../../src/explorer/model/event-facts.ts';
import { eventTitle, pinsOf } from '../../../src/explorer/model/event-pins.ts';

it('measured values of an event turn units of the Heliophysics Events Knowledgebase into those of the page', () => {
  expect(factsOf({ fl_goescls: 'X2.1', fl_peakflux: 0.00021, ar_noaanum: 99101, obs_instrument: '' })).toEqual([
    { name: 'flareClass', text: 'X2.1' },
    { name: 'peakFlux', value: 0.00021, unit: 'W/m²', digits: 3 },
    { name: 'region', value: 99101, unit: '', digits: 21 },
  ]);
  expect(factsOf({ fi_length: 179155549, fi_lengthunit: 'm', area_atdiskcenter: '46297.6', area_unit: 'Mm2' })).toEqual([
    { name: 'area', value: 46297.6, unit: 'Mm²', digits: 3 },
    { name: 'length', value: 179.155549, unit: 'Mm', digits: 3 },
  ]);
  expect(factsOf({ cme_radiallinvel: 930, cme_radiallinvelstddev: 119, cme_angularwidth: 76 })).toEqual([
    { name: 'speed', value: 930, unit: 'km/s', digits: 4, spread: 119 },
    { name: 'width', value: 76, unit: '°', digits: 3 },
  ]);
});

it('measured values of an event state the magnetic class in Greek letters, and the wavelength in ångström', () => {
  expect(factsOf({ ar_mtwilsoncls: 'BETA-GAMMA-DELTA' })).toEqual([{ name: 'magneticClass', text: 'βγδ' }]);
  const observer = { obs_observatory: 'SDO', obs_instrument: 'AIA', obs_meanwavel: 1.71e-6, obs_wavelunit: 'cm' };
  expect(factsOf(observer)).toEqual([{ name: 'observedBy', text: 'SDO AIA, 171 Å' }]);
});

it('measured values of an event include those of ejections of DONKI and of flare predictions', () => {
  expect(factsOf({ Speed: '577', 'Half Angle': '29', Latitude: 28, Longitude: -20, Instruments: 'SOHO: LASCO/C2' })).toEqual([
    { name: 'speed', value: 577, unit: 'km/s', digits: 4 },
    { name: 'halfAngle', value: 29, unit: '°', digits: 3 },
    { name: 'direction', text: 'N28° E20°' },
    { name: 'observedBy', text: 'SOHO: LASCO/C2' },
  ]);
  expect(factsOf({ C: 0.5, X: 0 })).toEqual([
    { name: 'chanceC', value: 50, unit: '%', digits: 3 },
    { name: 'chanceX', value: 0, unit: '%', digits: 3 },
  ]);
});

it('measured values of an event leave out words in place of numbers, and shorten the label of a filament to megametres', () => {
  expect(factsOf({ fl_peakflux: 'strong', ar_numspots: null, cme_angularwidth: '', refs: [] })).toEqual([]);
  expect(['179155549 m', 'X2.1', 'NOAA 99105 βγ'].map(eventTitle)).toEqual(['179 Mm', 'X2.1', 'NOAA 99105 βγ']);
});

const report = (pin: string, method: string, x: number, y = 0) => ({ pin, method, x, y });

it('pins of events join reports of several methods about one region, and keep apart those of one, far ones and other types', () => {
  const [noaa, other, spoca] = [report('AR', 'NOAA', 80), report('AR', 'NOAA', 120), report('AR', 'SPoCA', 110)];
  expect(pinsOf([noaa, other, spoca])).toEqual([[noaa], [other, spoca]]);
  const events = [report('AR', 'NOAA', 80), report('AR', 'NOAA', 81), report('AR', 'SPoCA', 500), report('CH', 'SPoCA', 80)];
  expect(pinsOf(events)).toEqual(events.map((event) => [event]));
});

import { expect, it, vi } from 'vitest';
import { addressOfClientState, readAddress } from '../../../src/picture/address/read-address.ts';
import { drawnLayers, NEWEST_SUN, printAddress, readPlay, type View } from '../../../src/picture/address/view.ts';

const read = (query: string) => readAddress(new URLSearchParams(query));

const EVERYTHING: View = {
  atMs: Date.UTC(2024, 4, 10, 12, 15, 3),
  layers: [
    { sourceId: 10, isVisible: true, opacity: 100, difference: { kind: 'running', count: 5, unit: 'minute' } },
    { sourceId: 13, isVisible: false, opacity: 60, range: { low: 20, high: 200, gamma: 1.4 } },
    { sourceId: 4, isVisible: true, opacity: 80, difference: { kind: 'base', atMs: Date.UTC(2024, 4, 10) } },
    { sourceId: 5, isVisible: true, opacity: 80, difference: { kind: 'ratio', atMs: Date.UTC(2024, 4, 10) } },
  ],
  projection: { kind: 'sphere', longitude: 20.5, latitude: -5 },
  centre: { x: 120.25, y: -300 },
  imageScale: 2.420441,
  events: [
    { pin: 'AR', methods: ['SPoCA', 'NOAA_SWPC_Observer'] },
    { pin: 'FL', methods: null },
  ],
  overlays: { grid: true, scale: true, bodies: true, map: true },
};

it('the address of a view restores every part of the view', () => {
  expect(read(printAddress(EVERYTHING))).toEqual({ view: EVERYTHING, notes: [] });
  expect(read(printAddress(NEWEST_SUN))).toEqual({ view: NEWEST_SUN, notes: [] });
});

it('the address of a view reads methods of events, joined for a type that is stated twice', () => {
  expect(printAddress(EVERYTHING)).toContain('eventLayers=[AR,SPoCA;NOAA_SWPC_Observer,1],[FL,all,1]');
  expect(read('eventLayers=[AR,SPoCA,1],[ar,NOAA SWPC Observer,1]').view.events).toEqual([
    { pin: 'AR', methods: ['SPoCA', 'NOAA_SWPC_Observer'] },
  ]);
  expect(read('eventLayers=[AR,SPoCA,1],[AR,all,1]').view.events).toEqual([{ pin: 'AR', methods: null }]);
  expect(read('eventLayers=[AR,<b>,1]').view.events).toEqual([{ pin: 'AR', methods: null }]);
});

it('the address of a view reads colour ranges by layer, the readable ones of a list too', () => {
  expect(printAddress(EVERYTHING)).toContain('&ranges=[],[20,200,1.4],[],[]&');
  const { view, notes } = read('imageLayers=[10,1,100],[13,1,100]&ranges=[9,8,1],[1,255]');
  expect(view.layers.map(({ range }) => range)).toEqual([undefined, { low: 1, high: 255, gamma: 1 }]);
  expect(notes).toEqual([{ kind: 'bad-operation', given: 'ranges=[9,8,1],[1,255]' }]);
  const beside = read('imageLayers=[99999,1,100],[13,1,100]&ranges=[9,10],[1,255]').view.layers;
  expect(beside).toEqual([{ sourceId: 13, isVisible: true, opacity: 100, range: { low: 1, high: 255, gamma: 1 } }]);
});

it('the address of a view reads projections, and names one that it cannot show', () => {
  expect(printAddress(EVERYTHING)).toContain('&projection=sphere,20.5,-5&');
  for (const text of ['unwrapped', 'polar,north', 'polar,south', 'sphere,-60,7.2'])
    expect(printAddress(read(`projection=${text}`).view)).toBe(`imageLayers=[10,1,100]&projection=${text}`);
  expect(read('projection=sphere,270,0').view.projection).toEqual({ kind: 'sphere', longitude: -90, latitude: 0 });
  expect(read('projection=plane')).toEqual({ view: NEWEST_SUN, notes: [] });
  for (const given of 'cube sphere sphere,1 sphere,,2 sphere,0,91 sphere,361,0 polar polar,east unwrapped,1'.split(' '))
    expect(read(`projection=${given}`)).toEqual({ view: NEWEST_SUN, notes: [{ kind: 'bad-projection', given }] });
});

it('the address of a view stays readable, with plain brackets and colons', () => {
  expect(printAddress({ ...NEWEST_SUN, atMs: Date.UTC(2024, 4, 10) })).toBe('date=2024-05-10T00:00:00Z&imageLayers=[10,1,100]');
});

it('the address of a view accepts layers by name and a final comma, as links of helioviewer.org have them', () => {
  const { view, notes } = read(
    'date=2014-01-01T23:59:30.000Z&imageScale=2.42&centerX=-1&centerY=2&imageLayers=[SDO,AIA,AIA,304,1,70],[SOHO,LASCO,C2,white-light,1,100],',
  );
  expect(view.layers.map(({ sourceId, opacity }) => [sourceId, opacity])).toEqual([
    [13, 70],
    [4, 100],
  ]);
  expect([view.centre, view.imageScale, notes]).toEqual([{ x: -1, y: 2 }, 2.42, []]);
});

it('the address of a view accepts the single source of earlier versions, and an offset whose plus sign was not encoded', () => {
  expect(read('sourceId=13&date=2024-05-10T12:00:00Z').view.layers).toEqual([{ sourceId: 13, isVisible: true, opacity: 100 }]);
  expect(read('date=2024-05-10T14:15:00+02:00').view.atMs).toBe(Date.UTC(2024, 4, 10, 12, 15));
});

it.each([
  ['date=soon', { kind: 'bad-date', given: 'soon' }],
  ['date=9999-12-31T23:00-02:00', { kind: 'bad-date', given: '9999-12-31T23:00-02:00' }],
  ['sourceId=99999', { kind: 'unknown-source', given: '99999', instead: 'AIA 171' }],
  ['sourceId=2000', { kind: 'alias', given: '2000', sourceId: 88, name: 'SUVI 94' }],
  ['imageLayers=[99999,1,100],[13,1,100]', { kind: 'unknown-source', given: '99999' }],
  ['imageLayers=[10,1,abc]', { kind: 'bad-opacity', given: 'abc', used: 100 }],
  ['imageLayers=[10,1,-5]', { kind: 'bad-opacity', given: '-5', used: 0 }],
  ['imageLayers=[10,1,100,1,many,1]', { kind: 'bad-difference', given: '1,many,1' }],
  ['imageLayers=[10,1,100,2,1,1,soon]', { kind: 'bad-difference', given: '2,1,1,soon' }],
  ['imageLayers=[10,1,100]&ranges=20-200', { kind: 'bad-operation', given: 'ranges=20-200' }],
  ['imageLayers=[10,1,100]&ranges=[200,20,1]', { kind: 'bad-operation', given: 'ranges=[200,20,1]' }],
  ['imageLayers=[10,1,100]&ranges=[0,200,0]', { kind: 'bad-operation', given: 'ranges=[0,200,0]' }],
  ['imageLayers=[10,1,100]&ranges=[],[]', { kind: 'bad-operation', given: 'ranges=[],[]' }],
  ['imageLayers=[]', { kind: 'bad-layers', given: '[]' }],
  ['imageLayers=[SDO,AIA,172,1,100]', { kind: 'unknown-source', given: 'SDO AIA 172', instead: 'AIA 171' }],
  ['imageScale=-1', { kind: 'bad-place', given: 'imageScale=-1' }],
  ['centerX=east&centerY=0', { kind: 'bad-place', given: 'centerX=east' }],
  ['centerX=300&imageScale=2', { kind: 'half-place', given: 'centerX=300' }],
  ['centerX=300&centerY=-20', { kind: 'half-place', given: 'centerX=300&centerY=-20' }],
  ['eventLayers=[FL,all,1],[ZZ,all,1]', { kind: 'unknown-event', given: 'ZZ' }],
])('the address of a view notes an unusable value: %s', (query, note) => {
  expect(read(query).notes).toEqual([note]);
});

it('the address of a view notes each unknown source, and with the last one what is shown instead of all', () => {
  expect(read('imageLayers=[99998,1,100],[99999,1,100]').notes).toEqual([
    { kind: 'unknown-source', given: '99998' },
    { kind: 'unknown-source', given: '99999', instead: 'AIA 171' },
  ]);
});

it('the address of a view accepts the statement that no events are shown, and keeps the first five layers of six', () => {
  for (const text of ['', 'None', '[]']) expect(read(`eventLayers=${text}`)).toEqual({ view: NEWEST_SUN, notes: [] });
  const { view, notes } = read(`imageLayers=${[8, 9, 10, 11, 12, 13].map((id) => `[${id},1,100]`).join(',')}`);
  expect(view.layers.map(({ sourceId }) => sourceId)).toEqual([8, 9, 10, 11, 12]);
  expect(notes).toEqual([{ kind: 'too-many-layers', given: 6 }]);
});

it('the visible layers of a view take the notation of the API', () => {
  expect(drawnLayers(EVERYTHING.layers)).toEqual({
    layers: '[10,1,100,1,5,1],[4,1,80,2,1,1,2024-05-10T00:00:00Z],[5,1,80,3,1,1,2024-05-10T00:00:00Z]',
  });
  const ranged = EVERYTHING.layers.map((layer) => ({ ...layer, isVisible: true, grey: true as const }));
  expect(drawnLayers(ranged)).toMatchObject({ ranges: '[],[20,200,1.4],[],[]', colour: 'false' });
});

const readState = (state: object) => readAddress(addressOfClientState(state));
const PLACE = { centerX: 1, centerY: 2, imageScale: 3 };
const shown = (sourceId: number) => ({ sourceId, isVisible: true, opacity: 100 });

it('a view of the web client keeps its time, position, layers and differences', () => {
  const date = Date.UTC(2024, 4, 10, 12);
  const imageLayers = [
    { sourceId: 13, visible: false, opacity: 40, difference: 0, diffCount: 60, diffTime: 1 },
    { sourceId: 10, visible: 'true', opacity: 100, difference: 1, diffCount: 5, diffTime: 2 },
    { sourceId: 4, difference: 2, baseDiffTime: '2024-05-10T00:00:00.000Z' },
    { sourceId: 5, difference: '3', baseDiffTime: '2024-05-10T00:00:00.000Z' },
  ];
  expect(readState({ date, ...PLACE, imageLayers })).toEqual({
    view: {
      ...NEWEST_SUN,
      atMs: date,
      centre: { x: 1, y: 2 },
      imageScale: 3,
      layers: [
        { sourceId: 13, isVisible: false, opacity: 40 },
        { ...shown(10), difference: { kind: 'running', count: 5, unit: 'hour' } },
        { ...shown(4), difference: { kind: 'base', atMs: Date.UTC(2024, 4, 10) } },
        { ...shown(5), difference: { kind: 'ratio', atMs: Date.UTC(2024, 4, 10) } },
      ],
    },
    notes: [],
  });
});

it('a view of the web client gets defaults for unusable fields, with notes', () => {
  const imageLayers = [null, { sourceId: 99999 }, { sourceId: '],[10,1,100' }];
  expect(readState({ date: 1e15, imageLayers, ...PLACE, imageScale: 0 })).toEqual({
    view: NEWEST_SUN,
    notes: [
      { kind: 'bad-date', given: '1000000000000000' },
      { kind: 'unknown-source', given: '?' },
      { kind: 'unknown-source', given: '99999' },
      { kind: 'unknown-source', given: '10 1 100', instead: 'AIA 171' },
      { kind: 'bad-place', given: 'imageScale=0' },
    ],
  });
});

it('a range of play without a zone is UTC wherever the page is read', () => {
  vi.stubEnv('TZ', 'America/New_York');
  expect(readPlay('2024-05-10T12:00/2024-05-10T13:00')).toEqual(readPlay('2024-05-10T12:00:00Z/2024-05-10T13:00:00Z'));
  vi.unstubAllEnvs();
});

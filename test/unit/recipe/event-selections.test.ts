// The events of the next web client: event_selections and event_visibility_selections, beside the older notations.
import { expect, it } from 'vitest';
import { withSelections } from '../../../src/faces/sharing/client-state.ts';
import { parseSelections, selectionsOf } from '../../../src/picture/events/paths.ts';
import {
  eventsStateOf,
  parseEventsState,
  parseEventsText,
  printEventsText,
  selectedBy,
} from '../../../src/picture/events/selection.ts';
import { parseRecipeString, recipeFromScreenshotParameters, recipeString } from '../../../src/picture/recipe.ts';
import { EVENT_DRAWING_VERSION } from '../../../src/sun/events/event-types.ts';
import { eventUuid, placeOfUuid } from '../../../src/sun/events/event-uuid.ts';
import { failureOf } from '../../support/recipes.ts';

const group = (name: string) => ({ name, contact: '', url: '' });
const FLARE = {
  source: 'HEK' as const,
  pin: 'FL',
  group: group('SSW Latest Events'),
  id: 'ivo://helio-informatics.org/FL_1',
  label: 'M1.2\nflare',
  shortLabel: 'M1.2',
  startMs: Date.UTC(2024, 4, 10, 12),
};
const HOLE = { ...FLARE, source: 'WSA' as const, pin: 'CH', group: group('AGONG>>R3'), id: 'WSA:1', label: 'F', shortLabel: 'F' };
const RHESSI = {
  ...FLARE,
  source: 'RHESSI' as const,
  pin: 'F2',
  group: group('Flare'),
  id: 'RHESSI-24051001',
  label: 'R',
  shortLabel: 'R',
};

const selects = (entries: readonly string[], event = FLARE as typeof FLARE | typeof HOLE | typeof RHESSI) =>
  selectedBy(parseSelections(entries, undefined, true).selection, event) !== null;

it.each([
  ['HEK', true],
  ['HEK>>Flare', true],
  ['HEK>>Flare>>SSW Latest Events', true],
  ['HEK>>Flare>>SSW_Latest_Events', true],
  ['HEK>>Flare>>SSW Latest Events>>ivo://helio-informatics.org/FL_1', true],
  ['HEK>>Flare>>SSW Latest Events>>M1.2', true],
  ['HEK>>Flare>>SSW Latest Events>>M1.2 flare', true],
  [`HEK>>Sunspot>>Other>>${eventUuid(FLARE)}`, true],
  [`HEK>>${eventUuid(FLARE).toUpperCase()}`, true],
  ['HEK>>Flare X', false],
  ['HEK>>Flare>>SSW', false],
  ['HEK>>Flare>>SSW Latest Events>>X1', false],
  ['HEK>>Flare>>SSW Latest Events>>M1.2>>more', false],
  ['RHESSI', false],
  ['HEK>>Flare>>SSW Latest Events>>0198f3c1-7d0e-7a44-9c55-2b1f60aa9e07', false],
])('event_selections choose a flare by %s: %s', (entry, isChosen) => {
  expect(selects([entry])).toBe(isChosen);
});

it('event_selections choose deeper groups of WSA, and flares of RHESSI by ids with and without letters', () => {
  expect(selects(['WSA>>Coronal Hole>>AGONG'], HOLE)).toBe(true);
  expect(selects(['WSA>>Coronal Hole>>AGONG>>R3>>WSA:1'], HOLE)).toBe(true);
  expect(selects(['WSA>>Coronal Hole>>AGONG>>R4'], HOLE)).toBe(false);
  expect(selects(['HEK>>Coronal Hole'], HOLE)).toBe(false);
  expect(selects(['RHESSI>>Solar Flares>>Flare>>24051001'], RHESSI)).toBe(true);
  expect(selects(['RHESSI>>Solar Flares>>Flare>>RHESSI-24051001'], RHESSI)).toBe(true);
});

it('event_selections leave out hidden sources and labels', () => {
  const visibility = { HEK: { label_visibility: false }, RHESSI: { marker_visibility: false }, WSA: {} };
  const { selection } = parseSelections(['WSA', 'RHESSI', 'HEK>>Flare', 'HEK>>Flare>>SWPC'], visibility, true);
  expect(selection).toEqual([
    { source: 'HEK', labels: false, notation: 'paths', paths: [['Flare']] },
    { source: 'WSA', labels: true, notation: 'paths', paths: [[]] },
  ]);
});

it('event_selections make the same recipe as layers_v2, and stand in the bracket notation where pins name them', () => {
  const entries = ['HEK>>Active Region', 'HEK>>Flare>>SWPC', 'WSA>>Coronal Hole', 'RHESSI'];
  const trees = {
    tree_HEK: { layers_v2: entries.slice(0, 2) },
    tree_RHESSI: { layers_v2: ['RHESSI'] },
    tree_WSA: { layers_v2: ['WSA>>Coronal Hole'] },
  };
  const { selection } = parseSelections(entries, undefined, true);
  expect(eventsStateOf(selection)).toEqual(eventsStateOf(parseEventsState(trees)));
  expect(printEventsText(selection)).toBe('[AR,all,1],[FL,SWPC,1],[F2,all,1]');
  expect(selectionsOf(selection)).toEqual(['HEK>>Active Region', 'HEK>>Flare>>SWPC', 'RHESSI', 'WSA>>Coronal Hole']);
  expect(selectionsOf(parseEventsText('[MC,SO,1]', true).selection)).toEqual(['WSA>>Magnetic Connectivity>>SO']);
});

const RECIPE = { date: 0, layers: '[13,1,100]', imageScale: 2, x0: 0, y0: 0, width: 100, height: 100 };

it('event_selections change the key of a picture by a version of their drawing, which older recipes lack', () => {
  const textOf = (parameters: object) => recipeString(recipeFromScreenshotParameters({ ...RECIPE, ...parameters }).recipe);
  const text = textOf({ events: '[FL,all,1]' });
  const older = text.replace(`,"eventDrawing":${EVENT_DRAWING_VERSION}`, '');
  expect([older === text, recipeString(parseRecipeString(older)) === text]).toEqual([false, true]);
  expect(textOf({})).not.toContain('eventDrawing');
});

it('event_selections leave the recipes of older requests as they were', () => {
  const eventsOf = (parameters: object) =>
    JSON.parse(recipeString(recipeFromScreenshotParameters({ ...RECIPE, ...parameters }).recipe)).events;
  expect(JSON.stringify(eventsOf({ events: '[FL,all,1],[AR,SPoCA;NOAA_SWPC_Observer,1],[C3,CME,1]', eventLabels: true }))).toBe(
    '{"tree_HEK":{"labels_visible":true,"layers":[{"event_type":"AR","frms":["NOAA_SWPC_Observer","SPoCA"],"event_instances":[]},' +
      '{"event_type":"FL","frms":["all"],"event_instances":[]}]},"tree_CCMC":{"labels_visible":true,"layers":[{"event_type":"C3","frms":["CME"],"event_instances":[]}]}}',
  );
  expect(JSON.stringify(eventsOf({ eventsState: { tree_HEK: { layers_v2: ['HEK>>Flare>>SSW Latest Events'] } } }))).toBe(
    '{"tree_HEK":{"labels_visible":true,"layers":[],"layers_v2":["HEK>>Flare>>SSW_Latest_Events"]}}',
  );
});

it('event_selections override the other notations, as text joined by semicolons too, which is labelled where asked', () => {
  const eventsOf = (parameters: object) => recipeFromScreenshotParameters({ ...RECIPE, ...parameters }).recipe.events;
  const text = ' HEK>>Flare ; ;RHESSI';
  expect(eventsOf({ event_selections: text, events: '[AR,all,1]' })).toMatchObject([
    { labels: false, paths: [['Flare']] },
    { paths: [[]] },
  ]);
  expect(eventsOf({ event_selections: text, eventLabels: true })).toMatchObject([{ labels: true }, { labels: true }]);
  expect(eventsOf({ event_selections: [], eventsState: { tree_HEK: { layers_v2: ['HEK'] } } })).toEqual([]);
  expect(eventsOf({ event_selections: '["HEK>>Flare"]' })).toMatchObject([{ paths: [['Flare']] }]);
});

it.each<[unknown, string]>([
  [['HEK>Flare'], 'Expected paths like HEK>>Flare for event_selections, got HEK>Flare. Did you mean HEK>>Flare?'],
  [
    ['hek>>Flare>>SWPC'],
    'Expected paths like HEK>>Flare for event_selections, got hek>>Flare>>SWPC. Did you mean HEK>>Flare>>SWPC?',
  ],
  [['Flare>>SWPC'], 'Expected paths like HEK>>Flare for event_selections, got Flare>>SWPC. Did you mean HEK>>Flare>>SWPC?'],
  [['[FL,all,1]'], 'Expected paths like HEK>>Flare for event_selections, got [FL,all,1]. Did you mean HEK>>Flare?'],
  [['MC'], 'Expected paths like HEK>>Flare for event_selections, got MC. Did you mean WSA>>Magnetic Connectivity?'],
  [[7], 'Expected paths like HEK>>Flare of 1 to 600 characters for event_selections, got 7.'],
  [[' '], 'Expected paths like HEK>>Flare of 1 to 600 characters for event_selections, got  .'],
  [[`HEK>>${'x'.repeat(596)}`], expect.stringContaining('of 1 to 600 characters for event_selections') as never],
  [Array(201).fill('HEK'), 'Expected at most 200 paths for event_selections, got 201.'],
  [{ HEK: true }, 'Expected a list of texts like HEK>>Flare for event_selections, got an object.'],
])('event_selections refuse %j', (entries, message) => {
  expect(failureOf(() => parseSelections(entries, undefined, true))).toMatchObject({ parameter: 'event_selections', message });
});

it('event_selections lead to remarks where a source or a type has another name, and 200 of the longest are accepted', () => {
  const remarks = parseSelections(['HEK>>FL', 'HEK>>Flares', 'HEK>>UV Burst', 'SWPC>>Alert'], undefined, true).remarks;
  expect(remarks).toEqual([
    'HEK has no type of events named FL. Did you mean HEK>>Flare?',
    'HEK has no type of events named Flares. Did you mean HEK>>Flare?',
    'No source of events has the name SWPC.',
  ]);
  const longest = Array.from({ length: 200 }, (_, i) => `HEK>>${'x'.repeat(590)}${i}`.slice(0, 600));
  expect(() => recipeFromScreenshotParameters({ ...RECIPE, event_selections: longest })).not.toThrow();
});

it.each<[unknown, string]>([
  [{ hek: {} }, 'Expected only HEK, CCMC, RHESSI, WSA for event_visibility_selections, got hek. Did you mean HEK?'],
  [
    { HEK: { marker_visible: true } },
    'Expected only marker_visibility, label_visibility for event_visibility_selections, got marker_visible. Did you mean marker_visibility?',
  ],
  [
    { WSA: { label_visibility: 'no' } },
    'Expected true or false as label_visibility of WSA for event_visibility_selections, got no.',
  ],
  [{ WSA: true }, 'Expected an object for event_visibility_selections, got true.'],
])('event_selections refuse the visibility %j', (visibility, message) => {
  expect(failureOf(() => parseSelections([], visibility, true))).toMatchObject({
    parameter: 'event_visibility_selections',
    message,
  });
});

it('the UUID of an event consists of its day, its source and its id, and leads back to them', () => {
  const uuid = eventUuid(FLARE);
  expect(uuid).toMatch(/^018f5f[\da-f]{2}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  expect(eventUuid({ ...FLARE, startMs: FLARE.startMs + 3_600_000 })).toBe(uuid);
  expect(eventUuid({ ...FLARE, id: 'other' })).not.toBe(uuid);
  expect(placeOfUuid(uuid)).toEqual({ source: 'HEK', dayMs: Date.UTC(2024, 4, 10) });
  expect(placeOfUuid(eventUuid(HOLE))?.source).toBe('WSA');
  for (const other of ['0198f3c1-7d0e-7a44-9c55-2b1f60aa9e07', uuid.slice(1), `${uuid}0`, uuid.replace('018f', '018e')])
    expect(placeOfUuid(other)).toBeNull();
});

const trees = {
  tree_HEK: {
    labels_visible: false,
    layers: [
      { event_type: 'AR', frms: ['all', 'SPoCA'] },
      { event_type: 'FL', frms: ['NOAA_SWPC_Observer'], event_instances: ['FL--SSW Latest Events--YWJj', 7] },
      { event_type: 'C3', frms: ['all'] },
      'bad',
    ],
  },
  tree_CCMC: { markers_visible: false, layers_v2: ['CCMC>>DONKI'] },
  tree_RHESSI: { layers_v2: ['RHESSI', 5], layers: [{ event_type: 'F2', frms: ['all'] }] },
  tree_WSA: 'bad',
};

it('a stored view of an older client returns its trees as paths with every spelling, and their visibility', () => {
  expect(withSelections({ centerX: 1, eventLayers: trees })).toEqual({
    centerX: 1,
    eventLayers: trees,
    event_selections: [
      'HEK>>Active Region',
      'HEK>>Flare>>NOAA_SWPC_Observer',
      'HEK>>Flare>>NOAA SWPC Observer',
      'HEK>>Flare>>SSW Latest Events',
      'HEK>>Flare>>SSW_Latest_Events',
      'RHESSI',
    ],
    event_visibility_selections: {
      HEK: { marker_visibility: true, label_visibility: false },
      CCMC: { marker_visibility: false, label_visibility: true },
      RHESSI: { marker_visibility: true, label_visibility: true },
      WSA: { marker_visibility: true, label_visibility: true },
    },
  });
});

it('a stored view of an older client changes once, and not where it has paths or no trees', () => {
  const converted = withSelections({ eventLayers: trees });
  expect(withSelections(converted)).toBe(converted);
  const own = { event_selections: ['HEK'], eventLayers: trees };
  expect(withSelections(own)).toBe(own);
  expect(withSelections({ eventLayers: {} })).toMatchObject({ event_selections: [] });
});

import { expect, it } from 'vitest';
import { eventsStateOf, parseEventsState, parseEventsText, printEventsText } from '../../../src/picture/events/selection.ts';
import type { EventSelection } from '../../../src/picture/picture.ts';
import { EVENT_PINS, EVENT_TYPES, findEventType } from '../../../src/sun/events/event-types.ts';
import { failureOf } from '../../support/recipes.ts';

it('every pin of the interface has a source, a concept and a colour', () => {
  const pins = 'AR CC CD CE CH CJ CR CW EF ER FA FE FI FL LP OS PG SG SP SS'.split(' ');
  expect(pins.map((pin) => findEventType(pin)?.source)).toEqual(pins.map(() => 'HEK'));
  expect(EVENT_TYPES).toHaveLength(36);
  expect(EVENT_PINS).toHaveLength(35);
  expect(findEventType('SP')).toEqual({ pin: 'SP', source: 'HEK', concept: 'Spray Surge', colour: 'ff82ff' });
  expect(findEventType('C3')).toEqual({ pin: 'C3', source: 'CCMC', concept: 'DONKI', colour: 'f0c060' });
  expect(findEventType('F2')).toEqual({ pin: 'F2', source: 'RHESSI', concept: 'Solar Flares', colour: 'ff7070' });
});

it('the events notation selects event types, or single recognition methods', () => {
  expect(parseEventsText('[AR,SPoCA;NOAA_SWPC_Observer,1],[FL,all,1]', true).selection).toEqual([
    {
      source: 'HEK',
      labels: true,
      notation: 'pins',
      paths: [['Active_Region', 'NOAA_SWPC_Observer'], ['Active_Region', 'SPoCA'], ['Flare']],
    },
  ]);
});

it.each(['', '[]', ' ', '[AR,,1]', '[AR,all,0]', '[AR,SPoCA,FALSE]', '[ZZ,all,1]'])(
  'the events notation selects nothing for "%s"',
  (text) => {
    expect(parseEventsText(text, true).selection).toEqual([]);
  },
);

it('the events notation assigns pins to their sources, and merges groups of one pin', () => {
  const sources = parseEventsText('[F2,all,1],[C3,all,1],[CH,all,1],[FP,AMOS,1]', false).selection;
  expect(sources.map(({ source, paths }) => [source, paths.length])).toEqual([
    ['HEK', 1],
    ['CCMC', 2],
    ['RHESSI', 1],
  ]);
  const printed = (text: string) => printEventsText(parseEventsText(text, true).selection);
  expect(printed('[AR,SPoCA,1],[AR,HMI_SHARP,true],[AR,SPoCA,1]')).toBe('[AR,HMI_SHARP;SPoCA,1]');
  expect(printed('[AR,SPoCA,1],[AR,all,1]')).toBe('[AR,all,1]');
  expect(printed('[AR,SPoCA,1],[AR,all,0]')).toBe('[AR,SPoCA,1]');
});

it('the events notation treats blanks, underscores and escapes in names as equal', () => {
  const escapedName = parseEventsText('[CE,CACTus_\\(v1\\.0\\+\\),1]', true).selection;
  expect(escapedName).toEqual(parseEventsText('[CE,CACTus (v1.0+),1]', true).selection);
  expect(printEventsText(escapedName)).toBe('[CE,CACTus_\\(v1\\.0\\+\\),1]');
});

it.each<[string, string]>([
  ['[AR,all]', 'Expected three elements in a group, as in [FL,all,1], for events, got [AR,all]. Did you mean [AR,all,1]?'],
  ['[ar,all,1]', 'Expected a pin of two or three capital letters and digits for events, got ar. Did you mean [AR,all,1]?'],
  ['[AR,all,2]', 'Expected 0 or 1 as the third element of a group for events, got 2. Did you mean [AR,all,1]?'],
  ['[all,FL,1]', 'Expected a pin of two or three capital letters and digits for events, got all. Did you mean [FL,all,1]?'],
  ['[FL,0,SPoCA]', 'Expected 0 or 1 as the third element of a group for events, got SPoCA. Did you mean [FL,SPoCA,0]?'],
  ['[all,none,1]', 'Expected a pin of two or three capital letters and digits for events, got all.'],
  ['[AR,a;;b,1]', 'Expected "all" or names of recognition methods joined by ; for events, got a;;b.'],
  ['[AR,<b>,1]', 'Expected "all" or names of recognition methods joined by ; for events, got <b>.'],
  ['AR,all,1', 'Expected groups like [FL,all,1], separated by commas, for events, got AR,all,1. Did you mean [AR,all,1]?'],
])('the events notation refuses %s', (text, message) => {
  expect(failureOf(() => parseEventsText(text, true))).toMatchObject({ parameter: 'events', message });
});

it('the events notation refuses more than 10000 characters', () => {
  const text = `[AR,${Array(1000).fill('SPoCA_name').join(';')},1]`;
  expect(failureOf(() => parseEventsText(text, true)).message).toMatch(/^Expected at most 10000 characters for events/);
});

const STATE = {
  tree_HEK: {
    id: 'HEK',
    visible: true,
    markers_visible: true,
    labels_visible: true,
    layers: [
      { event_type: 'AR', frms: ['NOAA_SWPC_Observer', 'SPoCA'], event_instances: [], open: true },
      { event_type: 'FL', frms: ['all'], event_instances: [] },
    ],
  },
  tree_CCMC: { labels_visible: false, layers: [{ event_type: 'FP', frms: [], event_instances: ['FP--AMOS--YWJjZGVm'] }] },
  tree_RHESSI: { labels_visible: true, layers: [{ event_type: 'F2', frms: ['all'] }], layers_v2: ['RHESSI>>Solar Flares'] },
};

const SELECTION: EventSelection = [
  {
    source: 'HEK',
    labels: true,
    notation: 'pins',
    paths: [['Active_Region', 'NOAA_SWPC_Observer'], ['Active_Region', 'SPoCA'], ['Flare']],
  },
  { source: 'CCMC', labels: false, notation: 'pins', paths: [['Solar_Flare_Predictions', 'AMOS', 'abcdef']] },
  { source: 'RHESSI', labels: true, notation: 'paths', paths: [['Solar_Flares']] },
];

const ofInstance = (text: string) => () =>
  parseEventsState({ tree_HEK: { labels_visible: true, layers: [{ event_type: 'FL', frms: [], event_instances: [text] }] } });

it('eventsState refuses event_instances of more than 2000 characters', () => {
  const longest = `FL--SWPC--${'\\'.repeat(1986)}YWJj`;
  expect(ofInstance(longest)()[0]?.paths).toEqual([['Flare', 'SWPC', 'abc']]);
  const what = 'Expected event_instances like FL--SWPC--<id in Base64> of at most 2000 characters for eventsState, got FL--';
  expect(failureOf(ofInstance(`${longest}\\`))).toMatchObject({
    parameter: 'eventsState',
    message: expect.stringContaining(what),
  });
  // In time that grows with the square of the length, this one takes hours.
  expect(failureOf(ofInstance(`FL--${'-'.repeat(10_000_000)}\n`)).message).toContain(what);
});

it.each(['FL----YWJj', 'FL--SWPC--', 'FL--SWPC---YWJj-', 'FL---YWJj', 'FL--', 'FL--SW\nPC--YWJj', 'fl--SWPC--YWJj'])(
  'eventsState refuses the instance %j',
  (text) => {
    expect(failureOf(ofInstance(text)).parameter).toBe('eventsState');
  },
);

it('eventsState selects nothing by paths of more than six names below the source', () => {
  const paths = (...names: string[]) =>
    parseEventsState({ tree_HEK: { labels_visible: true, layers_v2: names.map((name) => `HEK>>${name}`) } });
  expect(paths('Flare>>SWPC>>1>>2>>3>>4>>5')).toEqual([]);
  expect(paths('Flare>>SWPC>>one', 'Flare>>SWPC>>1>>2>>3>>4')[0]?.paths).toEqual([
    ['Flare', 'SWPC', '1', '2', '3', '4'],
    ['Flare', 'SWPC', 'one'],
  ]);
});

it('eventsState selects types, methods, single events and paths in each tree', () => {
  expect(parseEventsState(STATE)).toEqual(SELECTION);
});

it('eventsState prints no irrelevant members', () => {
  expect(eventsStateOf(SELECTION)).toEqual({
    tree_HEK: {
      labels_visible: true,
      layers: [
        { event_type: 'AR', frms: ['NOAA_SWPC_Observer', 'SPoCA'], event_instances: [] },
        { event_type: 'FL', frms: ['all'], event_instances: [] },
      ],
    },
    tree_CCMC: { labels_visible: false, layers: [{ event_type: 'FP', frms: [], event_instances: ['FP--AMOS--YWJjZGVm'] }] },
    tree_RHESSI: { labels_visible: true, layers: [], layers_v2: ['RHESSI>>Solar_Flares'] },
  });
});

it.each<[string, unknown]>([
  ['an empty object', {}],
  ['the empty list that PHP prints for an empty object', []],
  ['other sources', { tree_OTHER: { layers: 7 } }],
  ['a tree without layers', { tree_HEK: { labels_visible: true } }],
  ['markers switched off', { tree_HEK: { ...STATE.tree_HEK, markers_visible: false } }],
  ['a layer without choices', { tree_HEK: { layers: [{ event_type: 'AR', frms: [], event_instances: [] }] } }],
  ['a pin of another source', { tree_HEK: { layers: [{ event_type: 'C3', frms: ['all'] }] } }],
  ['a layer without pin', { tree_HEK: { layers: [{ frms: ['all'] }] } }],
  ['paths of another source', { tree_HEK: { layers: STATE.tree_HEK.layers, layers_v2: ['CCMC>>DONKI'] } }],
])('eventsState selects nothing for %s', (_, state) => {
  expect(parseEventsState(state)).toEqual([]);
});

it('eventsState shows labels by default', () => {
  const labels = (flags: object) =>
    parseEventsState({ tree_HEK: { ...flags, layers: [{ event_type: 'AR', frms: ['all'] }] } })[0]?.labels;
  expect([labels({}), labels({ labels_visible: true }), labels({ labels_visible: false })]).toEqual([true, true, false]);
});

it('eventsState keeps only the more general of two choices', () => {
  const layers = [
    { event_type: 'FL', frms: ['SWPC'], event_instances: ['FL--SWPC--YWJj', 'FL--SSW_Latest_Events--YWJj'] },
    { event_type: 'CH', frms: ['SPoCA'] },
    { event_type: 'CH', frms: ['all'] },
  ];
  expect(parseEventsState({ tree_HEK: { layers } })[0]?.paths).toEqual([
    ['Coronal_Hole'],
    ['Flare', 'SSW_Latest_Events', 'abc'],
    ['Flare', 'SWPC'],
  ]);
});

it('eventsState decodes ids with escaped padding and plus signs', () => {
  const id = 'ivo://helio-informatics.org/FL~>>?üx';
  const base64 = Buffer.from(id).toString('base64');
  expect(base64).toMatch(/\+.*=$/);
  const text = `FL--SWPC--${base64.replaceAll('=', '_').replaceAll('+', '\\+')}`;
  const selection = parseEventsState({ tree_HEK: { layers: [{ event_type: 'FL', event_instances: [text] }] } });
  expect(selection[0]?.paths).toEqual([['Flare', 'SWPC', id]]);
  expect(eventsStateOf(selection).tree_HEK?.layers[0]?.event_instances).toEqual([text]);
});

it.each<[string, unknown, string]>([
  ['a text', 'tree_HEK', 'an object for eventsState, got tree_HEK'],
  ['a list', [1], 'an object for eventsState, got a list'],
  ['a tree that is not an object', { tree_HEK: true }, 'an object as tree_HEK for eventsState, got true'],
  ['layers that are not a list', { tree_HEK: { layers: {} } }, 'layers for eventsState, got an object'],
  [
    'a flag that is not a boolean',
    { tree_HEK: { labels_visible: 'maybe' } },
    'true or false as labels_visible for eventsState, got maybe',
  ],
  [
    'an FRM that is not a name',
    { tree_HEK: { layers: [{ event_type: 'AR', frms: ['<b>'] }] } },
    '"all" or names of recognition methods in frms for eventsState, got <b>',
  ],
  [
    'an FRM that is null',
    { tree_HEK: { layers: [{ event_type: 'AR', frms: [null] }] } },
    '"all" or names of recognition methods in frms for eventsState, got null',
  ],
  [
    'an instance without id',
    { tree_HEK: { layers: [{ event_type: 'AR', event_instances: ['AR--SPoCA'] }] } },
    'event_instances like FL--SWPC--<id in Base64> of at most 2000 characters for eventsState, got AR--SPoCA',
  ],
  [
    'a path that is too long',
    { tree_HEK: { layers_v2: [`HEK>>${'x'.repeat(600)}`] } },
    'paths like HEK>>Flare of at most 600 characters in layers_v2 for eventsState, got HEK>>',
  ],
  [
    'too many entries',
    { tree_HEK: { layers: [{ event_type: 'AR', frms: Array(2001).fill('SPoCA') }] } },
    'at most 2000 entries in frms for eventsState, got 2001',
  ],
])('eventsState refuses %s', (_, state, sentence) => {
  expect(failureOf(() => parseEventsState(state))).toMatchObject({
    parameter: 'eventsState',
    message: expect.stringContaining(`Expected ${sentence}`),
  });
});

it('eventsState names the parameter of the request in a failure', () => {
  expect(failureOf(() => parseEventsState(7, 'events'))).toMatchObject({ parameter: 'events' });
});

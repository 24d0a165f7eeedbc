import { expect, it } from 'vitest';
import { type Layer, layerLabel, layersFileName, layersTitle, parseLayers, printLayers } from '../../../src/picture/layers.ts';
import { failureOf } from '../../support/recipes.ts';

const plain = (sourceId: number, opacity = 100): Layer => ({ sourceId, isVisible: true, opacity });
const noon = Date.UTC(2024, 0, 31, 12);

it.each<[string, Layer[]]>([
  ['[13,1,100]', [plain(13)]],
  ['[13,1,100],[4,2,50.5]', [plain(13), plain(4, 50.5)]],
  [' [ 13 , 3 , 100 ] , [4,2,100] ', [plain(13), plain(4)]],
  ['[0,1,100]', [plain(0)]],
  ['[10,1,100,0,60,1,2010-01-01T00:00:00.000Z]', [plain(10)]],
  ['[10,1,100,0,,,]', [plain(10)]],
  ['[10,1,100,1]', [{ ...plain(10), difference: { kind: 'running', count: 1, unit: 'minute' } }]],
  ['[10,1,100,1,5]', [{ ...plain(10), difference: { kind: 'running', count: 5, unit: 'minute' } }]],
  ['[10,1,100,1,2,6]', [{ ...plain(10), difference: { kind: 'running', count: 2, unit: 'year' } }]],
  ['[10,1,100,2,1,1,2024-01-31T12:00:00Z]', [{ ...plain(10), difference: { kind: 'base', atMs: noon } }]],
  ['[10,1,100,2,1,1,2024-01-31 12:00:00]', [{ ...plain(10), difference: { kind: 'base', atMs: noon } }]],
  ['[10,1,100,3,1,1,2024-01-31T12:00:00Z]', [{ ...plain(10), difference: { kind: 'ratio', atMs: noon } }]],
  ['[10001,1,100],[10013,1,100]', [plain(10001), plain(10013)]],
  ['[2000,1,100],[2005,1,100]', [plain(88), plain(93)]],
])('parseLayers accepts the numeric form %s', (text, layers) => {
  expect(parseLayers(text)).toEqual(layers);
});

it.each<[string, Layer]>([
  ['[TRACE,171,1,100]', plain(75)],
  ['[SDO,AIA,335,1,100]', plain(14)],
  ['[SDO,AIA,AIA,335,1,80]', plain(14, 80)],
  ['[sdo,aia,aia,335,1,80]', plain(14, 80)],
  ['[SOHO,LASCO,C2,white-light,2,100]', plain(4)],
  ['[Hinode,XRT,Al_poly,Ti_poly,1,100]', plain(49)],
  ['[Hinode,XRT,XRT,Al_poly,Ti_poly,1,100]', plain(49)],
  ['[Hinode,XRT,Any,Any,1,100]', plain(10001)],
  ['[GONG,GONG,H-alpha,6562,1,100]', plain(94)],
  ['[TRACE,171,1,100,1,3,4,]', { ...plain(75), difference: { kind: 'running', count: 3, unit: 'week' } }],
  ['[SDO,AIA,AIA,171,1,100,2,1,1,2024-01-31T12:00:00Z]', { ...plain(10), difference: { kind: 'base', atMs: noon } }],
])('parseLayers accepts the named form %s', (text, layer) => {
  expect(parseLayers(text)).toEqual([layer]);
});

it.each(['%5B13,1,100%5D,%5B4,1,100%5D', '%255B13,1,100%255D%252C[4,1,100]', '[13,1,100%5d,%25255b4%2c1%2c100]'])(
  'parseLayers decodes encoded brackets and commas in %s',
  (text) => {
    expect(parseLayers(text)).toEqual([plain(13), plain(4)]);
  },
);

it('parseLayers omits hidden layers, keeps the order of the others, and counts them alone towards the limit', () => {
  expect(parseLayers('[4,0,100],[13,1,100],[5,1,0],[10,1,50]')).toEqual([plain(13), plain(10, 50)]);
  const group = '[13,1,100]';
  expect(parseLayers([...Array(5).fill(group), '[10,0,100]'].join())).toHaveLength(5);
  expect(failureOf(() => parseLayers(Array(6).fill(group).join()))).toMatchObject({
    kind: 'layer-count',
    parameter: 'layers',
    message: 'Expected at most 5 visible layers for layers, got 6.',
  });
});

it.each(['', '[]', '[13,0,100]', '[13,1,0],[4,0,1]'])(
  'parseLayers refuses "%s" with `no-layers`, because no layer is visible',
  (text) => {
    expect(failureOf(() => parseLayers(text))).toMatchObject({ kind: 'no-layers', parameter: 'layers' });
  },
);

it.each<[string, string]>([
  ['[13,1]', 'Expected 3 to 7 elements in a group for layers, got [13,1].'],
  ['[13,1,100,0,1,1,,1]', 'Expected 3 to 7 elements in a group for layers, got [13,1,100,0,1,1,,1].'],
  ['[SDO,1,100]', 'Expected 4 to 10 parts in a group of names for layers, got [SDO,1,100].'],
  ['[99999,1,100]', 'Expected the id of a datasource for layers, got 99999.'],
  ['[99999,0,100]', 'Expected the id of a datasource for layers, got 99999.'],
  ['[SDO,AIA,AIA,172,1,100]', 'Expected a known datasource for layers, got SDO,AIA,AIA,172.'],
  ['[13,1,101]', 'Expected an opacity from 0 to 100 for layers, got 101.'],
  ['[13,1,-1]', 'Expected an opacity from 0 to 100 for layers, got -1.'],
  ['[13,1,NaN]', 'Expected an opacity from 0 to 100 for layers, got NaN.'],
  ['[13,1,]', 'Expected an opacity from 0 to 100 for layers, got an empty value.'],
  ['[13,yes,100]', 'Expected an order from 0 to 1000 for layers, got yes.'],
  ['[10,100,1]', 'Expected visible and then opacity in a group for layers, got [10,100,1]. Did you mean [10,1,100]?'],
  [
    '[SDO,AIA,171,75,1]',
    'Expected visible and then opacity in a group for layers, got [SDO,AIA,171,75,1]. Did you mean [SDO,AIA,171,1,75]?',
  ],
  [
    '[13,100,0,1,60,1]',
    'Expected visible and then opacity in a group for layers, got [13,100,0,1,60,1]. Did you mean [13,0,100,1,60,1]?',
  ],
  ['[13,1,100,4]', 'Expected a difference from 0 to 3 for layers, got 4.'],
  ['[13,1,100,1,1.5]', 'Expected a difference count from -1000000000 to 1000000000 for layers, got 1.5.'],
  ['[13,1,100,1,1,7]', 'Expected a difference unit from 0 to 6 for layers, got 7.'],
  ['[13,1,100,2,1,1]', 'Expected the time of the base image in a base difference or ratio for layers, got nothing.'],
  ['[13,1,100,3]', 'Expected the time of the base image in a base difference or ratio for layers, got nothing.'],
  [
    '[13,1,100,2,1,1,2024-02-30T00:00:00Z]',
    'Expected a UTC date like 2024-01-31T12:00:00Z as base for layers, got 2024-02-30T00:00:00Z.',
  ],
  ['13,1,100', 'Expected groups like [13,1,100], separated by commas, for layers, got 13,1,100. Did you mean [13,1,100]?'],
  [
    '[13,1,100][4,1,100]',
    'Expected groups like [13,1,100], separated by commas, for layers, got [13,1,100][4,1,100]. Did you mean [13,1,100],[4,1,100]?',
  ],
  ['[13,1,100],', 'Expected groups like [13,1,100], separated by commas, for layers, got [13,1,100],. Did you mean [13,1,100]?'],
])('parseLayers refuses %s with a sentence', (text, message) => {
  expect(failureOf(() => parseLayers(text))).toMatchObject({ parameter: 'layers', message });
});

it.each(['[10,3,1]', '[10,1,1]', '[10,100,50]'])('parseLayers accepts %s, which clients may send', (text) => {
  expect(parseLayers(text)).toHaveLength(1);
});

it('parseLayers accepts 1000 characters and refuses 1001', () => {
  const padded = (length: number) => `[13,1,100${' '.repeat(length - 10)}]`;
  expect(parseLayers(padded(1000))).toEqual([plain(13)]);
  expect(failureOf(() => parseLayers(padded(1001))).message).toMatch(
    /^Expected at most 1000 characters for layers, got \[13,1,100 /,
  );
});

it('printLayers omits irrelevant elements', () => {
  const canonical = (text: string) => printLayers(parseLayers(text));
  expect(canonical('[SDO,AIA,AIA,335,3,100.00]')).toBe('[14,1,100]');
  expect(canonical('[13,1,050.50,1],[2001,1,100,0,9,3]')).toBe('[13,1,50.5,1,1,1],[89,1,100]');
  expect(canonical('[13,1,100,2,7,3,2024/01/31t12:00:00.0004z]')).toBe('[13,1,100,2,1,1,2024-01-31T12:00:00.000Z]');
});

const layers = parseLayers('[10,1,100],[4,1,100]');
it('names of layers have no blanks and slashes in files, and the observatory and no repeated levels in titles', () => {
  expect(layersFileName(layers)).toBe('AIA_171__LASCO_C2');
  expect(layersFileName([{ sourceId: 49 }])).toBe('XRT_Al_poly_Ti_poly');
  expect(layerLabel(layers[0]!)).toBe('SDO AIA 171');
  expect(layersTitle(layers)).toBe('SDO AIA 171, SOHO LASCO C2 white-light');
  // One of the two header spellings of its measurement.
  expect(layerLabel({ sourceId: 131 })).toBe('PUNCH WFI+NFI Total Brightness');
});

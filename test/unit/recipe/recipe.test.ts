import { expect, it } from 'vitest';
import { plainLayer } from '../../../src/picture/layers.ts';
import { type Difference, type TimeUnit, unitsBefore } from '../../../src/picture/operations/difference.ts';
import { referenceTime, suffixOf } from '../../../src/picture/operations/operations.ts';
import { parseOverlays } from '../../../src/picture/overlays/overlays.ts';
import { parseRegion, type RegionParameters } from '../../../src/picture/picture.ts';
import {
  parseRecipeString,
  recipeFromScreenshotParameters,
  recipeString,
  type ScreenshotParameters,
  shownSourceId,
} from '../../../src/picture/recipe.ts';
import { errorResponse } from '../../../src/platform/http/errors.ts';
import { failureOf } from '../../support/recipes.ts';

const PLAIN: ScreenshotParameters = {
  date: Date.UTC(2024, 0, 31, 12) + 0.25,
  imageScale: 2.4,
  layers: '[SDO,AIA,AIA,171,1,100],[4,2,50]',
  x0: 0,
  y0: 0,
  width: 1920,
  height: 1200,
};
const stringOf = (changes: Partial<ScreenshotParameters>) =>
  recipeString(recipeFromScreenshotParameters({ ...PLAIN, ...changes }).recipe);

const BODIES_EXPECTED =
  'Expected pairs like soho-venus, separated by commas, of soho, stereo_a, stereo_b, earth with a planet, psp, solo, stereo_a, stereo_b';

it('overlays overlays default to a watermark alone', () => {
  expect(parseOverlays({})).toEqual({
    watermark: true,
    scale: null,
    movieIcons: false,
    grid: false,
    bodies: null,
    credit: false,
  });
});

it('overlays place the scale at the requested position, at the bottom left by default', () => {
  const scale = (parameters: object) => parseOverlays({ scale: true, ...parameters }).scale;
  expect(scale({})).toEqual({ type: 'earth', position: null });
  expect(scale({ scaleX: 0, scaleY: 0, scaleType: 'scalebar' })).toEqual({ type: 'scalebar', position: null });
  expect(scale({ scaleX: 0, scaleY: -900.5 })).toEqual({ type: 'earth', position: { x: 0, y: -900.5 } });
  expect(scale({ scaleType: 'disabled' })).toBeNull();
  expect(scale({ scale: false, scaleX: 5, scaleType: 'scalebar' })).toBeNull();
});

it.each<[object, string]>([
  [{ scaleType: 'moon' }, 'Expected earth, scalebar or disabled for scaleType, got moon.'],
  [{ scaleX: Number.NaN }, 'Expected arcseconds from -100000000 to 100000000 for scaleX, got NaN.'],
  [{ scaleY: 1e9 }, 'Expected arcseconds from -100000000 to 100000000 for scaleY, got 1000000000.'],
  [{ celestialBodiesLabels: 'soho-venus,soho-moon' }, `${BODIES_EXPECTED} for celestialBodiesLabels, got soho-venus,soho-moon.`],
  [{ celestialBodiesTrajectories: 'soho-venus,' }, `${BODIES_EXPECTED} for celestialBodiesTrajectories, got soho-venus,.`],
])('overlays refuse %j even without scale', (parameters, message) => {
  expect(failureOf(() => parseOverlays(parameters)).message).toBe(message);
});

it('the recipe of a screenshot fills a recipe with defaults for absent parameters', () => {
  expect(recipeFromScreenshotParameters(PLAIN)).toEqual({
    adjusted: false,
    remarks: [],
    recipe: {
      atMs: Date.UTC(2024, 0, 31, 12),
      layers: [
        { sourceId: 10, isVisible: true, opacity: 100 },
        { sourceId: 4, isVisible: true, opacity: 50 },
      ],
      region: { left: -2304, top: -1440, right: 2304, bottom: 1440 },
      imageScaleArcsecPerPixel: 2.4,
      width: 1920,
      height: 1200,
      events: [],
      overlays: { watermark: true, scale: null, movieIcons: false, grid: false, bodies: null, credit: false },
      switchSources: false,
    },
  });
});

it('the recipe of a screenshot remarks on an opacity below 1 percent and on unknown types of events', () => {
  const changes = { layers: '[10,1,100],[4,1,0.5]', events: '[XX,all,1],[AR,all,1],[XX,SPoCA,1]' };
  expect(recipeFromScreenshotParameters({ ...PLAIN, ...changes }).remarks).toEqual([
    'The opacity 0.5 of layers is a percentage: 100 is opaque.',
    'No type of events has the pin XX.',
  ]);
});

it('the recipe of a screenshot accepts both spellings of labels, and events as text, as an object, or none', () => {
  const labels = (flags: object) =>
    recipeFromScreenshotParameters({ ...PLAIN, events: '[AR,all,1]', ...flags }).recipe.events[0]?.labels;
  expect([labels({}), labels({ eventLabels: true }), labels({ eventsLabels: true })]).toEqual([false, true, true]);
  expect(labels({ eventLabels: false, eventsLabels: true })).toBe(false);
  const state = { tree_HEK: { labels_visible: true, layers: [{ event_type: 'CH', frms: ['all'] }] } };
  const events = (parameters: object) => recipeFromScreenshotParameters({ ...PLAIN, ...parameters }).recipe.events;
  const coronalHoles = [{ source: 'HEK', labels: true, notation: 'pins', paths: [['Coronal_Hole']] }];
  expect(events({ events: '[CH,all,1]', eventLabels: true })).toEqual(coronalHoles);
  expect(events({ events: state })).toEqual(coronalHoles);
  expect(events({ eventsState: state, events: '[AR,all,1]' })).toEqual(coronalHoles);
  expect(events({ events: '' })).toEqual([]);
});

it.each<[Partial<ScreenshotParameters>, number, string]>([
  [{ layers: '[13,0,100]' }, 20, 'layers'],
  [{ x0: 0, width: 0 }, 21, 'width'],
  [{ layers: Array(6).fill('[13,1,100]').join() }, 22, 'layers'],
  [{ height: undefined }, 23, 'height'],
  [{ layers: '[13,1,200]' }, 25, 'layers'],
  [{ width: 1e6 }, 25, 'width'],
  [{ imageScale: 0 }, 25, 'imageScale'],
  [{ events: 7 }, 25, 'events'],
  [{ eventsState: [1] }, 25, 'eventsState'],
  [{ scaleType: 'x' }, 25, 'scaleType'],
  [{ layers: '[13,1,100,2]' }, 28, 'layers'],
])('the recipe of a screenshot rejects %j with errno %d', async (changes, errno, parameter) => {
  const failure = failureOf(() => recipeFromScreenshotParameters({ ...PLAIN, ...changes }));
  const response = errorResponse(failure, { requestId: 'r', actionForm: false });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errno, parameter, error: expect.stringMatching(/^Expected .*, got .*\.$/) });
});

it('the recipe string omits members with default values, and contains every member with another value', () => {
  expect(stringOf({})).toBe(
    '{"at":"2024-01-31T12:00:00.000Z","layers":"[10,1,100],[4,1,50]","region":[-2304,-1440,2304,1440],"imageScale":2.4}',
  );
  const bodies = { celestialBodiesLabels: ' SOHO-venus,soho-mercury,soho-venus', celestialBodiesTrajectories: '' };
  const flags = { movieIcons: true, switchSources: true, grid: true };
  const unusual = { watermark: false, scale: true, scaleX: 5, scaleY: -7, ...flags, ...bodies };
  expect(stringOf({ ...unusual, events: '[FL,all,1]' })).toBe(
    `${stringOf({}).slice(0, -1)},"events":{"tree_HEK":{"labels_visible":false,"layers":[{"event_type":"FL","frms":["all"],` +
      '"event_instances":[]}]}},"watermark":false,"scale":["earth",5,-7],"movieIcons":true,"switchSources":true,"grid":true,"bodies":["soho-mercury,soho-venus",""],"eventDrawing":2}',
  );
});

it('the recipe string writes one string for equivalent requests', () => {
  const same: Partial<ScreenshotParameters>[] = [
    { x1: -2304, y1: -1440, x2: 2304, y2: 1440 },
    { layers: '[10,3,100.0,0,60,1,2010-01-01T00:00:00Z],[8,0,100],[SOHO,LASCO,C2,white-light,1,50]' },
    { watermark: true, scale: false, scaleType: 'scalebar', scaleX: 4, events: '[]', eventLabels: true },
    { eventsState: { tree_HEK: { markers_visible: false, labels_visible: true, layers: [] } } },
    { celestialBodiesLabels: '', celestialBodiesTrajectories: ' ' },
    { scale: true, scaleType: 'disabled', switchSources: false, date: PLAIN.date + 0.5 },
  ];
  expect(same.map(stringOf)).toEqual(same.map(() => stringOf({})));
});

it.each<[string, string]>([
  ['{', 'Expected JSON for recipe, got {.'],
  ['[]', 'Expected a JSON object for recipe, got a list.'],
  ['{"zoom":1}', 'Expected known members for recipe, got zoom.'],
  ['{}', 'Expected a text as at for recipe, got nothing.'],
  [stringOf({}).replace('12:00', '25:00'), 'Expected a UTC date as at for recipe, got 2024-01-31T25:00:00.000Z.'],
  [stringOf({}).replace('-2304', '2304'), 'Expected left, top, right and bottom as region for recipe, got a list.'],
  [stringOf({}).replace('2.4}', '0}'), 'Expected a number above 0 as imageScale for recipe, got 0.'],
  [stringOf({}).replace('}', ',"watermark":1}'), 'Expected true or false as watermark for recipe, got 1.'],
  [
    stringOf({}).replace('}', ',"scale":["earth",1]}'),
    'Expected a type with or without a position as scale for recipe, got a list.',
  ],
  [stringOf({}).replace('}', ',"bodies":["soho-venus",7]}'), 'Expected 2 texts as bodies for recipe, got a list.'],
  [stringOf({}).replace('[10,1,100]', '[10,1,500]'), 'Expected an opacity from 0 to 100 for layers, got 500.'],
])('the recipe string refuses %s', (text, message) => {
  expect(failureOf(() => parseRecipeString(text)).message).toBe(message);
});

it('shownSourceId replaces SDO sources by those of SOHO before SDO if switchSources is set', () => {
  const first304 = Date.UTC(2010, 5, 2, 0, 5, 39);
  const firstHmi = Date.UTC(2010, 11, 6, 6, 53, 41);
  const shown = (sourceId: number, atMs: number, switchSources = true) =>
    shownSourceId({ switchSources }, plainLayer(sourceId), atMs);
  expect([shown(13, first304 - 1), shown(13, first304), shown(13, first304 - 1, false)]).toEqual([3, 13, 13]);
  expect([10, 11, 18, 19].map((id) => shown(id, 0))).toEqual([0, 1, 7, 6]);
  expect([shown(18, firstHmi - 1), shown(19, firstHmi)]).toEqual([7, 19]);
  expect(shown(8, 0)).toBe(8);
});

const corners = { x1: -1200, y1: -600, x2: 1200, y2: 600 };
const square = { x0: 0, y0: 0, width: 1000, height: 1000 };

const regionOf = (left: number, top: number, right: number, bottom: number) => ({ region: { left, top, right, bottom } });

it.each<[string, RegionParameters, object]>([
  ['the corners', { imageScale: 2.4, x0: 0, y0: 0, width: 1920, height: 1200 }, regionOf(-2304, -1440, 2304, 1440)],
  ['corners beside the Sun', { imageScale: 2, x0: 100, y0: -300, width: 10, height: 20 }, regionOf(90, -320, 110, -280)],
  ['the size', { imageScale: 2.4, ...corners }, { width: 1000, height: 500 }],
  ['a rounded size', { imageScale: 1, x1: 0, y1: 0, x2: 800.6, y2: 600.4 }, { width: 801, height: 600 }],
  ['the size by corners rather than by a centre', { imageScale: 2.4, ...corners, ...square }, { width: 1000, height: 500 }],
  ['the size by a complete form', { imageScale: 2.4, x1: 5, y2: 7, ...square }, { width: 1000, height: 1000 }],
  [
    'a region of whole pixels',
    { imageScale: 1, x0: 0, y0: 0, width: 800.5, height: 99.4 },
    { ...regionOf(-400.5, -49.5, 400.5, 49.5), width: 801, height: 99 },
  ],
  [
    'a coarser scale for corners',
    { imageScale: 0.5, x1: 0, y1: 0, x2: 10, y2: 4096 },
    { imageScaleArcsecPerPixel: 1, width: 10 },
  ],
])('parseRegion computes %s', (_, parameters, expected) => {
  expect(parseRegion(parameters)).toMatchObject(expected);
});

it.each<[string, RegionParameters, string, string, string]>([
  ['nothing', { imageScale: 1 }, 'no-region', 'x1', 'got no x1.'],
  ['three corners', { imageScale: 1, x1: 1, y1: 1, x2: 2 }, 'no-region', 'y2', 'got no y2.'],
  ['a size without centre', { imageScale: 1, width: 10, height: 10 }, 'no-region', 'x0', 'got no x0.'],
  ['a centre without height', { imageScale: 1, x0: 0, y0: 0, width: 10 }, 'no-region', 'height', 'got no height.'],
  ['x1 = x2', { imageScale: 1, ...corners, x2: -1200 }, 'bad-region', 'x2', 'a number above x1 (-1200) for x2, got -1200.'],
  [
    'x1 > x2',
    { imageScale: 1, ...corners, x1: 1300 },
    'bad-region',
    'x2',
    'a number above x1 (1300) for x2, got 1200. Did you mean 1300 (x1 and x2 swapped)?',
  ],
  ['y1 > y2', { imageScale: 1, ...corners, y2: -700 }, 'bad-region', 'y2', 'since y grows downward, for y2, got -700.'],
  [
    'inverted corners beside a valid centre',
    { imageScale: 1, ...square, ...corners, x2: -1300 },
    'bad-region',
    'x2',
    'got -1300.',
  ],
  ['NaN', { imageScale: 1, ...corners, x1: Number.NaN }, 'bad-region', 'x1', 'for x1, got NaN.'],
  ['infinity', { imageScale: 1, ...corners, y2: Number.POSITIVE_INFINITY }, 'bad-region', 'y2', 'for y2, got Infinity.'],
  ['a coordinate beyond the limit', { imageScale: 1, ...square, x0: 1e9 }, 'bad-region', 'x0', 'for x0, got 1000000000.'],
  ['less than half a pixel across', { imageScale: 5000, ...corners }, 'bad-region', 'x2', 'one pixel wide for x2, got 1200.'],
  ['no width', { imageScale: 1, ...square, width: 0 }, 'bad-region', 'width', '1 to 32768 pixels for width, got 0.'],
  [
    'a negative height',
    { imageScale: 1, ...square, height: -5 },
    'bad-region',
    'height',
    '1 to 32768 pixels for height, got -5.',
  ],
  [
    'a width of a million',
    { imageScale: 1, ...square, width: 1e6 },
    'bad-parameter',
    'width',
    '1 to 32768 pixels for width, got 1000000.',
  ],
  [
    'corners a million pixels apart',
    { imageScale: 0.0024, ...corners },
    'bad-parameter',
    'imageScale',
    'more than 32768 pixels for imageScale, got 0.0024.',
  ],
  [
    'scale 0',
    { imageScale: 0, ...corners },
    'bad-parameter',
    'imageScale',
    'a number from 0.001 to 100000 for imageScale, got 0.',
  ],
  ['a negative scale', { imageScale: -1, ...corners }, 'bad-parameter', 'imageScale', 'got -1.'],
  ['a scale of NaN', { imageScale: Number.NaN, ...corners }, 'bad-parameter', 'imageScale', 'got NaN.'],
  ['a scale above the limit', { imageScale: 1e6, ...corners }, 'bad-parameter', 'imageScale', 'got 1000000.'],
])('parseRegion refuses %s', (_, parameters, kind, parameter, end) => {
  const failure = failureOf(() => parseRegion(parameters));
  expect(failure).toMatchObject({ kind, parameter });
  expect(failure.message).toMatch(/^Expected /);
  expect(failure.message).toContain(end);
});

const at = (text: string) => Date.parse(text);
const before = (text: string, count: number, unit: TimeUnit) => new Date(unitsBefore(at(text), count, unit)).toISOString();

it.each<[string, number, TimeUnit, string]>([
  ['2024-03-01T00:00:00.250Z', 1, 'second', '2024-02-29T23:59:59.250Z'],
  ['2024-03-01T00:00:00Z', 90, 'minute', '2024-02-29T22:30:00.000Z'],
  ['2024-03-01T00:00:00Z', 25, 'hour', '2024-02-28T23:00:00.000Z'],
  ['2024-03-01T00:00:00Z', 1, 'day', '2024-02-29T00:00:00.000Z'],
  ['2024-03-01T00:00:00Z', 2, 'week', '2024-02-16T00:00:00.000Z'],
  ['2024-03-31T10:20:30.456Z', 1, 'month', '2024-02-29T10:20:30.456Z'],
  ['2023-03-31T00:00:00Z', 1, 'month', '2023-02-28T00:00:00.000Z'],
  ['2024-01-15T00:00:00Z', 1, 'month', '2023-12-15T00:00:00.000Z'],
  ['2024-05-31T00:00:00Z', 14, 'month', '2023-03-31T00:00:00.000Z'],
  ['2024-02-29T12:00:00Z', 1, 'year', '2023-02-28T12:00:00.000Z'],
  ['2024-02-29T12:00:00Z', 4, 'year', '2020-02-29T12:00:00.000Z'],
  ['2024-01-31T00:00:00Z', -1, 'month', '2024-02-29T00:00:00.000Z'],
  ['2024-01-31T00:00:00Z', 0, 'month', '2024-01-31T00:00:00.000Z'],
])('unitsBefore %s by %d %s is %s', (from, count, unit, result) => {
  expect(before(from, count, unit)).toBe(result);
});

it.each<TimeUnit>(['hour', 'day', 'week', 'month', 'year'])('unitsBefore clamps a billion %ss to 1990 and 9999', (unit) => {
  expect(before('2024-01-01T00:00:00Z', 1_000_000_000, unit)).toBe('1990-01-01T00:00:00.000Z');
  expect(before('2024-01-01T00:00:00Z', -1_000_000_000, unit)).toBe('9999-12-31T23:59:59.999Z');
});

it('unitsBefore keeps fractions of a millisecond in calendar units', () => {
  const takenAtMs = at('2024-03-31T10:20:30.456Z') + 0.5;
  expect(unitsBefore(takenAtMs, 1, 'month')).toBe(at('2024-02-29T10:20:30.456Z') + 0.5);
});

it.each<[Difference, string, string]>([
  [{ kind: 'running', count: 5, unit: 'minute' }, '2024-02-29T23:55:00.000Z', ' [RD 5 minutes]'],
  [{ kind: 'running', count: 1, unit: 'hour' }, '2024-02-29T23:00:00.000Z', ' [RD 1 hour]'],
  [{ kind: 'base', atMs: at('2024-01-02T03:04:05.600Z') }, '2024-01-02T03:04:05.600Z', ' [BD 2024-01-02 03:04:05]'],
  [{ kind: 'ratio', atMs: at('2024-01-02T03:04:05Z') }, '2024-01-02T03:04:05.999Z', ' [BR 2024-01-02 03:04:05]'],
  [{ kind: 'base', atMs: at('2024-01-02T03:04:05Z') }, '2024-01-02T03:04:05.999Z', ' [BD 2024-01-02 03:04:05]'],
])('%j has its reference time and watermark suffix', (difference, reference, suffix) => {
  const time = referenceTime({ difference }, at('2024-03-01T00:00:00Z'));
  expect(new Date(time!).toISOString()).toBe(reference);
  expect(suffixOf({ difference })).toBe(suffix);
});

it('a layer without operations has no reference time and no suffix', () => {
  expect([referenceTime({}, 0), suffixOf({})]).toEqual([null, '']);
});

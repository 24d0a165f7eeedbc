import { expect, it } from 'vitest';
import { EventMarkers } from '../../../src/events/event-markers.ts';
import type { EventService } from '../../../src/events/event-service.ts';
import { recipeFromScreenshotParameters, type ScreenshotParameters } from '../../../src/picture/recipe.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { solarSystemOf } from '../../../src/sun/bodies/solar-system.ts';
import type { EventSource } from '../../../src/sun/events/event-types.ts';
import type { SolarEvent } from '../../../src/sun/events/solar-event.ts';
import { flareAt } from '../../support/events/event-records.ts';

/** On 2012-04-04 the Earth is at 1.0000 au. */
const NOON = Date.parse('2012-04-04T12:00:00Z');

const flare = flareAt(NOON - 3_600_000, {
  label: 'M1.2\nNOAA 11450',
  endMs: NOON + 3_600_000,
  position: { kind: 'helioprojective', x: 300, y: -200, atMs: NOON },
});
const event = (fields: Partial<SolarEvent>): SolarEvent => ({ ...flare, ...fields });
const at = (x: number, y: number, atMs = NOON) => ({ kind: 'helioprojective', x, y, atMs }) as const;

/** An EventMarkers over fixed events and videos, and the lookups that it made. */
function markersOver(events: readonly SolarEvent[], videos?: readonly { x: number; y: number; label: string }[]) {
  const lookups: { atMs: number; sources: readonly EventSource[] }[] = [];
  const lookup: Pick<EventService, 'eventsAt'> = {
    eventsAt: async (atMs, sources) => {
      lookups.push({ atMs, sources });
      return { events: events.filter(({ source }) => sources.includes(source)), states: [] };
    },
  };
  const videosAt = async () => videos ?? [];
  const stateTables = { solarSystem: async () => solarSystemOf() };
  return { lookups, markers: new EventMarkers({ events: lookup, stateTables, ...(videos ? { videos: { videosAt } } : {}) }) };
}

const recipe = (parameters: Partial<ScreenshotParameters>) =>
  recipeFromScreenshotParameters({
    date: NOON,
    layers: '[10,1,100]',
    imageScale: 2,
    x1: -1200,
    y1: -1200,
    x2: 1200,
    y2: 1200,
    ...parameters,
  }).recipe;

const drawn = async (events: readonly SolarEvent[], parameters: Partial<ScreenshotParameters>) =>
  (await markersOver(events).markers.markers(recipe(parameters))).events ?? [];

const ALL = '[FL,all,1],[AR,all,1],[C3,all,1],[F2,all,1]';

it('event markers lie in pixels, y downward, and their sources are asked for the time of the image, none without events', async () => {
  const [marker] = await drawn([flare], { events: ALL });
  expect(marker!.x).toBeCloseTo(750, 0);
  expect(marker!.y).toBeCloseTo(700, 0);
  expect(marker).toMatchObject({ pin: 'FL', colour: '7affae', polygons: [] });
  const { lookups, markers } = markersOver([flare]);
  expect(await markers.markers(recipe({}))).toEqual({});
  expect(lookups).toEqual([]);
  await markers.markers(recipe({ events: '[C3,all,1],[FL,all,1]' }));
  expect(lookups).toEqual([{ atMs: NOON, sources: ['HEK', 'CCMC'] }]);
});

it('event markers selects markers by type, by recognition method and by single event', async () => {
  const events = [
    flare,
    event({ id: 'ivo://flares/2', group: { ...flare.group, name: 'Flare Detective' }, position: at(0, 100) }),
    event({ id: 'ivo://flares/3', position: at(0, 50) }),
    event({ id: 'ivo://regions/1', pin: 'AR', type: 'AR', position: at(0, 0) }),
  ];
  const count = async (parameters: Partial<ScreenshotParameters>) => (await drawn(events, parameters)).length;
  expect(await count({ events: '[FL,all,1]' })).toBe(3);
  expect(await count({ events: '[FL,Flare_Detective,1]' })).toBe(1);
  expect(await count({ events: '[CE,all,1]' })).toBe(0);
  const instance = `FL--SWPC--${btoa('ivo://flares/3').replaceAll('=', '_')}`;
  const layers = [{ event_type: 'FL', frms: [], event_instances: [instance] }];
  const [single, ...others] = await drawn(events, { eventsState: { tree_HEK: { layers } } });
  expect(others).toEqual([]);
  expect(single!.y).toBeCloseTo(575, 0);
});

it('event markers carry label lines when the recipe shows labels', async () => {
  expect((await drawn([flare], { events: ALL, eventLabels: true }))[0]!.label).toEqual(['M1.2', 'NOAA 11450']);
  expect((await drawn([flare], { events: ALL, eventLabels: false }))[0]!.label).toEqual([]);
  expect((await drawn([event({ label: '' })], { events: ALL, eventLabels: true }))[0]!.label).toEqual([]);
});

it('event markers take the pin of their own type, whose letters are CME for an ejection', async () => {
  const [marker] = await drawn([event({ source: 'CCMC', pin: 'C3', type: 'CE' })], { events: ALL });
  expect(marker).toMatchObject({ pin: 'CME', colour: 'ffb294' });
  const [flareOfRhessi] = await drawn([event({ source: 'RHESSI', pin: 'F2', type: 'FL' })], { events: ALL });
  expect(flareOfRhessi).toMatchObject({ pin: 'FL', colour: '7affae' });
  const [untyped] = await drawn([event({ source: 'CCMC', pin: 'C3', type: 'ZZ' })], { events: ALL });
  expect(untyped).toMatchObject({ pin: 'C3', colour: 'f0c060' });
});

it('event markers rotate with the Sun, and are left out behind it', async () => {
  const xAfter = async (days: number) => (await drawn([flare], { events: ALL, date: NOON + days * DAY_MS })).map(({ x }) => x);
  expect((await xAfter(1))[0]! - (await xAfter(0))[0]!).toBeGreaterThan(80);
  expect((await xAfter(-7))[0]!).toBeLessThan(400);
  expect(await xAfter(6)).toEqual([]);
});

it('event markers rotate their outlines with the Sun', async () => {
  const outlines = [
    [
      [250, -250],
      [350, -250],
      [350, -150],
      [250, -150],
    ],
  ] as const;
  const polygon = async (days: number) =>
    (await drawn([event({ outlines })], { events: ALL, date: NOON + days * DAY_MS }))[0]!.polygons[0]!;
  const now = await polygon(0);
  expect(now.map((point) => point.map(Math.round))).toEqual([
    [725, 725],
    [775, 725],
    [775, 675],
    [725, 675],
  ]);
  const later = await polygon(3.5);
  expect(later[1]![0] - later[0]![0]).toBeLessThan(0.6 * (now[1]![0] - now[0]![0]));
  expect(later[0]![0]).toBeGreaterThan(now[1]![0]);
});

it('event markers sorts markers from north to south, independent of the order of the sources', async () => {
  const events = [at(0, 10), at(10, 300), at(-10, 300), at(0, -400)].map((position, i) => event({ id: String(i), position }));
  const forwards = await drawn(events, { events: ALL });
  expect(forwards.map(({ x, y }) => [Math.round(x), Math.round(y)])).toEqual([
    [595, 450],
    [605, 450],
    [600, 595],
    [600, 800],
  ]);
  expect(await drawn(events.toReversed(), { events: ALL })).toEqual(forwards);
});

const HOUR_MS = DAY_MS / 24;
const anchorAt = async (hours: number, parameters: Partial<ScreenshotParameters> = {}) =>
  (await drawn([flare], { events: ALL, date: NOON + hours * HOUR_MS, ...parameters }))[0]!.anchor!;

it('event anchors take the positions at the middle of the time span that follows from the scale', async () => {
  // At 2 arcseconds per pixel a span is three hours: the longest part of a day in which nothing moves 8 pixels from its middle.
  const middle = (await drawn([flare], { events: ALL, date: NOON + 1.5 * HOUR_MS }))[0]!;
  expect(middle.anchor).toEqual([middle.x, middle.y]);
  for (const hours of [0, 1, 2.999]) expect(await anchorAt(hours)).toEqual(middle.anchor);
  expect(await anchorAt(3)).not.toEqual(middle.anchor);
  expect(await anchorAt(-0.001)).not.toEqual(middle.anchor);
});

it('event anchors lie less than eight pixels from the event at any scale, and at most half a day', async () => {
  for (const imageScale of [0.1, 0.6, 2, 5, 40]) {
    const field = { imageScale, x1: -600, y1: -600, x2: 600, y2: 600, events: ALL };
    for (let hours = -12; hours <= 12; hours += 0.7) {
      const [marker] = await drawn([event({ position: at(0, -100) })], { ...field, date: NOON + hours * HOUR_MS });
      expect(Math.hypot(marker!.x - marker!.anchor![0], marker!.y - marker!.anchor![1])).toBeLessThan(8);
    }
  }
  const coarse = { imageScale: 40 };
  expect(await anchorAt(11.9, coarse)).toEqual(await anchorAt(-12, coarse));
  expect(await anchorAt(12, coarse)).not.toEqual(await anchorAt(11.9, coarse));
});

it('event anchors equal the anchors of a frame of half the size when overlays are magnified twice', async () => {
  const { markers } = markersOver([flare]);
  const fine = { ...recipe({ events: ALL, imageScale: 1, date: NOON + 2.5 * HOUR_MS }), overlayMagnification: 2 };
  const [marker] = (await markers.markers(fine)).events!;
  const coarse = await anchorAt(2.5);
  expect(marker!.anchor!.map((value) => value / 2)).toEqual(coarse.map((value) => expect.closeTo(value, 9)));
});

it('event anchors determine the order of events, so that it is stable while events pass each other', async () => {
  // A fiftieth of a degree apart in latitude, east and west: with rotation, one rises in the image and the other sinks.
  const places = [-60, 60].map((longitude, i) => ({ kind: 'stonyhurst', latitude: 10 + i / 50, longitude, atMs: NOON }) as const);
  const pair = places.map((position, i) => event({ id: String(i), label: String(i), position }));
  const pairAfter = async (hours: number) => await drawn(pair, { events: ALL, eventLabels: true, date: NOON + hours * HOUR_MS });
  const markers = await Promise.all([0.1, 0.5, 1, 2, 2.9].map(pairAfter));
  expect(new Set(markers.map((each) => each.map(({ label }) => label[0]).join())).size).toBe(1);
});

const videos = [{ x: 100, y: 200, label: 'AIA 171' }];

it('movie markers lie at the centre of the field of view of the movie, y downward, where the recipe selects them', async () => {
  const { markers } = markersOver([], videos);
  expect(await markers.markers(recipe({ movieIcons: true }))).toEqual({ movies: [{ x: 650, y: 700, label: 'AIA 171' }] });
  expect(await markersOver([], videos).markers.markers(recipe({}))).toEqual({});
  expect(await markersOver([]).markers.markers(recipe({ movieIcons: true }))).toEqual({});
});

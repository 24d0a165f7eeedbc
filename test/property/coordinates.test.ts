import fc from 'fast-check';
import { expect, it } from 'vitest';
import { viewportShift } from '../../src/movies/movie-recipe.ts';
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { earthObserver, pictureObserver } from '../../src/sun/coordinates/observer.ts';
import { outlineAt } from '../../src/sun/coordinates/outline.ts';
import {
  eventPositionAt,
  isInFront,
  rotation,
  seenAt,
  stonyhurstOf,
  surfacePoint,
  vectorOf,
} from '../../src/sun/coordinates/sphere.ts';

const RUNS = { numRuns: 500, seed: 20261121 };
const LIMB_ARCSEC = 959.23;

const times = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2050, 0, 1) });
const days = (maxDays: number) =>
  fc.double({ min: -maxDays, max: maxDays, noNaN: true }).map((count) => Math.round(count * DAY_MS));
const places = fc.record({
  latitude: fc.double({ min: -89, max: 89, noNaN: true }),
  longitude: fc.double({ min: -179.9, max: 179.9, noNaN: true }),
});
/** Points on the disk, for any distance on the Earth's orbit. */
const onDisk = fc
  .record({ radius: fc.double({ min: 0, max: 930, noNaN: true }), angle: fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }) })
  .map(({ radius, angle }) => ({ x: radius * Math.cos(angle), y: radius * Math.sin(angle) }));

it('coordinates on the Sun convert from a line of sight and back to it', () => {
  const property = fc.property(onDisk, times, (seen, atMs) => {
    const observer = earthObserver(atMs);
    const point = surfacePoint(seen, observer)!;
    const place = stonyhurstOf(point, observer);
    const again = vectorOf(place, observer);
    expect(Math.hypot(again.x, again.y, again.z)).toBeCloseTo(1, 10);
    expect(isInFront(again, observer)).toBe(true);
    const back = seenAt(again, observer);
    expect(Math.hypot(back.x - seen.x, back.y - seen.y)).toBeLessThan(1e-5);
  });
  fc.assert(property, RUNS);
});

it('coordinates on the Sun positions on the visible side convert to a line of sight and back', () => {
  const property = fc.property(places, times, (place, atMs) => {
    const observer = pictureObserver(atMs);
    const point = vectorOf(place, observer);
    fc.pre(point.z > 0.01);
    const found = stonyhurstOf(surfacePoint(seenAt(point, observer), observer)!, observer);
    expect(found.latitude).toBeCloseTo(place.latitude, 6);
    expect(found.longitude).toBeCloseTo(place.longitude, 6);
  });
  fc.assert(property, RUNS);
});

it('coordinates on the Sun rotate forwards and back to the same place, at constant latitude', () => {
  const property = fc.property(places, times, days(400), (place, atMs, span) => {
    const there = rotation(atMs, atMs + span)(place);
    const back = rotation(atMs + span, atMs)(there);
    expect(there.latitude).toBe(place.latitude);
    const apart = Math.abs(back.longitude - place.longitude);
    expect(Math.min(apart, 360 - apart)).toBeLessThan(1e-6);
  });
  fc.assert(property, RUNS);
});

it('coordinates on the Sun project into the disk as seen from 1 au at any time', () => {
  const property = fc.property(onDisk, times, days(30), (seen, atMs, span) => {
    const { x, y } = eventPositionAt({ kind: 'helioprojective', ...seen, atMs }, atMs + span);
    expect(Math.hypot(x, y)).toBeLessThan(LIMB_ARCSEC + 0.01);
  });
  fc.assert(property, RUNS);
});

it('coordinates on the Sun move a viewport to another time and back to the same place', () => {
  const property = fc.property(onDisk, times, days(12), (centre, atMs, span) => {
    const { dx, dy } = viewportShift(centre, atMs, atMs + span);
    const moved = { x: centre.x + dx, y: centre.y + dy };
    // A viewport that stopped at the limb does not return.
    fc.pre(Math.hypot(moved.x, moved.y) < 955);
    const back = viewportShift(moved, atMs + span, atMs);
    expect(Math.hypot(dx + back.dx, dy + back.dy)).toBeLessThan(0.001);
  });
  fc.assert(property, RUNS);
});

it('coordinates on the Sun move a viewport continuously', () => {
  const property = fc.property(onDisk, times, days(25), (centre, atMs, span) => {
    const [now, later] = [0, 600_000].map((ms) => viewportShift(centre, atMs, atMs + span + ms)) as [
      ReturnType<typeof viewportShift>,
      ReturnType<typeof viewportShift>,
    ];
    // The rotation at disk centre is 1.6 arcseconds in ten minutes.
    expect(Math.hypot(now.dx - later.dx, now.dy - later.dy)).toBeLessThan(1.8);
  });
  fc.assert(property, RUNS);
});

it('coordinates on the Sun vertices of an outline stay inside the disk, and the outline vanishes only when all of them are hidden', () => {
  const outlines = fc.array(onDisk, { minLength: 3, maxLength: 20 });
  const property = fc.property(outlines, times, days(20), (vertices, atMs, span) => {
    const outline = vertices.map(({ x, y }) => [x, y] as const);
    const seen = outlineAt(outline, { kind: 'helioprojective', atMs }, atMs + span);
    const placed = vertices.map((vertex) => eventPositionAt({ kind: 'helioprojective', ...vertex, atMs }, atMs + span));
    const inFront = placed.filter(({ isVisible }) => isVisible);
    expect(seen === null).toBe(inFront.length === 0);
    for (const [x, y] of seen ?? []) expect(Math.hypot(x, y)).toBeLessThan(LIMB_ARCSEC + 0.01);
    for (const { x, y } of inFront) {
      expect(seen!.some(([u, v]) => Math.hypot(u - x, v - y) < 1e-6)).toBe(true);
    }
    if (inFront.length === placed.length) expect(seen).toHaveLength(outline.length);
  });
  fc.assert(property, RUNS);
});

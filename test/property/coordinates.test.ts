// Coordinates on the Sun: what is taken there comes back, whatever the place and the time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeAt } from '../../src/domain/coordinates/event-place.ts';
import { earthObserver, isInFront, pictureObserver, seenAt, surfacePoint } from '../../src/domain/coordinates/helioprojective.ts';
import { outlineAt } from '../../src/domain/coordinates/outline.ts';
import { rotation, stonyhurstOf, vectorOf } from '../../src/domain/coordinates/stonyhurst.ts';
import { viewportShift } from '../../src/domain/coordinates/viewport.ts';
import { DAY_MS } from '../../src/util/durations.ts';

const RUNS = { numRuns: 500, seed: 20261121 };
const LIMB_ARCSEC = 959.23;

const times = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2050, 0, 1) });
const days = (most: number) => fc.double({ min: -most, max: most, noNaN: true }).map((count) => Math.round(count * DAY_MS));
const places = fc.record({
  latitude: fc.double({ min: -89, max: 89, noNaN: true }),
  longitude: fc.double({ min: -179.9, max: 179.9, noNaN: true }),
});
/** On the disk as seen from anywhere on the Earth's orbit. */
const onDisk = fc
  .record({ radius: fc.double({ min: 0, max: 930, noNaN: true }), angle: fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }) })
  .map(({ radius, angle }) => ({ x: radius * Math.cos(angle), y: radius * Math.sin(angle) }));

describe('coordinates on the Sun', () => {
  it('seen in a direction lie in that direction', () => {
    const property = fc.property(onDisk, times, (seen, atMs) => {
      const observer = earthObserver(atMs);
      const point = surfacePoint(seen, observer)!;
      const place = stonyhurstOf(point, observer.b0Degrees);
      const again = vectorOf(place, observer.b0Degrees);
      expect(Math.hypot(again.x, again.y, again.z)).toBeCloseTo(1, 10);
      expect(isInFront(again, observer)).toBe(true);
      const back = seenAt(again, observer);
      expect(Math.hypot(back.x - seen.x, back.y - seen.y)).toBeLessThan(1e-5);
    });
    fc.assert(property, RUNS);
  });

  it('are found again from where they are seen, when they are in front', () => {
    const property = fc.property(places, times, (place, atMs) => {
      const observer = pictureObserver(atMs);
      const point = vectorOf(place, observer.b0Degrees);
      fc.pre(point.z > 0.01);
      const found = stonyhurstOf(surfacePoint(seenAt(point, observer), observer)!, observer.b0Degrees);
      expect(found.latitude).toBeCloseTo(place.latitude, 6);
      expect(found.longitude).toBeCloseTo(place.longitude, 6);
    });
    fc.assert(property, RUNS);
  });

  it('turned there and back are where they were, and never change their latitude', () => {
    const property = fc.property(places, times, days(400), (place, atMs, span) => {
      const there = rotation(atMs, atMs + span)(place);
      const back = rotation(atMs + span, atMs)(there);
      expect(there.latitude).toBe(place.latitude);
      const apart = Math.abs(back.longitude - place.longitude);
      expect(Math.min(apart, 360 - apart)).toBeLessThan(1e-6);
    });
    fc.assert(property, RUNS);
  });

  it('are on the disk of 1 au whenever they are on the Sun', () => {
    const property = fc.property(onDisk, times, days(30), (seen, atMs, span) => {
      const { x, y } = placeAt({ kind: 'helioprojective', ...seen, atMs }, atMs + span);
      expect(Math.hypot(x, y)).toBeLessThan(LIMB_ARCSEC + 0.01);
    });
    fc.assert(property, RUNS);
  });

  it('followed by a viewport to another time are followed back from there', () => {
    const property = fc.property(onDisk, times, days(12), (centre, atMs, span) => {
      const { dx, dy } = viewportShift(centre, atMs, atMs + span);
      const moved = { x: centre.x + dx, y: centre.y + dy };
      // Where it stopped at the limb, it cannot come back.
      fc.pre(Math.hypot(moved.x, moved.y) < 955);
      const back = viewportShift(moved, atMs + span, atMs);
      expect(Math.hypot(dx + back.dx, dy + back.dy)).toBeLessThan(0.001);
    });
    fc.assert(property, RUNS);
  });

  it('move a viewport without a jump', () => {
    const property = fc.property(onDisk, times, days(25), (centre, atMs, span) => {
      const [now, later] = [0, 600_000].map((ms) => viewportShift(centre, atMs, atMs + span + ms)) as [
        ReturnType<typeof viewportShift>,
        ReturnType<typeof viewportShift>,
      ];
      // Ten minutes are 1.6 arcseconds in the middle of the disk.
      expect(Math.hypot(now.dx - later.dx, now.dy - later.dy)).toBeLessThan(1.8);
    });
    fc.assert(property, RUNS);
  });

  it('of an outline on the disk stay on the disk, and it is gone only when all of them are', () => {
    const outlines = fc.array(onDisk, { minLength: 3, maxLength: 20 });
    const property = fc.property(outlines, times, days(20), (vertices, atMs, span) => {
      const outline = vertices.map(({ x, y }) => [x, y] as const);
      const seen = outlineAt(outline, atMs, atMs + span);
      const placed = vertices.map((vertex) => placeAt({ kind: 'helioprojective', ...vertex, atMs }, atMs + span));
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
});

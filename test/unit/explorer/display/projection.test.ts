// Projections against spherical trigonometry that is written here by itself: the law of cosines, bearings, and similar triangles.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observer } from '../../../../src/domain/coordinates/observer.ts';
import { limbRadius, positionOf } from '../../../../src/domain/coordinates/picture-plane.ts';
import { frameOf, mappingOf, PLANE, type Projection, shownSides, sidesOf, turned } from '../../../../src/picture/projection.ts';

const RADIANS = Math.PI / 180;
const AU_METRES = 149_597_870_700;
const RADIUS_METRES = 695_700_000;
const ARCSEC = RADIANS / 3600;
/** A solar radius in a plane at 1 au. */
const RADIUS = RADIUS_METRES / AU_METRES / ARCSEC;

const observer = (longitudeDegrees: number, b0Degrees: number, distanceRadii = 213): Observer => ({
  longitudeDegrees,
  b0Degrees,
  distanceRadii,
  l0Degrees: 0,
});

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Angular distance from one place to another, and the direction there from north to the west; radians. */
function wayTo(from: Place, to: Place): { readonly distance: number; readonly bearing: number } {
  const [a, b, away] = [from.latitude * RADIANS, to.latitude * RADIANS, (to.longitude - from.longitude) * RADIANS];
  const cosine = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(away);
  const bearing = Math.atan2(
    Math.sin(away) * Math.cos(b),
    Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(away),
  );
  return { distance: Math.acos(Math.min(1, Math.max(-1, cosine))), bearing };
}

/** Where an observer above a place sees another place, in the plane through the Sun's centre, y down; null behind the limb. */
function seen(centre: Place, place: Place, distanceRadii: number): { x: number; y: number } | null {
  const { distance, bearing } = wayTo(centre, place);
  const depth = distanceRadii - Math.cos(distance);
  if (Math.cos(distance) < 1 / distanceRadii) return null;
  const reach = (RADIUS * Math.sin(distance) * distanceRadii) / depth;
  return { x: reach * Math.sin(bearing), y: -reach * Math.cos(bearing) };
}

const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
const places = fc.record({ latitude: degrees(89.9), longitude: degrees(179.9) });
const observers = fc
  .record({ longitude: degrees(179), b0: degrees(30), distance: fc.double({ min: 60, max: 330, noNaN: true }) })
  .map(({ longitude, b0, distance }) => observer(longitude, b0, distance));
const projections: fc.Arbitrary<Projection> = fc.oneof(
  places.map((place) => ({ kind: 'sphere', ...place }) as const),
  fc.constantFrom<Projection>(PLANE, { kind: 'unwrapped' }, { kind: 'polar', pole: 'north' }, { kind: 'polar', pole: 'south' }),
);

const apart = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y);

describe('a projection', () => {
  it('leads back to the location it came from', () => {
    fc.assert(
      fc.property(projections, observers, places, (projection, from, place) => {
        const mapping = mappingOf(projection, from);
        const screen = mapping.screenOf(place);
        fc.pre(screen !== null);
        const back = mapping.locationAt(screen!);
        // The line of sight through the very limb may miss it by rounding.
        if (back) expect(wayTo(back, place).distance / RADIANS).toBeLessThan(0.01);
        else expect(apart(screen!, { x: 0, y: 0 })).toBeGreaterThan(0.999 * RADIUS);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leads back to the point of the picture it came from, beside the Sun too where it shows the corona', () => {
    const points = fc.record({ x: degrees(5_000), y: degrees(5_000) });
    fc.assert(
      fc.property(fc.constantFrom<Projection>(PLANE, { kind: 'unwrapped' }), observers, points, (projection, from, point) => {
        const mapping = mappingOf(projection, from);
        expect(apart(mapping.toPlane(mapping.ofPlane(point)!)!, point)).toBeLessThan(1e-6);
      }),
    );
    for (const kind of ['sphere', 'polar'] as const) {
      const projection: Projection = kind === 'sphere' ? { kind, latitude: 0, longitude: 40 } : { kind, pole: 'north' };
      expect(mappingOf(projection, observer(0, 5)).ofPlane({ x: 1_500, y: 0 })).toBeNull();
    }
  });

  it('shows a sphere as an observer above its centre sees it, within an arcsecond', () => {
    fc.assert(
      fc.property(places, observers, places, (centre, from, place) => {
        const expected = seen(centre, place, from.distanceRadii);
        const screen = mappingOf({ kind: 'sphere', ...centre }, from).screenOf(place);
        fc.pre(Math.abs(Math.cos(wayTo(centre, place).distance) - 1 / from.distanceRadii) > 1e-6);
        expect(screen === null).toBe(expected === null);
        if (screen && expected) expect(apart(screen, expected)).toBeLessThan(0.01);
      }),
      { numRuns: 2_000 },
    );
  });

  it('shows the plane where the sphere is turned to its observer', () => {
    const from = observer(87, -6, 205);
    const mapping = mappingOf({ kind: 'sphere', longitude: 87, latitude: -6 }, from);
    const place = { latitude: 30, longitude: 60 };
    expect(apart(mapping.screenOf(place)!, positionOf(place, from)!)).toBeLessThan(1e-9);
  });

  it('unwraps the limb to a straight line, with east at a quarter and south in the middle', () => {
    const from = observer(0, 0);
    const mapping = mappingOf({ kind: 'unwrapped' }, from);
    const limb = limbRadius(from);
    for (let degree = 1; degree < 360; degree += 7) {
      const [sine, cosine] = [Math.sin(degree * RADIANS), Math.cos(degree * RADIANS)];
      const screen = mapping.ofPlane({ x: -limb * sine, y: -limb * cosine })!;
      expect(screen.y).toBeCloseTo(-limb, 9);
      expect(screen.x).toBeCloseTo(RADIUS * RADIANS * (degree - 180), 6);
    }
    expect(mapping.toPlane({ x: 0, y: 10 })).toBeNull();
    expect(mapping.toPlane({ x: 3.2 * RADIUS, y: -900 })).toBeNull();
  });

  it('shows the distance from a pole along straight meridians, with the Earth below the north pole and above the south pole', () => {
    for (const [pole, latitude, down] of [
      ['north', 90, 1],
      ['south', -90, -1],
    ] as const) {
      const mapping = mappingOf({ kind: 'polar', pole }, observer(0, 0));
      const place = { latitude: 0.5 * latitude, longitude: 30 };
      const { distance } = wayTo({ latitude, longitude: 0 }, place);
      const expected = {
        x: RADIUS * distance * Math.sin(30 * RADIANS),
        y: down * RADIUS * distance * Math.cos(30 * RADIANS),
      };
      expect(apart(mapping.screenOf(place)!, expected)).toBeLessThan(1e-6);
      expect(mapping.screenOf({ latitude: -0.1 * latitude, longitude: 0 })).toBeNull();
    }
  });

  it('turns between frames of observers as their views do', () => {
    const from = observer(-40, 12);
    const place = { latitude: 22, longitude: -10 };
    const [b, l] = [place.latitude * RADIANS, place.longitude * RADIANS];
    const vector = [Math.cos(b) * Math.sin(l), Math.sin(b), Math.cos(b) * Math.cos(l)] as const;
    const [x, y, z] = frameOf(from).map((row) => row.x * vector[0] + row.y * vector[1] + row.z * vector[2]);
    const depth = 1 - z! / from.distanceRadii;
    const screen = positionOf(place, from)!;
    expect(apart(screen, { x: (RADIUS * x!) / depth, y: (-RADIUS * y!) / depth })).toBeLessThan(1e-6);
  });

  it('leaves room for its picture, and turns no further than a pole', () => {
    const picture = { left: -6_000, top: -5_000, right: 6_200, bottom: 5_000 };
    const of = (projection: Projection) => ({ projection, distanceRadii: 213 });
    expect(sidesOf(of(PLANE), picture)).toEqual(picture);
    expect(shownSides(of(PLANE), picture)).toEqual(picture);
    expect(sidesOf(of({ kind: 'unwrapped' }), picture)).toMatchObject({ top: -6_200, bottom: 0 });
    expect(shownSides(of({ kind: 'unwrapped' }), picture).top).toBeCloseTo(-Math.hypot(6_200, 5_000), 6);
    expect(turned({ kind: 'sphere', longitude: 170, latitude: 80 }, 20, 20)).toEqual({
      kind: 'sphere',
      longitude: -170,
      latitude: 90,
    });
  });
});

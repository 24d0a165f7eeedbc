// Projections against spherical trigonometry of its own: the law of cosines, bearings, and similar triangles.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Projection } from '../../../src/picture/projection.ts';
import { PLANE, parseProjection, printProjection, projectionAt, turned } from '../../../src/picture/projection.ts';
import { frameOf, viewpointOf } from '../../../src/picture/projections/mapping.ts';
import { mappingOf, PROJECTIONS, shownSides, sidesOf } from '../../../src/picture/projections/projections.ts';
import type { Observer } from '../../../src/sun/coordinates/observer.ts';
import { limbRadius, positionOf } from '../../../src/sun/coordinates/picture-plane.ts';
import { AU_METRES, RADIANS, RADIUS, RADIUS_METRES, seen, wayTo } from '../../support/imaging/seen.ts';

const observer = (longitudeDegrees: number, b0Degrees: number, distanceRadii = 213, l0Degrees = 0): Observer => ({
  longitudeDegrees,
  b0Degrees,
  distanceRadii,
  l0Degrees,
});
const seenBy = (longitude: number, latitude: number, distanceRadii: number): Projection => ({
  kind: 'observer',
  body: 'solo',
  from: { longitude, latitude, distanceAu: (distanceRadii * RADIUS_METRES) / AU_METRES },
});

const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
const places = fc.record({ latitude: degrees(89.9), longitude: degrees(179.9) });
const observers = fc
  .record({ longitude: degrees(179), b0: degrees(30), distance: fc.double({ min: 60, max: 330, noNaN: true }) })
  .map(({ longitude, b0, distance }) => observer(longitude, b0, distance, 3 * longitude));
const spheres = fc.record({
  latitude: degrees(89.9),
  longitude: degrees(179.9),
  distanceAu: fc.double({ min: 0.2, max: 9, noNaN: true }),
});
const OF_PICTURE: readonly Projection[] = [
  PLANE,
  { kind: 'unwrapped' },
  ...[1, 0.5, 0, -0.5].map((power) => ({ kind: 'radial', power }) as const),
];
const projections: fc.Arbitrary<Projection> = fc.oneof(
  places.map((place) => ({ kind: 'sphere', ...place }) as const),
  spheres.map((sphere) => ({ kind: 'sphere', ...sphere }) as const),
  spheres.map((from) => ({ kind: 'observer', body: 'mars', from }) as const),
  fc.constantFrom<Projection>(
    ...OF_PICTURE,
    { kind: 'polar', pole: 'north' },
    { kind: 'polar', pole: 'south' },
    { kind: 'carrington' },
    { kind: 'cea' },
  ),
);

const apart = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y);

it('a projection leads back to the location it came from', () => {
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

it('a projection leads back to the point of the picture it came from, beside the Sun too where it shows the corona', () => {
  const points = fc.record({ x: degrees(5_000), y: degrees(5_000) });
  fc.assert(
    fc.property(fc.constantFrom(...OF_PICTURE), observers, points, (projection, from, point) => {
      const mapping = mappingOf(projection, from);
      expect(apart(mapping.toPlane(mapping.ofPlane(point)!)!, point)).toBeLessThan(1e-6);
    }),
  );
  fc.assert(
    fc.property(spheres, observers, points, (at, from, point) => {
      const mapping = mappingOf({ kind: 'observer', body: 'mars', from: at }, from);
      fc.pre(Math.hypot(point.x, point.y) > 1.01 * RADIUS);
      const screen = mapping.ofPlane(point);
      fc.pre(screen !== null && Math.hypot(screen.x, screen.y) < 1e6);
      expect(apart(mapping.toPlane(screen!)!, point)).toBeLessThan(1e-3);
    }),
  );
  for (const text of ['sphere,40,0', 'polar,north', 'carrington', 'cea']) {
    expect(mappingOf(parseProjection(text), observer(0, 5)).ofPlane({ x: 1_500, y: 0 })).toBeNull();
  }
});

it('a projection shows a sphere as an observer above its centre sees it, within an arcsecond', () => {
  fc.assert(
    fc.property(places, observers, places, (centre, from, place) => {
      const screen = mappingOf({ kind: 'sphere', ...centre }, from).screenOf(place);
      const beforeLimb = Math.cos(wayTo(centre, place).distance) - 1 / from.distanceRadii;
      fc.pre(Math.abs(beforeLimb) > 1e-6);
      expect(screen === null).toBe(beforeLimb < 0);
      if (screen) expect(apart(screen, seen(centre, place, from.distanceRadii))).toBeLessThan(0.01);
    }),
    { numRuns: 2_000 },
  );
});

it('a projection leaves no gap at the limb of an image between its surface and what is beside it, as another observer sees them', () => {
  const { toPlane } = mappingOf(seenBy(40, 3, 190), observer(0, -5));
  let last = 0;
  for (let x = 0; x < 1.4; x += 0.001) {
    const seen = toPlane({ x: x * RADIUS, y: 0.1 * RADIUS })!;
    const now = Math.hypot(seen.x, seen.y) / RADIUS;
    if (x > 0.5) expect(now - last).toBeGreaterThan(-1e-4);
    if (x > 0) expect(Math.abs(now - last)).toBeLessThan(0.01);
    last = now;
  }
  expect(last).toBeGreaterThan(1.5);
});

it('a projection unwraps the limb to a straight line, with east at a quarter and south in the middle', () => {
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

it('a projection shows the distance from a pole along straight meridians, with the Earth below the north pole and above the south pole', () => {
  for (const [pole, latitude, down] of [
    ['north', 90, 1],
    ['south', -90, -1],
  ] as const) {
    const mapping = mappingOf({ kind: 'polar', pole }, observer(0, 0));
    const place = { latitude: 0.5 * latitude, longitude: 30 };
    const { distance } = wayTo({ latitude, longitude: 0 }, place);
    const expected = { x: RADIUS * distance * Math.sin(30 * RADIANS), y: down * RADIUS * distance * Math.cos(30 * RADIANS) };
    expect(apart(mapping.screenOf(place)!, expected)).toBeLessThan(1e-6);
    expect(mapping.screenOf({ latitude: -0.1 * latitude, longitude: 0 })).toBeNull();
  }
});

it('a projection agrees with numbers that other programs computed', () => {
  const radii = ({ x, y }: { x: number; y: number }) => [x / RADIUS, -y / RADIUS] as const;
  const place = { longitude: 30, latitude: 20 };
  const source = observer(0, -3);
  for (const projection of [
    seenBy(60, -5, 215),
    { ...parseProjection('sphere,60,-5'), distanceAu: 215 / (AU_METRES / RADIUS_METRES) },
  ]) {
    const mapping = mappingOf(projection as Projection, source);
    const [u, v] = radii(mapping.screenOf(place)!);
    expect(u).toBeCloseTo(-0.471559, 6);
    expect(v).toBeCloseTo(0.4131464, 6);
    // Apparent arcseconds at 213 radii.
    const apparent = AU_METRES / RADIUS_METRES / 213;
    const { x, y } = mapping.toPlane(mapping.screenOf(place)!)!;
    expect(apart({ x: x * apparent, y: y * apparent }, { x: 456.6936, y: -373.3887 })).toBeLessThan(1e-3);
  }
  const beside = mappingOf(seenBy(60, -5, 215), source).toPlane({ x: 1.5 * RADIUS, y: -0.4 * RADIUS })!;
  expect(radii(beside)[0]).toBeCloseTo(2.979759, 5);
  expect(radii(beside)[1]).toBeCloseTo(0.170821, 5);
  for (const [power, ...expected] of [
    [0, 0.227211, 0.476828, 0.750383],
    [0.5, 0.100458, 0.247538, 0.534892],
    [-0.5, 0.379528, 0.700343, 0.898549],
  ] as const) {
    const { ofPlane } = mappingOf({ kind: 'radial', power }, source);
    const reach = (r: number) => ofPlane({ x: r * RADIUS, y: 0 })!.x;
    for (const [i, r] of [1, 3, 10].entries()) expect(reach(r) / reach(30)).toBeCloseTo(expected[i]!, 6);
  }
  // Columns of a map of 3600, rows of 1800 and of 1440 pixels, whose first ones have their centre at 0.
  const carrington = observer(0, 0, 213, 250);
  const at = { longitude: 123.4 - 250, latitude: -56.7 };
  const degree = (RADIUS * Math.PI) / 180;
  const map = mappingOf({ kind: 'carrington' }, carrington).screenOf(at)!;
  expect(1799.5 + (10 * map.x) / degree + 1).toBeCloseTo(1234.5, 6);
  expect(899.5 - (10 * map.y) / degree + 1).toBeCloseTo(333.5, 6);
  const equal = mappingOf({ kind: 'cea' }, carrington).screenOf(at)!;
  expect(719.5 - (720 * equal.y) / RADIUS + 1).toBeCloseTo(118.7187, 3);
  const [right, up] = radii(mappingOf({ kind: 'polar', pole: 'north' }, source).screenOf({ longitude: 30, latitude: 60 })!);
  expect([right, -up].map((value) => value.toFixed(6))).toEqual(['0.261799', '0.453450']);
});

it('a projection shows nothing of another observer beside the Sun where its plane is seen from the side, or is behind the Sun', () => {
  expect(mappingOf(seenBy(85, 0, 215), observer(0, 0)).toPlane({ x: 1.5 * RADIUS, y: 0 })).toBeNull();
  const mapping = mappingOf(seenBy(60, 0, 215), observer(0, 0));
  // 1.5 radii to the west of the observer are in front of the Sun for one in the west, those to the east behind it.
  expect(mapping.ofPlane({ x: 1.5 * RADIUS, y: 0 })!.x / RADIUS).toBeCloseTo(0.755, 2);
  expect(mapping.ofPlane({ x: -1.5 * RADIUS, y: 0 })).toBeNull();
  expect(mappingOf(parseProjection('observer,solo'), observer(0, 0)).locationAt({ x: 5 * RADIUS, y: 0 })).toBeNull();
});

it('a projection shows an observer its own picture as it is', () => {
  const mapping = mappingOf(seenBy(20, 4, 213), observer(20, 4));
  for (const point of [
    { x: 300, y: 200 },
    { x: 2_000, y: -900 },
  ])
    expect(apart(mapping.ofPlane(point)!, point)).toBeLessThan(1e-6);
});

it('a projection turns between frames of observers as their views do', () => {
  const from = observer(-40, 12);
  const place = { latitude: 22, longitude: -10 };
  const [b, l] = [place.latitude * RADIANS, place.longitude * RADIANS];
  const vector = [Math.cos(b) * Math.sin(l), Math.sin(b), Math.cos(b) * Math.cos(l)] as const;
  const [x, y, z] = frameOf(viewpointOf(from)).map((row) => row.x * vector[0] + row.y * vector[1] + row.z * vector[2]);
  const depth = 1 - z! / from.distanceRadii;
  const screen = positionOf(place, from)!;
  expect(apart(screen, { x: (RADIUS * x!) / depth, y: (-RADIUS * y!) / depth })).toBeLessThan(1e-6);
});

it('a projection leaves room for its picture, and turns no further than a pole', () => {
  const picture = { left: -6_000, top: -5_000, right: 6_200, bottom: 5_000 };
  const of = (projection: Projection) => ({ projection, distanceRadii: 213 });
  expect(sidesOf(of(PLANE), picture)).toEqual(picture);
  expect(shownSides(of(PLANE), picture)).toEqual(picture);
  expect(sidesOf(of({ kind: 'unwrapped' }), picture)).toMatchObject({ top: -6_200, bottom: 0 });
  expect(shownSides(of({ kind: 'unwrapped' }), picture).top).toBeCloseTo(-Math.hypot(6_200, 5_000), 6);
  expect(sidesOf(of({ kind: 'radial', power: 0 }), picture).right / RADIUS).toBeCloseTo(1 + Math.log(6_200 / RADIUS), 9);
  const degree = (RADIUS * Math.PI) / 180;
  const map = sidesOf(of({ kind: 'carrington' }), picture);
  expect([map.left / degree, map.bottom / degree].map((side) => side.toFixed(6))).toEqual(['-180.000000', '90.000000']);
  expect(sidesOf(of({ kind: 'cea' }), picture).top / RADIUS).toBeCloseTo(-1, 9);
  expect(turned({ kind: 'sphere', longitude: 170, latitude: 80 }, 20, 20)).toEqual({
    kind: 'sphere',
    longitude: -170,
    latitude: 90,
  });
});

it('the notation of projections prints what it reads', () => {
  const numbers = (most: number) => fc.integer({ min: -most * 1e4, max: most * 1e4 }).map((value) => String(value / 1e4));
  const texts = fc.oneof(
    fc.constantFrom('unwrapped', 'polar,north', 'polar,south', 'carrington', 'cea', 'observer,stereo_a'),
    fc.integer({ min: -20_000, max: 10_000 }).map((power) => `radial,${power / 1e4}`),
    fc.tuple(numbers(179.9), numbers(90)).map((numbers) => `sphere,${numbers.join()}`),
    fc.tuple(numbers(179.9), numbers(90), fc.integer({ min: 100, max: 1e6 })).map(([l, b, d]) => `sphere,${l},${b},${d / 1e4}`),
    fc.tuple(numbers(179.9), numbers(90)).map(([l, b]) => `sphere,0,0;sphere,${l},${b}`),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(printProjection(parseProjection(text, true))).toBe(text);
    }),
  );
  expect(printProjection(PLANE)).toBeUndefined();
  expect(parseProjection(' Sphere, 300.00004 ,-5 ')).toEqual({ kind: 'sphere', longitude: -60, latitude: -5 });
});

it.each([
  ['sphere,20,100', 'Expected a latitude from -90 to 90 for projection, got 100.'],
  ['sphere,400,0', 'Expected a longitude from -360 to 360 for projection, got 400.'],
  ['sphere,20', 'Expected a latitude from -90 to 90 for projection, got an empty value.'],
  ['sphere,1,2,0', 'Expected a distance in au from 0.01 to 100 for projection, got 0.'],
  ['polar,east', 'Expected north or south after the comma for projection, got east.'],
  ['radial,2', 'Expected a power from -2 to 1 for projection, got 2.'],
  ['observer', 'Expected the name of an observer after the comma for projection, got an empty value.'],
  ['constructor', expect.stringMatching(/^Expected plane, sphere,20,-5, .* for projection, got constructor\.$/)],
  ['cea,1', expect.stringContaining('got cea,1.')],
  ['cea;cea', expect.stringContaining('two spheres')],
  ['sphere,0,0;sphere,1,1;sphere,2,2', expect.stringContaining('two spheres')],
])('the notation of projections refuses %s', (text, sentence) => {
  expect(() => parseProjection(text, true)).toThrow(
    expect.objectContaining({ kind: 'bad-parameter', parameter: 'projection', message: sentence }),
  );
});

it('the notation of projections appears in the description of its record', () => {
  for (const [kind, { description }] of Object.entries(PROJECTIONS)) {
    const notation = /^`([a-z]+[^`]*)`/.exec(description)![1]!;
    const example = notation
      .replace('<longitude>', '1')
      .replace('<latitude>', '2')
      .replace('<power>', '0')
      .replace('<name>', 'mars');
    expect(parseProjection(example).kind).toBe(kind);
  }
});

const turning = parseProjection('sphere,0,0;sphere,120,20,0.5', true);
const at = (part: number) => projectionAt(turning, part) as Extract<Projection, { kind: 'sphere' }>;

it('a sphere that turns goes along the great circle at a constant speed, and belongs to movies alone', () => {
  const whole = wayTo(at(0), at(1));
  expect(whole.distance / RADIANS).toBeCloseTo(Math.acos(Math.cos(120 * RADIANS) * Math.cos(20 * RADIANS)) / RADIANS, 6);
  for (const part of [0.25, 0.5, 0.9]) {
    const way = wayTo(at(0), at(part));
    expect(way.distance / whole.distance).toBeCloseTo(part, 6);
    expect(way.bearing).toBeCloseTo(whole.bearing, 6);
    expect(at(part).distanceAu).toBe(0.5);
  }
  expect(() => parseProjection('sphere,0,0;sphere,120,20')).toThrow('Expected');
  expect(projectionAt({ kind: 'cea' }, 0.5)).toEqual({ kind: 'cea' });
});

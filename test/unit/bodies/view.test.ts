import { expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { PLANETS, type Planet } from '../../../src/sun/bodies/bodies.ts';
import { type Orbit, planetOrbit, sohoOrbit } from '../../../src/sun/bodies/orbit.ts';
import { length, minus, type Vector } from '../../../src/sun/bodies/vector.ts';
import { type BodyView, viewOf } from '../../../src/sun/bodies/view.ts';
import { earthAt } from '../../../src/sun/coordinates/observer.ts';

const RAD = Math.PI / 180;
const earth = planetOrbit('earth');

function seen(planet: Planet, at: string | number, observer: Orbit = earth): BodyView {
  const view = viewOf({ body: planetOrbit(planet), observer }, typeof at === 'number' ? at : Date.parse(at));
  if (!view) throw new Error(`${planet} has no position.`);
  return view;
}

/** An orbit that rests at one place. */
function fixed(position: Vector): Orbit {
  return { positionAt: () => position, maxSpeed: 0, firstMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY };
}

it('a planet in the sky agrees with the reference for Venus on 2024-06-04 from 0.99 of the line to the Earth', () => {
  const venus = seen('venus', '2024-06-04T12:00:00Z', sohoOrbit());
  expect(venus.x).toBeCloseTo(174.07, 1);
  expect(venus.y).toBeCloseTo(-214.85, 1);
  expect(venus.distanceAu).toBeCloseTo(1.725133, 6);
  expect(venus.observerAu).toBeCloseTo(1.004413, 6);
  expect(venus.bodyAu).toBeCloseTo(0.720722, 6);
  expect(venus.isBehind).toBe(true);
});

it.each<[string, Planet, string, number, number]>([
  ['Venus in 2012', 'venus', '2012-06-06T01:29:36Z', 554.4, 1],
  ['Mercury in 2016', 'mercury', '2016-05-09T14:57:26Z', 318.5, 5],
  ['Mercury in 2019', 'mercury', '2019-11-11T15:19:48Z', 75.9, 5],
])('a planet in the sky reaches the least distance of the transit of %s', (_name, planet, at, arcseconds, accuracy) => {
  const distance = (ms: number) => seen(planet, ms).elongationDegrees * 3600;
  const greatest = Date.parse(at);
  expect(Math.abs(distance(greatest) - arcseconds)).toBeLessThan(accuracy);
  expect(distance(greatest)).toBeLessThan(distance(greatest - 20 * MINUTE_MS));
  expect(distance(greatest)).toBeLessThan(distance(greatest + 20 * MINUTE_MS));
  expect(seen(planet, greatest).isBehind).toBe(false);
});

it.each<[Planet, string, number]>([
  ['mercury', '2024-03-24T22:00:00Z', -18.7],
  ['mercury', '2024-09-05T03:00:00Z', 18.1],
  ['venus', '2023-10-23T23:00:00Z', 46.4],
])('a planet in the sky reaches the published greatest elongation: %s on %s, %f degrees west', (planet, at, degrees) => {
  const { x, elongationDegrees } = seen(planet, at);
  expect(Math.abs(elongationDegrees - Math.abs(degrees))).toBeLessThan(0.06);
  expect(Math.sign(x)).toBe(Math.sign(degrees));
});

it.each<[string, Planet, string, boolean, 'north' | 'south' | null, number]>([
  ['Venus at superior conjunction', 'venus', '2024-06-04T16:00:00Z', true, null, 0.1],
  ['Mars at conjunction', 'mars', '2023-11-18T06:00:00Z', true, null, 0.2],
  ['Mercury at superior conjunction', 'mercury', '2024-06-14T17:00:00Z', true, null, 1.1],
  ['Venus at inferior conjunction', 'venus', '2023-08-13T11:00:00Z', false, 'south', 7.9],
  ['Venus at inferior conjunction', 'venus', '2025-03-23T01:00:00Z', false, 'north', 8.6],
])('a planet in the sky puts %s (%s, %s) on its side of the Sun', (_name, planet, at, isBehind, side, degrees) => {
  const view = seen(planet, at);
  expect(view.isBehind).toBe(isBehind);
  expect(view.elongationDegrees).toBeLessThan(degrees);
  if (side) expect(view.y > 0 ? 'north' : 'south').toBe(side);
});

it('a planet in the sky fulfils the law of cosines in the triangle of Sun, observer and body', () => {
  const soho = sohoOrbit();
  for (const planet of PLANETS.filter((name) => name !== 'earth')) {
    for (let i = 0; i < 40; i++) {
      const { x, y, elongationDegrees, distanceAu: d, observerAu: o, bodyAu: b } = seen(planet, i * 373.7 * DAY_MS, soho);
      const cosine = Math.cos((x / 3600) * RAD) * Math.cos((y / 3600) * RAD);
      expect(cosine).toBeCloseTo(Math.cos(elongationDegrees * RAD), 10);
      expect(b ** 2).toBeCloseTo(o ** 2 + d ** 2 - 2 * o * d * cosine, 8);
    }
  }
});

it('a planet in the sky agrees with Meeus on the distance of the Earth', () => {
  for (let at = Date.UTC(1995, 0, 1); at < Date.UTC(2030, 0, 1); at += 97 * DAY_MS) {
    expect(Math.abs(seen('venus', at).observerAu - earthAt(at).distanceAu)).toBeLessThan(2e-5);
  }
});

it('a planet in the sky never moves faster than the bound of its orbit', () => {
  for (const planet of PLANETS) {
    const orbit = planetOrbit(planet);
    const positions = Array.from({ length: 200 }, (_, i) => {
      const at = Date.UTC(1960, 0, 1) + i * 101.3 * DAY_MS;
      return [orbit.positionAt(at)!, orbit.positionAt(at + DAY_MS / 4)!] as const;
    });
    const fastest = Math.max(...positions.map(([a, b]) => length(minus(b, a)) * 4));
    expect(fastest).toBeLessThan(orbit.maxSpeed);
    expect(fastest).toBeGreaterThan(orbit.maxSpeed * 0.8);
  }
});

const at = Date.UTC(2024, 8, 8);
const [sin, cos] = [Math.sin, Math.cos];
const pole: Vector = [cos(63.87 * RAD) * cos(286.13 * RAD), cos(63.87 * RAD) * sin(286.13 * RAD), sin(63.87 * RAD)];

it('the axes of the sky point to the solar north pole, which is in front while B0 is positive', () => {
  const above: Vector = [pole[0] / 10, pole[1] / 10, pole[2] / 10];
  const view = viewOf({ body: fixed(above), observer: earth }, at)!;
  expect(Math.abs(view.x)).toBeLessThan(1e-6);
  expect(view.y).toBeGreaterThan(0);
  expect(view.isBehind).toBe(false);
  expect(earthAt(at).b0Degrees).toBeGreaterThan(7);
  // Height above the disk centre: the pole leans towards the Earth by B0.
  const b0 = earthAt(at).b0Degrees * RAD;
  const expected = Math.atan2(0.1 * cos(b0), view.observerAu - 0.1 * sin(b0)) / RAD;
  expect(view.y / 3600).toBeCloseTo(expected, 3);
});

it('the axes of the sky point west in the direction of solar rotation', () => {
  const towards = earth.positionAt(at)!;
  const ahead: Vector = [
    pole[1] * towards[2] - pole[2] * towards[1],
    pole[2] * towards[0] - pole[0] * towards[2],
    pole[0] * towards[1] - pole[1] * towards[0],
  ];
  const view = viewOf({ body: fixed([ahead[0] / 10, ahead[1] / 10, ahead[2] / 10]), observer: earth }, at)!;
  expect(view.x).toBeGreaterThan(18_000);
  expect(Math.abs(view.y)).toBeLessThan(1e-6);
});

it('the axes of the sky show a moving body where it was when its light left it, and do not exist beyond its orbit', () => {
  const moving: Orbit = { ...fixed([0, 0, 0]), positionAt: (ms) => [2 + (ms - at) / DAY_MS, 0, 0], maxSpeed: 1 };
  const { distanceAu } = viewOf({ body: moving, observer: fixed([1, 0, 0]) }, at)!;
  expect(distanceAu).toBeCloseTo(1 / (1 + 1 / 173.1446), 4);
  const gone: Orbit = { ...earth, positionAt: () => null };
  expect(viewOf({ body: gone, observer: earth }, at)).toBeNull();
  expect(viewOf({ body: earth, observer: gone }, at)).toBeNull();
});

import { Body, HelioVector, MakeTime } from 'astronomy-engine';
import type { Planet } from './bodies.ts';
import { scaled, type Vector } from './vector.ts';

export interface Orbit {
  /** Position from the Sun's centre, au, on the mean equator and equinox of J2000; null at times that the orbit does not cover. */
  positionAt(atMs: number): Vector | null;
  /** Speed about the Sun in kilometres per second; null at times that the orbit does not cover. Planets have none. */
  speedAt?(atMs: number): number | null;
  /** Upper bound of the speed, astronomical units per day. */
  readonly maxSpeed: number;
  /** Inclusive times at which the body can be seen: its light left it, at a time that the orbit covers. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The planet of astronomy-engine, and its speed at perihelion, rounded up, au per day. */
const THEORY: Readonly<Record<Planet, readonly [Body, maxSpeed: number]>> = {
  mercury: [Body.Mercury, 0.0342],
  venus: [Body.Venus, 0.0205],
  earth: [Body.Earth, 0.0177],
  mars: [Body.Mars, 0.0154],
  jupiter: [Body.Jupiter, 0.008],
  saturn: [Body.Saturn, 0.006],
  uranus: [Body.Uranus, 0.0043],
  neptune: [Body.Neptune, 0.0033],
};

/** A planet by the truncated VSOP87 of astronomy-engine: within an arcminute; Venus and Mercury in published transits within 4 arcseconds. */
export function planetOrbit(planet: Planet): Orbit {
  const [body, maxSpeed] = THEORY[planet];
  return {
    positionAt: (atMs) => {
      const { x, y, z } = HelioVector(body, MakeTime(new Date(atMs)));
      return [x, y, z];
    },
    maxSpeed,
    firstMs: Number.NEGATIVE_INFINITY,
    lastMs: Number.POSITIVE_INFINITY,
  };
}

/** Mean distance of SOHO from the Sun over the Earth's; the original service puts it there since 2020. */
const SOHO_FRACTION = 0.99;

/** SOHO from its table, beyond it at 0.99 of the line to the Earth: up to 0.0045 au off, so planets by 900 arcseconds (Venus 2600). */
export function sohoOrbit(table?: Orbit): Orbit {
  const earth = planetOrbit('earth');
  return {
    ...earth,
    positionAt: (atMs) => table?.positionAt(atMs) ?? scaled(earth.positionAt(atMs)!, SOHO_FRACTION),
    maxSpeed: Math.max(table?.maxSpeed ?? 0, earth.maxSpeed),
  };
}

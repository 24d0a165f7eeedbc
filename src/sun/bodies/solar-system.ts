import { BODY_TIMES, TRAJECTORY } from '../../platform/limits/bodies.ts';
import type { Viewpoint } from '../coordinates/sphere.ts';
import { PLANETS, PROBES, type Probe, SPACECRAFT_FACTS, type Spacecraft } from './bodies.ts';
import { type Conjunction, conjunctionAt, trajectory } from './conjunctions.ts';
import { type Orbit, planetOrbit, sohoOrbit } from './orbit.ts';
import { heliographic, type LineOfSight } from './view.ts';

/** Observers of the web client, in its order; those with a table only are left out without one. */
const CLIENT_OBSERVERS = ['soho', 'stereo_a', 'stereo_b'] as const;
export const OBSERVERS = [...CLIENT_OBSERVERS, 'earth'] as const;
export type ObserverName = (typeof OBSERVERS)[number];

interface KnownTrajectory extends Conjunction {
  readonly points: ReturnType<typeof trajectory>;
}

/** Step between the points of a trajectory, which the web client takes from `mods`, and to be a day for planets. */
function cadenceOf(body: string): number {
  const probe = PROBES.find((name) => name === body);
  return probe ? SPACECRAFT_FACTS[probe].cadenceMs : TRAJECTORY.planetCadenceMs;
}

export type SolarSystem = ReturnType<typeof solarSystemOf>;

export function solarSystemOf(tables: ReadonlyMap<Spacecraft, Orbit> = new Map()) {
  const soho = sohoOrbit(tables.get('soho'));
  const orbits = new Map<string, Orbit>([...PLANETS.map((planet) => [planet, planetOrbit(planet)] as const), ...tables]);
  const probes: readonly Probe[] = PROBES.filter((probe) => tables.has(probe));
  /** The last trajectory of each pair of observer and body: at most 48, of `TRAJECTORY.points` points, about 40 kB for all planets. */
  const trajectories = new Map<string, KnownTrajectory>();

  /** Names of the bodies that an observer can see. SOHO is so close to the Earth that neither has the other as a body. */
  function bodiesOf(observer: ObserverName): readonly string[] {
    const isNearEarth = observer === 'soho' || observer === 'earth';
    const planets = PLANETS.filter((planet) => planet !== 'earth' || !isNearEarth);
    return [...planets, ...probes.filter((probe) => probe !== observer)];
  }

  /** A body and an observer by their names; null for unknown ones, and for a body that the observer cannot see. */
  function lineOfSight(observer: string, body: string): LineOfSight | null {
    const known = OBSERVERS.find((name) => name === observer);
    if (!known || !bodiesOf(known).includes(body)) return null;
    const [from, of] = [known === 'soho' ? soho : orbits.get(known), orbits.get(body)];
    return from && of ? { observer: from, body: of } : null;
  }

  return {
    ...{ probes, bodiesOf, lineOfSight },

    /** The observers that the web client shows. The Earth is not one of them, because its view is that of SOHO within one percent. */
    observers: CLIENT_OBSERVERS.filter((observer) => observer === 'soho' || tables.has(observer)) as readonly ObserverName[],

    /** Names of all from whose places the Sun may be seen: planets, and spacecraft that tables give. */
    viewpoints: [...orbits.keys()] as readonly string[],

    /** The geometric position of a planet or spacecraft; null for an unknown one, and at times that its orbit does not cover. */
    viewpointOf(body: string, atMs: number): Required<Viewpoint> | null {
      const [position, earth] = [body, 'earth'].map((name) => orbits.get(name)?.positionAt(atMs));
      return position && earth ? heliographic(position, earth) : null;
    },

    /** Views of a body along its conjunction at a time; none when the observer does not have it in view. @param atMs A whole second */
    trajectoryAt(observer: string, body: string, atMs: number): KnownTrajectory['points'] {
      const pair = `${observer}-${body}`;
      const known = trajectories.get(pair);
      if (known && known.startMs <= atMs && atMs <= known.endMs) return known.points;
      const line = lineOfSight(observer, body);
      const conjunction = line && conjunctionAt(line, atMs, BODY_TIMES);
      if (!conjunction) return [];
      const points = trajectory(line, conjunction, { cadenceMs: cadenceOf(body), maxPoints: TRAJECTORY.points });
      trajectories.set(pair, { ...conjunction, points });
      return points;
    },
  };
}

import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';

export const SPACECRAFT = ['soho', 'psp', 'solo', 'stereo_a', 'stereo_b'] as const;
export type Spacecraft = (typeof SPACECRAFT)[number];

/** Spacecraft that are seen as bodies, in the order of the web client's list. SOHO is an observer only. */
export const PROBES = ['psp', 'solo', 'stereo_a', 'stereo_b'] as const;
export type Probe = (typeof PROBES)[number];

interface SpacecraftFacts {
  readonly name: string;
  readonly naifId: number;
  /** Distances from the Sun during its mission, rounded outwards, au. A table with others is of another body or centre. */
  readonly distanceAu: readonly [min: number, max: number];
  readonly url: string;
  readonly cadenceMs: number;
}

export const SPACECRAFT_FACTS: Readonly<Record<Spacecraft, SpacecraftFacts>> = {
  soho: {
    name: 'SOHO',
    naifId: -21,
    distanceAu: [0.95, 1.03],
    url: 'https://soho.nascom.nasa.gov/',
    cadenceMs: DAY_MS,
  },
  psp: {
    name: 'Parker Solar Probe',
    naifId: -96,
    distanceAu: [0.04, 1.05],
    url: 'https://science.nasa.gov/mission/parker-solar-probe/',
    cadenceMs: 6 * HOUR_MS,
  },
  solo: {
    name: 'Solar Orbiter',
    naifId: -144,
    distanceAu: [0.25, 1.1],
    url: 'https://www.esa.int/Science_Exploration/Space_Science/Solar_Orbiter',
    cadenceMs: 6 * HOUR_MS,
  },
  stereo_a: {
    name: 'STEREO-A',
    naifId: -234,
    distanceAu: [0.93, 1.05],
    url: 'https://science.nasa.gov/mission/stereo/',
    cadenceMs: DAY_MS,
  },
  stereo_b: {
    name: 'STEREO-B',
    naifId: -235,
    distanceAu: [0.95, 1.12],
    url: 'https://science.nasa.gov/mission/stereo/',
    cadenceMs: DAY_MS,
  },
};

export const PLANETS = ['mercury', 'venus', 'earth', 'mars', 'jupiter', 'saturn', 'uranus', 'neptune'] as const;
export type Planet = (typeof PLANETS)[number];

export const BODIES_NEAR_SUN: readonly string[] = [...PLANETS, ...PROBES];

export function bodyName(body: string): string {
  const spacecraft = SPACECRAFT.find((name) => name === body);
  return spacecraft ? SPACECRAFT_FACTS[spacecraft].name : body.replace(/^./, (letter) => letter.toUpperCase());
}

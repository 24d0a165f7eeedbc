// The bodies that an observer may see near the Sun, and their names.
import { PROBES, SPACECRAFT, SPACECRAFT_FACTS } from './spacecraft.ts';

export const PLANETS = ['mercury', 'venus', 'earth', 'mars', 'jupiter', 'saturn', 'uranus', 'neptune'] as const;
export type Planet = (typeof PLANETS)[number];

export const BODIES_NEAR_SUN: readonly string[] = [...PLANETS, ...PROBES];

/** The name of a body for people, as `Parker Solar Probe`. */
export function bodyName(body: string): string {
  const spacecraft = SPACECRAFT.find((name) => name === body);
  return spacecraft ? SPACECRAFT_FACTS[spacecraft].name : body.replace(/^./, (letter) => letter.toUpperCase());
}

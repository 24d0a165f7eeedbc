import { PROBES, SPACECRAFT, SPACECRAFT_FACTS } from './spacecraft.ts';

export const PLANETS = ['mercury', 'venus', 'earth', 'mars', 'jupiter', 'saturn', 'uranus', 'neptune'] as const;
export type Planet = (typeof PLANETS)[number];

export const BODIES_NEAR_SUN: readonly string[] = [...PLANETS, ...PROBES];

export function bodyName(body: string): string {
  const spacecraft = SPACECRAFT.find((name) => name === body);
  return spacecraft ? SPACECRAFT_FACTS[spacecraft].name : body.replace(/^./, (letter) => letter.toUpperCase());
}

// A case as the random numbers that it draws: those of a seed, some of which are replaced. What is near to a case that ran new code is
// tried by replacing a few more of its numbers.
import { randomNumbers } from '../support/imaging/rasters.ts';

/** Values of a draw, which are this many parts of 1. */
const PARTS = 2 ** 32;
const MOST_CHANGES = 4;

export interface Draws {
  readonly seed: number;
  /** Numbers from 0 to 2^32 - 1 by their places. */
  readonly replaced: ReadonlyMap<number, number>;
}

export const drawsOfSeed = (seed: number): Draws => ({ seed, replaced: new Map() });

/** Draws of a seed whose first number falls into this of `parts` equal parts of 0 to 1. */
export const drawsInPart = (seed: number, part: number, parts: number): Draws => ({
  seed,
  replaced: new Map([[0, Math.floor(((part + 0.5) / parts) * PARTS)]]),
});

/** The part of 0 to 1 into which the first number of draws falls. */
export const partOfDraws = (draws: Draws, parts: number): number => Math.floor(numbersOf(draws).random() * parts);

/** `12`, or `12,3=4000000000,7=1` with replaced draws. */
export function drawsText({ seed, replaced }: Draws): string {
  return [seed, ...[...replaced].map(([place, value]) => `${place}=${value}`)].join(',');
}

/** @throws Error for text of another form */
export function parseDraws(text: string): Draws {
  if (!/^\d+(?:,\d+=\d+)*$/.test(text)) throw new Error(`Expected draws such as 12,3=4000000000 for --case, got ${text}.`);
  const [seed, ...pairs] = text.split(',');
  return { seed: Number(seed), replaced: new Map(pairs.map((pair) => pair.split('=').map(Number) as [number, number])) };
}

/** The numbers of a case, and how many it has drawn. */
export function numbersOf({ seed, replaced }: Draws): { readonly random: () => number; readonly count: () => number } {
  const original = randomNumbers(seed);
  let drawn = 0;
  const random = () => {
    const value = original();
    const other = replaced.get(drawn++);
    return other === undefined ? value : other / PARTS;
  };
  return { random, count: () => drawn };
}

/** Draws near to these, of which a case has drawn `count`. */
export function near({ seed, replaced }: Draws, count: number, random: () => number): Draws {
  const changed = new Map(replaced);
  for (let left = 1 + Math.floor(random() * MOST_CHANGES); left > 0; left -= 1) {
    changed.set(Math.floor(random() * count), Math.floor(random() * PARTS));
  }
  return { seed, replaced: changed };
}

// Runs every fuzz target for a fifth of a second with a fixed seed, and the inputs of the corpus; `npm run fuzz` runs for longer.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawsOfSeed, drawsText, near, numbersOf, parseDraws } from './draws.ts';
import { type FuzzCase, fuzz } from './fuzzer.ts';
import { FUZZ_REPLAYS, FUZZ_TARGETS } from './targets.ts';

const SECONDS = 0.2;
const SEED = 1;
const CORPUS = join(import.meta.dirname, 'corpus');

const inSeconds = (seconds: number) => performance.now() + seconds * 1000;

it.for(Object.entries(FUZZ_TARGETS))('fuzzing finds nothing in the target %s in a fifth of a second', async ([, target]) => {
  const { cases, findings } = await fuzz(await target(), { first: drawsOfSeed(SEED), until: inSeconds(SECONDS) });
  expect(findings).toEqual([]);
  expect(cases).toBeGreaterThan(0);
});

it('fuzzing reports a case that throws with the draws that repeat it', async () => {
  const failing = (random: () => number) => {
    if (random() > 0) throw new Error('broken');
  };
  const { findings } = await fuzz(failing, { first: drawsOfSeed(41), until: inSeconds(0) });
  expect(findings).toEqual([{ draws: '41', message: expect.stringContaining('broken') }]);
});

it('fuzzing visits every part of a target in a shuffled order before any again, by draws that repeat the case', async () => {
  const seen: number[] = [];
  const texts: string[] = [];
  // Findings end the run.
  const runCase = (random: () => number) => {
    seen.push(Math.floor(random() * 7));
    if (seen.length > 21) throw new Error('enough');
  };
  const onCase = (text: string) => void texts.push(text);
  const options = { first: drawsOfSeed(5), onCase };
  await fuzz(Object.assign(runCase, { parts: 7 }), options);
  for (const round of [0, 7, 14]) expect(new Set(seen.slice(round, round + 7)).size).toBe(7);
  expect(seen.slice(0, 7)).not.toEqual(seen.slice(7, 14));
  expect(texts.map((text) => Math.floor(numbersOf(parseDraws(text)).random() * 7))).toEqual(seen);
});

it('fuzzing that has no time left ends after one case, or one in each part of a target', async () => {
  const casesOf = async (runCase: FuzzCase) => (await fuzz(runCase, { first: drawsOfSeed(5), until: inSeconds(0) })).cases;
  expect(await casesOf(() => undefined)).toBe(1);
  expect(await casesOf(Object.assign(() => undefined, { parts: 7 }))).toBe(7);
});

it('fuzzing draws the numbers of a case again from its text', () => {
  const { random, count } = numbersOf(drawsOfSeed(7));
  const drawn = Array.from({ length: 50 }, random);
  const other = near(drawsOfSeed(7), count(), random);
  const repeated = numbersOf(parseDraws(drawsText(other))).random;
  const again = Array.from({ length: 50 }, repeated);
  expect(again).toEqual(Array.from({ length: 50 }, numbersOf(other).random));
  const changed = again.filter((value, i) => value !== drawn[i]).length;
  expect([changed, other.replaced.size]).toEqual([other.replaced.size, changed]);
  expect(changed).toBeGreaterThan(0);
  expect(() => parseDraws('7,x')).toThrow('Expected draws such as 12,3=4000000000 for --case, got 7,x.');
});

it.for(Object.entries(FUZZ_REPLAYS))('the corpus causes no finding in the target %s', async ([name, replayOf]) => {
  const replay = await replayOf();
  const files = readdirSync(join(CORPUS, name));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    try {
      await replay(new Uint8Array(readFileSync(join(CORPUS, name, file))));
    } catch (error) {
      throw new Error(`corpus/${name}/${file}: ${(error as Error).message}`, { cause: error });
    }
  }
});

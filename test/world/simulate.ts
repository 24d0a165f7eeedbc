// npm run simulate -- [--seed N] [--histories N] [--minutes N] [--planted NAME]: runs histories of the whole service from a seed on. One that
// breaks a statement is made as short as it can be and written as a test to test/world/stories. `--planted all` counts the histories until each planted fault is found.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../src/cli/command.ts';
import type { Action } from './clients/actions.ts';
import { digest, mutated, plan, replay } from './history.ts';
import { NONE, PLANTED } from './planted.ts';
import { shrunk, story } from './shrink.ts';
import { STATEMENTS } from './statements.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '0' },
    planted: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});
/** The table of points so far: who, which failure, at which call. */
const POINTS = join(projectRoot, 'build', 'world-points.txt');
const out = (line: string) => void process.stdout.write(`${line}\n`);
const [first, histories, minutes] = [Number(values.seed), Number(values.histories), Number(values.minutes)];
if (values.planted === 'all') await findPlanted();
const planted = values.planted === undefined ? NONE : PLANTED[values.planted];
if (!planted)
  throw new Error(`Expected a fault for --planted, got ${values.planted}. There are: ${Object.keys(PLANTED).join(', ')}.`);

/** Prints the number of histories until each planted fault is found, and ends. */
async function findPlanted(): Promise<never> {
  for (const [name, each] of Object.entries(PLANTED)) {
    let [ran, statement] = [0, ''];
    for (; ran < histories && statement === ''; ran += 1)
      statement = (await replay({ seed: first + ran, planted: each })).broken?.statement ?? '';
    out(`| ${name} | ${statement === '' ? `not in ${ran}` : ran} | ${statement} |`);
  }
  process.exit();
}

const startMs = Date.now();
const counts = new Map<string, number>();
const faults = new Map<string, number>();
const points = new Set(existsSync(POINTS) ? readFileSync(POINTS, 'utf8').split('\n') : []);
const known = points.size;
/** Actions of histories that reached a new point, of which half of the histories have a part. */
const fruitful: Action[][] = [];
let [ran, steps, found] = [0, 0, 0];
const add = (to: Map<string, number>, from: ReadonlyMap<string, number>) => {
  for (const [name, count] of from) to.set(name, (to.get(name) ?? 0) + count);
};
const isOver = () => (minutes > 0 ? Date.now() - startMs > 60_000 * minutes : ran >= histories);

for (let seed = first; !isOver(); seed += 1) {
  const parent = seed % 2 === 0 ? fruitful[seed % fruitful.length] : undefined;
  const actions = parent ? mutated(parent, seed) : plan(seed);
  const outcome = await replay({ seed, actions, planted });
  ran += 1;
  steps += outcome.steps;
  add(counts, outcome.counts);
  add(faults, outcome.happened);
  const before = points.size;
  for (const point of outcome.points) points.add(point);
  if (points.size > before) fruitful.push(actions);
  if (values.trace) out(`${outcome.trace.join('\n')}\n${digest(outcome.trace)}`);
  if (!outcome.broken) continue;
  found += 1;
  out(`seed ${seed}, history ${ran}: ${outcome.broken.message}`);
  const { given, broken } = await shrunk({ seed, actions, planted }, outcome.broken);
  const text = story(given, broken);
  out(text);
  if (planted !== NONE) break;
  const file = join(import.meta.dirname, 'stories', `seed-${seed}.test.ts`);
  writeFileSync(file, text);
  out(`written to ${file}`);
}

const seconds = (Date.now() - startMs) / 1000;
out(
  `${ran} histories, ${found} with a broken statement, ${Math.round(steps / ran)} steps each, ${(ran / seconds).toFixed(1)} a second`,
);
for (const [name, sentence] of Object.entries(STATEMENTS)) out(`${String(counts.get(name) ?? 0).padStart(9)} ${sentence}`);
out(
  `faults: ${[...faults]
    .sort()
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')}`,
);
mkdirSync(dirname(POINTS), { recursive: true });
writeFileSync(POINTS, [...points].sort().join('\n'));
out(`points of failure: ${points.size} in build/world-points.txt, ${points.size - known} of them new`);
process.exitCode = found > 0 ? 1 : 0;

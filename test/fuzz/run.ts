// `npm run fuzz -- [TARGET] [--seconds N] [--seed S] [--case DRAWS] [--keep DIR]`: fuzzes one target, or all but those that run alone one
// after the other on each core, for N seconds in all (FUZZ_SECONDS, 60). A run fails with findings, and when its time was too short to
// visit all fields of a target that has some. It prints the seed, and the draws of a finding, with which `--case` repeats it.
// `--keep` writes the inputs that ran new code to DIR. Cases run on threads, so that one that hangs is detected.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { buildStaleArtefacts } from '../../src/cli/build/artefacts.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/platform/util/durations.ts';
import { parseDraws } from './draws.ts';
import type { fuzz as Fuzz, FuzzTarget, KeptCase } from './fuzzer.ts';

/** Time after which a case counts as hanging. */
const HANG_MS = MINUTE_MS;
const DEFAULT_SECONDS = '60';
/** Largest input that is kept. */
const KEPT_BYTES = 2_000;

interface Job {
  /** Names of targets, one after the other. */
  readonly targets: readonly string[];
  /** Text of the first case. */
  readonly draws: string;
  /** Seconds of all targets, with the making of the valid inputs; 0: one case each. */
  readonly seconds: number;
  /** Whether it repeats a case. */
  readonly isRepeated: boolean;
  /** Folder for inputs that ran new code; null: they are not kept. */
  readonly keep: string | null;
}

type Result = Omit<Awaited<ReturnType<typeof Fuzz>>, 'kept'> & {
  /** Blocks of code; null where they are not counted. */
  readonly blocks: number | null;
};
type Message = { readonly target: string } & ({ readonly draws: string } | { readonly result: Result });

async function runOnThread({ targets, draws, seconds, isRepeated, keep }: Job): Promise<void> {
  const end = performance.now() + seconds * SECOND_MS;
  const [{ FUZZ_TARGETS }, { fuzz }, { Coverage }] = await Promise.all([
    import('./targets.ts'),
    import('./fuzzer.ts'),
    import('./coverage.ts'),
  ]);
  const send = (message: Message): void => parentPort?.postMessage(message);
  for (const [i, target] of targets.entries()) {
    const share = (end - performance.now()) / (targets.length - i);
    const until = performance.now() + share;
    const runCase = await (FUZZ_TARGETS[target] as FuzzTarget)();
    // The parts of a target are run whatever code they run, and to count that code takes as long as they do.
    const coverage = runCase.parts === undefined ? new Coverage() : null;
    const onCase = (text: string) => send({ target, draws: text });
    const options = { first: parseDraws(draws), until, coverage, onCase, ...(isRepeated ? { cases: 1 } : {}) };
    const { kept, ...result } = await fuzz(runCase, options);
    send({ target, result: { ...result, blocks: coverage?.size ?? null } });
    coverage?.close();
    if (keep !== null) keepInputs(join(keep, target), kept);
  }
}

function keepInputs(folder: string, kept: readonly KeptCase[]): void {
  const inputs = kept.flatMap(({ input }) => (input && input.length <= KEPT_BYTES ? [input] : []));
  mkdirSync(folder, { recursive: true });
  for (const [i, input] of inputs.entries()) writeFileSync(join(folder, String(i).padStart(3, '0')), input);
}

function report(target: string, { cases, findings, slowestMs, blocks }: Result): void {
  for (const { draws, message } of findings) console.error(`finding, repeated by: ${target} --case ${draws}\n${message}\n`);
  const facts = [`${cases} cases`, `slowest case ${Math.round(slowestMs)} ms`];
  if (blocks !== null) facts.push(`${blocks} blocks of code`);
  console.log(`${target}: ${facts.join(', ')}, ${findings.length} findings`);
  if (findings.length > 0) process.exitCode = 1;
}

/** Fuzzes targets on a thread. */
function runTargets(job: Job): Promise<void> {
  const worker = new Worker(import.meta.filename, { workerData: job });
  let [target, draws, lastMessageAt] = [job.targets[0], job.draws, performance.now()];
  const watch = setInterval(() => {
    if (performance.now() - lastMessageAt < HANG_MS) return;
    console.error(`a case hangs, repeated by: ${target} --case ${draws}`);
    process.exit(1);
  }, SECOND_MS);
  worker.on('message', (message: Message) => {
    lastMessageAt = performance.now();
    target = message.target;
    if ('draws' in message) draws = message.draws;
    else report(target, message.result);
  });
  worker.on('error', (error) => {
    console.error(`${target} --case ${draws}`, error);
    process.exitCode = 1;
  });
  return new Promise((resolve) => {
    worker.on('exit', () => {
      clearInterval(watch);
      resolve();
    });
  });
}

async function main(): Promise<void> {
  await buildStaleArtefacts((line) => console.error(line));
  const { ALONE, FUZZ_TARGETS } = await import('./targets.ts');
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: process.env.FUZZ_SECONDS || DEFAULT_SECONDS },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      case: { type: 'string' },
      keep: { type: 'string' },
    },
  });
  const [target] = positionals;
  const names = target === undefined ? Object.keys(FUZZ_TARGETS).filter((name) => !ALONE.includes(name)) : [target];
  const isRepeated = values.case !== undefined;
  const total = isRepeated ? 0 : Number(values.seconds);
  if ((target !== undefined && !FUZZ_TARGETS[target]) || !(total >= 0)) {
    console.error(`Expected [TARGET] [--seconds N] [--seed S] with TARGET one of ${Object.keys(FUZZ_TARGETS).join(', ')}.`);
    process.exit(2);
  }
  const draws = values.case ?? values.seed;
  parseDraws(draws);
  const lanes = Math.min(names.length, availableParallelism());
  console.log(`${names.join(', ')}: seed ${draws}, ${total} s`);
  const shares = Array.from({ length: lanes }, (_, lane) => names.filter((_name, i) => i % lanes === lane));
  const job = { draws, seconds: total, isRepeated, keep: values.keep ?? null };
  await Promise.all(shares.map((targets) => runTargets({ ...job, targets })));
}

await (isMainThread ? main() : runOnThread(workerData as Job));

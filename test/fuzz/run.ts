// `npm run fuzz -- TARGET --seconds N [--seed S]`: fuzzes one target and prints its seed. The seed of a finding reproduces it
// with `--seconds 0`. Cases run on a thread of their own, so that one that hangs is detected.
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { buildStaleArtefacts } from '../../src/cli/build/artefacts.ts';
import { MINUTE_MS } from '../../src/util/durations.ts';
import type { fuzz as Fuzz, FuzzTarget } from './fuzzer.ts';

/** Time after which a case counts as hanging. */
const HANG_MS = MINUTE_MS;

interface Job {
  readonly target: string;
  readonly seed: number;
  readonly seconds: number;
}

type Message = { readonly caseSeed: number } | { readonly result: Awaited<ReturnType<typeof Fuzz>> };

async function runOnThread({ target, seed, seconds }: Job): Promise<void> {
  const [{ FUZZ_TARGETS }, { fuzz }] = await Promise.all([import('./targets.ts'), import('./fuzzer.ts')]);
  const runCase = await (FUZZ_TARGETS[target] as FuzzTarget)();
  const send = (message: Message): void => parentPort?.postMessage(message);
  send({ result: await fuzz(runCase, seed, seconds, (caseSeed) => send({ caseSeed })) });
}

function report({ target }: Job, { cases, findings, slowestMs }: Awaited<ReturnType<typeof Fuzz>>): number {
  for (const { seed, message } of findings)
    console.error(`finding, reproduced by: ${target} --seconds 0 --seed ${seed}\n${message}\n`);
  console.log(`${target}: ${cases} cases, ${findings.length} findings, slowest case ${Math.round(slowestMs)} ms`);
  return findings.length ? 1 : 0;
}

async function main(): Promise<void> {
  await buildStaleArtefacts((line) => console.error(line));
  const { FUZZ_TARGETS } = await import('./targets.ts');
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: String(Date.now() % 2 ** 31) } },
  });
  const job: Job = { target: positionals[0] ?? '', seconds: Number(values.seconds), seed: Number(values.seed) };
  if (!FUZZ_TARGETS[job.target] || Number.isNaN(job.seconds + job.seed)) {
    console.error(`Expected TARGET --seconds N [--seed S] with TARGET one of ${Object.keys(FUZZ_TARGETS).join(', ')}.`);
    process.exit(2);
  }
  console.log(`${job.target}: seed ${job.seed}, ${job.seconds} s`);
  const worker = new Worker(import.meta.filename, { workerData: job });
  let [caseSeed, lastMessageAt] = [job.seed, performance.now()];
  const watch = setInterval(() => {
    if (performance.now() - lastMessageAt < HANG_MS) return;
    console.error(`a case hangs, reproduced by: ${job.target} --seconds 0 --seed ${caseSeed}`);
    process.exit(1);
  }, 1000);
  worker.on('message', (message: Message) => {
    lastMessageAt = performance.now();
    if ('caseSeed' in message) caseSeed = message.caseSeed;
    else process.exitCode = report(job, message.result);
  });
  worker.on('error', (error) => {
    console.error(error);
    process.exitCode = 1;
  });
  worker.on('exit', () => clearInterval(watch));
}

await (isMainThread ? main() : runOnThread(workerData as Job));

// Time until `npm start` responds again after a process of it was killed or stopped.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type RunningProcess, startService } from '../support/commands.ts';
import { median } from './measure.ts';
import type { Bench, BenchResult } from './run.ts';

const ROUNDS = 1;
const LOOK_MS = 50;
const MOST_MS = 120_000;
/** Time between two rounds: a process that ends sooner than that after its start waits longer for the next, because it would end again. */
const SETTLING_MS = 11_000;

/** Parts of the command lines. */
const PROCESS = { runtime: 'workerd serve', 'movie worker': 'build/movie/main.mjs', service: 'src/cli/serve.ts' } as const;

type Name = keyof typeof PROCESS;

const CASES: readonly { readonly signal: NodeJS.Signals; readonly names: readonly Name[] }[] = [
  { signal: 'SIGKILL', names: ['runtime'] },
  { signal: 'SIGSTOP', names: ['runtime'] },
  { signal: 'SIGKILL', names: ['movie worker'] },
  { signal: 'SIGSTOP', names: ['movie worker'] },
  { signal: 'SIGKILL', names: ['service'] },
  { signal: 'SIGSTOP', names: ['service'] },
];

const responds = async (url: string): Promise<boolean> => {
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
  await response?.body?.cancel();
  return response?.ok === true;
};

/** Port of a movie worker, from its environment. */
const portOf = (pid: number) => /(?:^|\0)PORT=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))![1]!;

export const bench: Bench = {
  async run(log) {
    const folder = mkdtempSync(join(tmpdir(), 'helioedge-recovery-'));
    const port = String(await freePort());
    const service = await startService({ STATE_DIR: folder, PORT: port, MOVIE_WORKERS: '1' });
    const find = (name: Name): RunningProcess | undefined =>
      service.processes().find(({ command }) => command.includes(PROCESS[name]));

    /** Milliseconds from the signal until processes of the same names run that are others, and service and movie worker respond. */
    async function recovery(signal: NodeJS.Signals, names: readonly Name[]): Promise<number> {
      const pids = names.map((name) => find(name)!.pid);
      const from = performance.now();
      for (const pid of pids) process.kill(pid, signal);
      for (;;) {
        const elapsed = performance.now() - from;
        if (elapsed > MOST_MS) throw new Error(`The service has not recovered from ${signal} of ${names.join(' and ')}.`);
        const others = names.map((name) => find(name)?.pid);
        const worker = find('movie worker');
        if (
          others.every((pid) => pid !== undefined && !pids.includes(pid)) &&
          worker &&
          (await responds(service.url)) &&
          (await responds(`http://127.0.0.1:${portOf(worker.pid)}`))
        )
          return performance.now() - from;
        await sleep(LOOK_MS);
      }
    }

    try {
      const results: BenchResult[] = [];
      for (const { signal, names } of CASES) {
        const times: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          await sleep(SETTLING_MS);
          times.push((await recovery(signal, names)) / 1000);
        }
        const name = `${names.join(' and ')}, ${signal}`;
        log(`${name}: ${times.map((time) => time.toFixed(1)).join(', ')} s`);
        results.push({ case: name, metric: 'responds again', unit: 's', value: median(times) });
      }
      return results;
    } finally {
      await service.interrupt();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

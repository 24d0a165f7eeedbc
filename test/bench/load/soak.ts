// `npm start` under the load of viewers for half an hour (SOAK_MINUTES): memory, response times, failures and restarts; the memory beside a
// Worker of a few lines in the same runtime that answers as many requests.
import { freePort, type Started, startService } from '../../support/commands.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { quantile } from '../measure.ts';
import type { Bench, Run } from '../run.ts';
import { withBareWorker } from '../runtime/bare-worker.ts';
import { ADMIN_TOKEN } from '../service.ts';
import { durationOf, queueMovie, serveImages } from './served-images.ts';
import { type Answered, memoryMiB, type Sent, viewersOf, visit } from './viewers.ts';

const MINUTES = 30;
const CONNECTIONS = 8;
/** Length of a part, at whose end the memory is read; a short run has this number of parts. */
const PART_SECONDS = 300;
const LEAST_PARTS = 6;
/** The growth is that since the reading after this time; in a run of less than twice this time, since the first reading. */
const FILLED_SECONDS = 300;
const MOST_GROWTH = 1.2;
/** Interval at which the process of the runtime is looked up. */
const LOOK_MS = 2_000;

function* roots(): Generator<Sent, never> {
  for (;;) yield { kind: 'few lines', path: '/' };
}

/** Process ids of the runtimes of a service; there is one at a time. */
const runtimesOf = (service: Started) =>
  service.processes().flatMap(({ pid, command }) => (/^\S*workerd /.test(command) ? [String(pid)] : []));

/** Runs `work` with `npm start` on an empty state of its own. */
async function withStarted<T>(work: (service: Started) => Promise<T>): Promise<T> {
  return inFolder(async (folder) => {
    const service = await startService({ STATE_DIR: folder, PORT: String(await freePort()), ADMIN_TOKEN });
    try {
      return await work(service);
    } finally {
      await service.interrupt();
    }
  });
}

/** Adds what the viewers had in a part. */
function addAnswers({ add }: Run, name: string, answers: readonly Answered[]): void {
  const times = answers.map(({ ms }) => ms);
  const failed = answers.filter(({ status }) => status >= 500).length;
  add(name, 'requests', '', answers.length);
  add(name, '5xx', '', failed);
  add(name, 'other errors', '', answers.filter(({ isError }) => isError).length - failed);
  add(name, 'p50', 'ms', quantile(times, 0.5));
  add(name, 'p95', 'ms', quantile(times, 0.95));
}

export const bench: Bench = (run) =>
  withStarted((service) =>
    withBareWorker(async (bareUrl, barePids) => {
      const total = 60 * durationOf('SOAK_MINUTES', MINUTES);
      const seconds = Math.min(PART_SECONDS, total / LEAST_PARTS);
      const parts = Math.round(total / seconds);
      const served = await serveImages(service.url, run.log);
      const runtimes = new Set<string>();
      const look = () => {
        for (const pid of runtimesOf(service)) runtimes.add(pid);
      };
      const looking = setInterval(look, LOOK_MS);
      const levels: { readonly ours: number; readonly theirs: number }[] = [];
      for (let part = 1; part <= parts; part++) {
        // Another frame rate makes another movie, for the movie workers.
        const movie = await queueMovie(service.url, served.sourceId, part);
        const answers = await visit(service.url, viewersOf({ ...served, movie }), { connections: CONNECTIONS, seconds });
        // As many requests to the Worker of a few lines.
        let left = answers.length;
        const asMany = () => {
          const all = roots();
          return { next: () => (left-- > 0 ? all.next() : { done: true as const, value: undefined }) };
        };
        await visit(bareUrl, asMany, { connections: CONNECTIONS, seconds: 600 });
        look();
        const level = { ours: memoryMiB(runtimesOf(service)), theirs: memoryMiB(barePids) };
        levels.push(level);
        const name = `after ${Math.round(part * seconds)} s`;
        addAnswers(run, name, answers);
        run.add(name, 'restarts so far', '', runtimes.size - 1);
        run.add(name, 'memory', 'MiB', level.ours, level.theirs);
      }
      clearInterval(looking);
      const filled = parts * seconds < 2 * FILLED_SECONDS ? 0 : Math.ceil(FILLED_SECONDS / seconds) - 1;
      const [first, last] = [levels[filled]!, levels.at(-1)!];
      const growth = last.ours / first.ours;
      const from = `${Math.round((filled + 1) * seconds)} s`;
      if (growth > MOST_GROWTH)
        run.log(`Expected at most ${MOST_GROWTH} times the memory after ${from}, got ${growth.toFixed(2)}.`);
      run.add('growth', 'memory', 'times', growth, last.theirs / first.theirs);
    }),
  );

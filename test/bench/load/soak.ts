// `npm start` under the load of viewers for half an hour (SOAK_MINUTES): memory, response times, failures and restarts; the memory beside a
// Worker of a few lines in the same runtime that answers as many requests.
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { freePort, type Started, startService } from '../../support/commands.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { quantile } from '../measure.ts';
import { workerdProcesses } from '../memory.ts';
import type { Bench, BenchResult } from '../run.ts';
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

const FEW_LINES = "export default { fetch() { return new Response('OK'); } };";

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

/** What the viewers had in a part. */
function answersOf(name: string, answers: readonly Answered[]): BenchResult[] {
  const times = answers.map(({ ms }) => ms);
  const count = (metric: string, isCounted: (answer: Answered) => boolean) => ({
    case: name,
    metric,
    unit: '',
    value: answers.filter(isCounted).length,
  });
  return [
    { case: name, metric: 'requests', unit: '', value: answers.length },
    count('5xx', ({ status }) => status >= 500),
    count('other errors', ({ status, isError }) => isError && status < 500),
    { case: name, metric: 'p50', unit: 'ms', value: quantile(times, 0.5) },
    { case: name, metric: 'p95', unit: 'ms', value: quantile(times, 0.95) },
  ];
}

export const bench: Bench = {
  run: (log) =>
    withStarted(async (service) => {
      const total = 60 * durationOf('SOAK_MINUTES', MINUTES);
      const seconds = Math.min(PART_SECONDS, total / LEAST_PARTS);
      const parts = Math.round(total / seconds);
      const served = await serveImages(service.url, log);
      const bare = new Miniflare(convertV4MiniflareOptions({ modules: true, script: FEW_LINES, cf: false, host: '127.0.0.1' }));
      const runtimes = new Set<string>();
      const look = () => {
        for (const pid of runtimesOf(service)) runtimes.add(pid);
      };
      const looking = setInterval(look, LOOK_MS);
      try {
        const bareUrl = (await bare.ready).origin;
        const theirs = workerdProcesses();
        const results: BenchResult[] = [];
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
          const level = { ours: memoryMiB(runtimesOf(service)), theirs: memoryMiB(theirs) };
          levels.push(level);
          const name = `after ${Math.round(part * seconds)} s`;
          const ofPart: BenchResult[] = [
            ...answersOf(name, answers),
            { case: name, metric: 'restarts so far', unit: '', value: runtimes.size - 1 },
            {
              case: name,
              metric: 'memory',
              unit: 'MiB',
              value: level.ours,
              against: level.theirs,
              ratio: level.theirs / level.ours,
            },
          ];
          log(`${name}: ${ofPart.map(({ metric, value, unit }) => `${metric} ${value.toFixed(0)} ${unit}`.trim()).join(', ')}`);
          results.push(...ofPart);
        }
        const filled = parts * seconds < 2 * FILLED_SECONDS ? 0 : Math.ceil(FILLED_SECONDS / seconds) - 1;
        const [first, last] = [levels[filled]!, levels.at(-1)!];
        const [value, against] = [last.ours / first.ours, last.theirs / first.theirs];
        const from = `${Math.round((filled + 1) * seconds)} s`;
        if (value > MOST_GROWTH) log(`Expected at most ${MOST_GROWTH} times the memory after ${from}, got ${value.toFixed(2)}.`);
        return [...results, { case: 'growth', metric: 'memory', unit: 'times', value, against, ratio: against / value }];
      } finally {
        clearInterval(looking);
        await bare.dispose();
      }
    }),
};

// Memory of the local runtime under the load of viewers for half an hour (SOAK_MINUTES), beside a Worker of a few lines in the same runtime
// that answers as many requests.
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { workerdProcesses } from '../memory.ts';
import type { Bench, BenchResult } from '../run.ts';
import { durationOf, withImages } from './served-images.ts';
import { memoryMiB, type Sent, viewersOf, visit } from './viewers.ts';

const MINUTES = 30;
const CONNECTIONS = 8;
/** Readings of the memory. */
const PARTS = 6;
/** The growth is that since the reading after this time; in a run of less than twice this time, since the first reading. */
const FILLED_SECONDS = 300;
const MOST_GROWTH = 1.2;

const FEW_LINES = "export default { fetch() { return new Response('OK'); } };";

function* roots(): Generator<Sent, never> {
  for (;;) yield { kind: 'few lines', path: '/' };
}

export const bench: Bench = {
  run: (log) =>
    withImages(log, async (served) => {
      const seconds = (60 * durationOf('SOAK_MINUTES', MINUTES)) / PARTS;
      const ours = workerdProcesses();
      const bare = new Miniflare(convertV4MiniflareOptions({ modules: true, script: FEW_LINES, cf: false, host: '127.0.0.1' }));
      try {
        const bareUrl = (await bare.ready).origin;
        const theirs = workerdProcesses().filter((pid) => !ours.includes(pid));
        const results: BenchResult[] = [];
        const levels: { readonly ours: number; readonly theirs: number }[] = [];
        for (let part = 1; part <= PARTS; part++) {
          const answers = await visit(served.url, viewersOf(served), { connections: CONNECTIONS, seconds });
          // As many requests to the Worker of a few lines.
          let left = answers.length;
          const asMany = () => {
            const all = roots();
            return { next: () => (left-- > 0 ? all.next() : { done: true as const, value: undefined }) };
          };
          await visit(bareUrl, asMany, { connections: CONNECTIONS, seconds: 600 });
          levels.push({ ours: memoryMiB(ours), theirs: memoryMiB(theirs) });
          const name = `after ${Math.round(part * seconds)} s`;
          log(`${name}: ${levels.at(-1)!.ours.toFixed(0)} MiB, few lines ${levels.at(-1)!.theirs.toFixed(0)} MiB`);
          const errors = answers.filter(({ isError }) => isError).length;
          results.push({ case: name, metric: 'requests', unit: '', value: answers.length });
          results.push({ case: name, metric: 'errors', unit: '', value: errors });
          const { ours: value, theirs: against } = levels.at(-1)!;
          results.push({ case: name, metric: 'memory', unit: 'MiB', value, against, ratio: against / value });
        }
        const filled = PARTS * seconds < 2 * FILLED_SECONDS ? 0 : Math.ceil(FILLED_SECONDS / seconds) - 1;
        const [first, last] = [levels[filled]!, levels.at(-1)!];
        const [value, against] = [last.ours / first.ours, last.theirs / first.theirs];
        if (value > MOST_GROWTH)
          log(
            `Expected at most ${MOST_GROWTH} times the memory after ${Math.round((filled + 1) * seconds)} s, got ${value.toFixed(2)}.`,
          );
        return [...results, { case: 'growth', metric: 'memory', unit: 'times', value, against, ratio: against / value }];
      } finally {
        await bare.dispose();
      }
    }),
};

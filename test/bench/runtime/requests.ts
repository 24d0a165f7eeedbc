// Processor time of small requests in the local runtime, beside a Worker of a few lines in the same runtime.
import { Agent } from 'node:http';
import { largeImages } from '../images.ts';
import { cpuSeconds, type Sent, timed } from '../load/viewers.ts';
import { inTurns, median } from '../measure.ts';
import { workerdProcesses } from '../memory.ts';
import type { Bench } from '../run.ts';
import { ingest, sourceOf, withService } from '../service.ts';
import { withBareWorker } from './bare-worker.ts';

/** Requests of a round, and rounds: the sides alternate. */
const REQUESTS = 100;
const ROUNDS = 3;
/** Requests before the first round, in which the runtime compiles the code. */
const WARM_UP = 100;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
/** Each address may send 1200 requests a minute. */
let sent = 0;
const addressOf = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.1`;

/** Processor milliseconds for each of the requests. */
async function cost(url: string, pids: readonly string[], one: Sent, count: number): Promise<number> {
  const before = cpuSeconds(pids);
  for (let i = 0; i < count; i++) {
    const { status } = await timed(agent, url, one, addressOf(sent++));
    if (status !== 200) throw new Error(`Expected 200 for ${one.path}, got ${status}.`);
  }
  return ((cpuSeconds(pids) - before) * 1000) / count;
}

export const bench: Bench = ({ log, add }) =>
  withService(log, async (url) => {
    const [image] = await largeImages(log);
    const pids = workerdProcesses();
    const id = await ingest(url, image!.fileName, image!.file);
    const time = `${image!.fileName.slice(0, 10).replaceAll('_', '-')}T00:00:00Z`;
    const sourceId = await sourceOf(url, image!.fileName);
    const cases: Sent[] = [
      { kind: 'OPTIONS', method: 'OPTIONS', path: '/v2/getTile/' },
      { kind: 'health', path: '/health' },
      { kind: 'header', path: `/v2/getJP2Header/?id=${id}` },
      { kind: 'closest image', path: `/v2/getClosestImage/?date=${time}&sourceId=${sourceId}` },
      { kind: 'warm tile', path: `/v2/getTile/?id=${id}&x=0&y=0&imageScale=4.84088176` },
    ];
    const empty: Sent = { kind: 'few lines', path: '/' };
    await withBareWorker(async (bareUrl, barePids) => {
      for (const one of cases) log(`${one.kind} at first: ${(await cost(url, pids, one, WARM_UP)).toFixed(2)} ms`);
      await cost(bareUrl, barePids, empty, WARM_UP);
      const costs = cases.map((one) => [one.kind, () => cost(url, pids, one, REQUESTS)] as const);
      const works = new Map([[empty.kind, () => cost(bareUrl, barePids, empty, REQUESTS)], ...costs]);
      const times = await inTurns(Object.fromEntries(works), ROUNDS, 0);
      const against = median(times[empty.kind]!);
      for (const { kind } of cases) add(kind, 'processor time', 'ms', median(times[kind]!), against);
    });
  });

// Processor time of small requests in the local runtime, beside a Worker of a few lines in the same runtime.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { largeImages } from '../images.ts';
import { median } from '../measure.ts';
import { processorSeconds, workerdProcesses } from '../memory.ts';
import type { Bench, BenchResult } from '../run.ts';
import { ingest, sourceOf, withState } from '../service.ts';

/** Requests of a round, and rounds: the sides alternate. */
const REQUESTS = 100;
const ROUNDS = 3;
/** Requests before the first round, in which the runtime compiles the code. */
const WARM_UP = 100;

interface Case {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
/** Each address may send 1200 requests a minute. */
let sent = 0;
const addressOf = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.1`;

function send(url: string, { method = 'GET', path }: Case): Promise<number> {
  const headers = { 'CF-Connecting-IP': addressOf(sent++) };
  return new Promise((resolve, reject) => {
    const call = request(url + path, { agent, method, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
    });
    call.on('error', reject).end();
  });
}

/** Processor milliseconds for each of the requests. */
async function cost(url: string, pids: readonly string[], one: Case, count: number): Promise<number> {
  const seconds = () => pids.reduce((sum, pid) => sum + processorSeconds(Number(pid)).own, 0);
  const before = seconds();
  for (let i = 0; i < count; i++) {
    const status = await send(url, one);
    if (status !== 200) throw new Error(`Expected 200 for ${one.path}, got ${status}.`);
  }
  return ((seconds() - before) * 1000) / count;
}

const FEW_LINES = "export default { fetch() { return new Response('OK'); } };";

export const bench: Bench = {
  run: (log) =>
    withState(log, async (start) => {
      const [image] = await largeImages(log);
      const service = await start();
      const servicePids = workerdProcesses();
      const bare = new Miniflare(convertV4MiniflareOptions({ modules: true, script: FEW_LINES, cf: false, host: '127.0.0.1' }));
      try {
        const bareUrl = (await bare.ready).origin;
        const barePids = workerdProcesses().filter((pid) => !servicePids.includes(pid));
        const id = await ingest(service.url, image!.fileName, image!.file);
        const time = `${image!.fileName.slice(0, 10).replaceAll('_', '-')}T00:00:00Z`;
        const sourceId = await sourceOf(service.url, image!.fileName);
        const cases: Case[] = [
          { name: 'OPTIONS', method: 'OPTIONS', path: '/v2/getTile/' },
          { name: 'health', path: '/health' },
          { name: 'header', path: `/v2/getJP2Header/?id=${id}` },
          { name: 'closest image', path: `/v2/getClosestImage/?date=${time}&sourceId=${sourceId}` },
          { name: 'warm tile', path: `/v2/getTile/?id=${id}&x=0&y=0&imageScale=4.84088176` },
        ];
        const empty: Case = { name: 'few lines', path: '/' };
        for (const one of cases)
          log(`${one.name} at first: ${(await cost(service.url, servicePids, one, WARM_UP)).toFixed(2)} ms`);
        await cost(bareUrl, barePids, empty, WARM_UP);
        const times = new Map<string, number[]>([...cases, empty].map(({ name }) => [name, []]));
        for (let round = 0; round < ROUNDS; round++) {
          times.get(empty.name)!.push(await cost(bareUrl, barePids, empty, REQUESTS));
          for (const one of cases) times.get(one.name)!.push(await cost(service.url, servicePids, one, REQUESTS));
          await sleep(100);
        }
        const against = median(times.get(empty.name)!);
        return cases.map(({ name }): BenchResult => {
          const value = median(times.get(name)!);
          return { case: name, metric: 'processor time', unit: 'ms', value, against, ratio: against / value };
        });
      } finally {
        await Promise.all([bare.dispose(), service.stop()]);
      }
    }),
};

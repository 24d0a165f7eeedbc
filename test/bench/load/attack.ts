// `npm start` with viewers at a thousand addresses, in turn with and without one more address that attacks by every way that
// docs/security.md bounds, for half an hour (ATTACK_MINUTES): response times and refusals of the viewers, processor time, and the size
// of the databases. The attacks of ATTACK_BY alone, the start of their name, show what each costs.

import { readdirSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type Started, startService } from '../../support/commands.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { median, quantile } from '../measure.ts';
import { processorSeconds } from '../memory.ts';
import type { Bench, BenchResult } from '../run.ts';
import { ADMIN_TOKEN } from '../service.ts';
import { durationOf, serveImages } from './served-images.ts';
import { type Answered, type Images, timed, viewersOf } from './viewers.ts';

const MINUTES = 30;
/** Parts with (true) and without the attack: pairs, of which every other one begins with the attack, so that nothing favours a side. */
const PARTS = [false, true, true, false, false, true, true, false, false, true, true, false];
/** Views before the first part, in which tiles are drawn that all later parts find in the cache, in seconds. */
const WARM_UP_SECONDS = 10;
/** Between parts, the service finishes what it has accepted, such as movies: it rests when it takes less of a processor than this. */
const REST = { share: 0.25, lookMs: 500, mostMs: 30_000 };
const CONNECTIONS = 6;
/** Requests of all viewers in a second: less than the runtime can answer, as a service has room at most times. */
const VIEWS_A_SECOND = 40;
/** Connections of the attacker, as many as a browser opens. */
const ATTACKS_AT_ONCE = 6;
const ADDRESSES = 1000;
const ATTACKER = '203.0.113.9';
/** Interval of the attacker's requests: six times what RENDER_LIMIT admits. */
const ATTACK_MS = 8;
const BY = process.env.ATTACK_BY ?? '';

interface Attacked extends Images {
  /** Path of an image for JPIP. */
  readonly jpipPath: string;
}

interface Attack {
  readonly name: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'Content-Type': 'application/json' };
const PICTURE = 'imageScale=2.42044088&x0=0&y0=0&width=512&height=512';

/** The attacks of a round; `round` makes each another one. */
function attacks(round: number, { ids, sourceId, jpipPath }: Attacked): Attack[] {
  const [id, layers] = [ids[0]!, `layers=[${sourceId},1,100]`];
  const names = Array.from({ length: 150 }, (_, i) => `imageScal${i}=${round}`).join('&');
  const date = '2022-01-01T00:00:30Z';
  const view = { date: Date.parse(date), centerX: 0, centerY: 0, imageScale: 2.4, imageLayers: [{ sourceId }] };
  const field = { imageScale: 2.4, layers: `[${sourceId},1,100]`, x0: 0, y0: 0, width: 512, height: 512 };
  const period = `startTime=2022-01-01T00:00:00Z&endTime=2022-01-01T00:10:00Z`;
  return [
    { name: 'misspelled parameters', path: `/v2/getTile/?id=${id}&x=0&y=0&imageScale=2.4&${names}` },
    { name: 'Range header', path: `/v2/getJP2Image/?id=${id}`, headers: { Range: `bytes=${' '.repeat(8_000)}x` } },
    {
      name: 'screenshot',
      path: '/v2/postScreenshot/',
      headers: JSON_BODY,
      body: JSON.stringify({ date, ...field }),
    },
    { name: 'movie', path: `/v2/queueMovie/?${period}&${layers}&${PICTURE}&events=&frameRate=${1 + (round % 59)}&maxFrames=10` },
    {
      name: 'shared view',
      path: '/v2/saveWebClientState/',
      headers: JSON_BODY,
      body: JSON.stringify({ ...view, note: `${round}${'x'.repeat(9_000)}` }),
    },
    {
      name: 'short link',
      path: '/v2/shortenURL/',
      headers: FORM,
      body: `queryString=${encodeURIComponent(`?date=${date}&n=${round}${'x'.repeat(5_000)}`)}`,
    },
    { name: 'new channel', path: `${jpipPath}?cnew=http&stream=0&fsiz=32,32` },
    { name: 'invented channel', path: `${jpipPath}?cid=${'c'.repeat(20)}${round}&stream=0&fsiz=32,32` },
    { name: 'JPX file', path: `/v2/getJPX/?${period}&sourceId=${sourceId}&cadence=${60 + round}&verbose=true` },
    {
      name: 'large picture',
      path: `/v2/takeScreenshot/?date=${date}&${layers}&imageScale=0.6&x0=0&y0=0&width=4096&height=4096&display=true&n=${round}`,
    },
    { name: 'video host', path: `/v2/getVideoHostAuth/?id=none&title=${round}` },
  ];
}

/** Sends an attack; resolves with its status, 0 without a response. */
function sent(agent: Agent, url: string, { path, headers, body }: Attack): Promise<number> {
  return new Promise((resolve) => {
    const method = body === undefined ? 'GET' : 'POST';
    const call = request(url + path, { agent, method, headers: { ...headers, 'CF-Connecting-IP': ATTACKER } }, (response) => {
      response.on('error', () => resolve(0));
      response.resume().on('end', () => resolve(response.statusCode!));
    });
    call.on('error', () => resolve(0)).end(body);
  });
}

/** Viewers at all addresses in turn. */
async function view(url: string, images: Images, seconds: number, number: number): Promise<Answered[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const answers: Answered[] = [];
  const end = performance.now() + seconds * 1000;
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, connection) => {
      const views = viewersOf(images)(number * CONNECTIONS + connection);
      while (performance.now() < end) {
        const host = next++ % ADDRESSES;
        const due = performance.now() + (1000 * CONNECTIONS) / VIEWS_A_SECOND;
        answers.push(await timed(agent, url, views.next().value as never, `10.1.${host >> 8}.${host & 255}`));
        await sleep(Math.max(0, due - performance.now()));
      }
    }),
  );
  agent.destroy();
  return answers;
}

/** Attacks until `isOver`; counts the responses by attack and status. */
async function attack(url: string, images: Attacked, from: number, isOver: () => boolean): Promise<Map<string, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: ATTACKS_AT_ONCE });
  const counts = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  for (let round = from; !isOver(); round += 1) {
    for (const each of attacks(round, images).filter(({ name }) => name.startsWith(BY))) {
      const done = sent(agent, url, each).then((status) => {
        const key = `${each.name} ${status}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        pending.delete(done);
      });
      pending.add(done);
      await sleep(ATTACK_MS);
      if (pending.size >= ATTACKS_AT_ONCE) await Promise.race(pending);
    }
  }
  await Promise.all(pending);
  agent.destroy();
  return counts;
}

/** Bytes of the files of all databases of a state. */
function databaseBytes(stateDir: string): number {
  const folder = join(stateDir, 'v3', 'd1');
  const files = readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, String(name))));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

/** Processor seconds of a process; none of one that has ended. */
function secondsOf(pid: number): number {
  try {
    return processorSeconds(pid).own;
  } catch {
    return 0;
  }
}

/** Processor seconds of the service so far: of its runtime, and of its movie workers with their encoders. */
function processorOf(service: Started): { readonly runtime: number; readonly movies: number } {
  let [runtime, movies] = [0, 0];
  for (const { pid, command } of service.processes()) {
    const own = secondsOf(pid);
    if (command.includes('workerd')) runtime += own;
    else if (command.includes('/movie/')) movies += own;
  }
  return { runtime, movies };
}

/** Waits until the service has finished what it has accepted. */
async function rest(service: Started): Promise<void> {
  const sum = () => Object.values(processorOf(service)).reduce((a, b) => a + b, 0);
  for (let waitedMs = 0, before = sum(); waitedMs < REST.mostMs; waitedMs += REST.lookMs) {
    await sleep(REST.lookMs);
    const now = sum();
    if (now - before < (REST.share * REST.lookMs) / 1000) return;
    before = now;
  }
}

/** What a part has shown. */
interface Part {
  readonly isAttacked: boolean;
  readonly answers: readonly Answered[];
  /** Processor seconds. */
  readonly runtime: number;
  readonly movies: number;
  readonly seconds: number;
}

const part = (answers: readonly Answered[], at: number): number =>
  quantile(
    answers.map(({ ms }) => ms),
    at,
  );

/** Medians over the pairs of parts, which stand next to each other in time, so that other work on the machine affects both alike. */
function results(parts: readonly Part[]): BenchResult[] {
  const [quiet, attacked] = [false, true].map((side) => parts.filter(({ isAttacked }) => isAttacked === side));
  const compared = (metric: string, unit: string, of: (part: Part) => number): BenchResult => {
    const [value, against] = [median(attacked!.map(of)), median(quiet!.map(of))];
    const ratio = median(attacked!.map((each, pair) => of(quiet![pair]!) / of(each)));
    return { case: 'viewers, attacked against quiet', metric, unit, value, against, ratio };
  };
  const refused = parts.flatMap(({ answers }) => answers).filter(({ isError }) => isError).length;
  return [
    compared('requests', '', ({ answers }) => answers.length),
    compared('p50', 'ms', ({ answers }) => part(answers, 0.5)),
    compared('p95', 'ms', ({ answers }) => part(answers, 0.95)),
    compared('runtime', '% of a processor', ({ runtime, seconds }) => (100 * runtime) / seconds),
    compared('movie workers', '% of a processor', ({ movies, seconds }) => (100 * movies) / seconds),
    { case: 'viewers', metric: 'refused or failed', unit: '', value: refused },
  ];
}

export const bench: Bench = {
  run: (log) =>
    inFolder(async (folder) => {
      const seconds = (60 * durationOf('ATTACK_MINUTES', MINUTES)) / PARTS.length;
      const service = await startService({ STATE_DIR: folder, PORT: String(await freePort()), ADMIN_TOKEN });
      try {
        const served = await serveImages(service.url, log);
        const address = await (await fetch(`${service.url}/v2/getJP2Image/?id=${served.ids[0]}&jpip=true`)).text();
        const images = { ...served, jpipPath: address.replace(/^jpips?:\/\/[^/]+/, '') };
        await view(service.url, images, WARM_UP_SECONDS, PARTS.length);
        const before = databaseBytes(folder);
        const parts: Part[] = [];
        for (const [number, isAttacked] of PARTS.entries()) {
          await rest(service);
          let isOver = false;
          const [from, began] = [processorOf(service), performance.now()];
          const attacking = isAttacked ? attack(service.url, images, number * 100_000, () => isOver) : null;
          const answers = await view(service.url, images, seconds, number);
          isOver = true;
          const [to, took] = [processorOf(service), (performance.now() - began) / 1000];
          for (const [what, count] of [...((await attacking) ?? [])].sort()) log(`  ${what}: ${count}`);
          parts.push({
            isAttacked,
            answers,
            runtime: to.runtime - from.runtime,
            movies: to.movies - from.movies,
            seconds: took,
          });
          log(`part ${number + 1}${isAttacked ? ', attacked' : ''}: p95 ${part(answers, 0.95).toFixed(0)} ms`);
        }
        return [
          ...results(parts),
          { case: 'databases', metric: 'growth', unit: 'MB', value: (databaseBytes(folder) - before) / 1e6 },
        ];
      } finally {
        await service.interrupt();
      }
    }),
};

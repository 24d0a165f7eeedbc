// `npm start` with viewers at a thousand addresses, alternately with and without one more address that attacks by every way that
// docs/security.md bounds, for half an hour (ATTACK_MINUTES): response times and refusals of the viewers, and the size of the databases.

import { readdirSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, startService } from '../../support/commands.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { quantile } from '../measure.ts';
import type { Bench, BenchResult } from '../run.ts';
import { ADMIN_TOKEN } from '../service.ts';
import { durationOf, serveImages } from './served-images.ts';
import { type Answered, type Images, timed, viewersOf } from './viewers.ts';

const MINUTES = 30;
/** Parts without and with the attack, in turn. */
const PARTS = 6;
const CONNECTIONS = 6;
/** Requests of all viewers in a second: less than the runtime can answer, as a service has room at most times. */
const VIEWS_A_SECOND = 40;
/** Connections of the attacker, as many as a browser opens. */
const ATTACKS_AT_ONCE = 6;
const ADDRESSES = 1000;
const ATTACKER = '203.0.113.9';
/** Interval of the attacker's requests: six times what RENDER_LIMIT admits. */
const ATTACK_MS = 8;

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
async function view(url: string, images: Images, seconds: number, part: number): Promise<Answered[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const answers: Answered[] = [];
  const end = performance.now() + seconds * 1000;
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, number) => {
      const views = viewersOf(images)(part * CONNECTIONS + number);
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
    for (const each of attacks(round, images)) {
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

export const bench: Bench = {
  run: (log) =>
    inFolder(async (folder) => {
      const seconds = (60 * durationOf('ATTACK_MINUTES', MINUTES)) / PARTS;
      const service = await startService({ STATE_DIR: folder, PORT: String(await freePort()), ADMIN_TOKEN });
      try {
        const served = await serveImages(service.url, log);
        const address = await (await fetch(`${service.url}/v2/getJP2Image/?id=${served.ids[0]}&jpip=true`)).text();
        const images = { ...served, jpipPath: address.replace(/^jpips?:\/\/[^/]+/, '') };
        const [quiet, attacked]: [Answered[], Answered[]] = [[], []];
        const before = databaseBytes(folder);
        for (let part = 0; part < PARTS; part += 1) {
          const isAttacked = part % 2 === 1;
          let isOver = false;
          const attacking = isAttacked ? attack(service.url, images, part * 100_000, () => isOver) : null;
          const answers = await view(service.url, images, seconds, part);
          isOver = true;
          for (const [what, count] of [...((await attacking) ?? [])].sort()) log(`  ${what}: ${count}`);
          (isAttacked ? attacked : quiet).push(...answers);
          log(`part ${part + 1}${isAttacked ? ', attacked' : ''}: ${answers.length} requests of viewers`);
        }
        const p95 = (answers: readonly Answered[]) =>
          quantile(
            answers.map(({ ms }) => ms),
            0.95,
          );
        const refused = (answers: readonly Answered[]) => answers.filter(({ isError }) => isError).length;
        const compared = (metric: string, unit: string, of: (answers: readonly Answered[]) => number): BenchResult => {
          const [value, against] = [of(attacked), of(quiet)];
          return { case: 'viewers, attacked against quiet', metric, unit, value, against, ratio: against / value };
        };
        return [
          compared('requests', '', (answers) => answers.length),
          compared('p50', 'ms', (answers) =>
            quantile(
              answers.map(({ ms }) => ms),
              0.5,
            ),
          ),
          compared('p95', 'ms', p95),
          compared('refused or failed', '', refused),
          { case: 'databases', metric: 'growth', unit: 'MB', value: (databaseBytes(folder) - before) / 1e6 },
        ];
      } finally {
        await service.interrupt();
      }
    }),
};

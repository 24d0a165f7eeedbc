// The attacker of `npm run bench -- attack`: a thread of its own, so that what it receives does not delay the clock of the viewers.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Images } from './viewers.ts';

/** Connections of the attacker: ten times those of a browser, so that a response that is made to wait does not hold up the attack. */
const ATTACKS_AT_ONCE = 60;
const ATTACKER = '203.0.113.9';
/** Interval of the attacker's requests: six times what RENDER_LIMIT admits. */
const ATTACK_MS = 8;

export interface Attacked extends Images {
  /** Path of an image for JPIP. */
  readonly jpipPath: string;
  /** Id of a finished movie. */
  readonly movieId: string;
}

/** What the service has answered. */
export type AttackAnswers = Awaited<ReturnType<typeof attack>>;

export interface AttackOrder {
  readonly url: string;
  readonly images: Attacked;
  /** Number of the first round. */
  readonly from: number;
  /** Start of the names of the attacks that are made. */
  readonly by: string;
}

interface Attack {
  readonly name: string;
  readonly path: string;
  /** Status of a response that stores or reads what the attack is for; that of the refusal, where it is to be refused. */
  readonly status: number;
  /** Unset: GET, or POST with a body. */
  readonly method?: 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'Content-Type': 'application/json' };
const PICTURE = 'imageScale=2.42044088&x0=0&y0=0&width=512&height=512';

const MANY_NAMES = Array.from({ length: 50_000 }, (_, i) => `a${i}=`).join('&');

/** The attacks of a round; `round` makes each another one. */
function attacks(round: number, { ids, sourceId, jpipPath, movieId }: Attacked): Attack[] {
  const [id, layers] = [ids[0]!, `layers=[${sourceId},1,100]`];
  const names = Array.from({ length: 150 }, (_, i) => `imageScal${i}=${round}`).join('&');
  const date = '2022-01-01T00:00:30Z';
  const view = { date: Date.parse(date), centerX: 0, centerY: 0, imageScale: 2.4, imageLayers: [{ sourceId }] };
  const field = { imageScale: 2.4, layers: `[${sourceId},1,100]`, x0: 0, y0: 0, width: 512, height: 512 };
  const dashes = encodeURIComponent(`[FL,all,${'-'.repeat(4_000)}]`);
  const period = `startTime=2022-01-01T00:00:00Z&endTime=2022-01-01T00:10:00Z`;
  return [
    { name: 'misspelled parameters', path: `/v2/getTile/?id=${id}&x=0&y=0&imageScale=2.4&${names}`, status: 200 },
    { name: 'names in a body', path: '/v2/getTile/', headers: FORM, body: MANY_NAMES, status: 400 },
    { name: 'preflight', path: '/v2/getTile/', method: 'OPTIONS', status: 200 },
    { name: 'Range header', path: `/v2/getJP2Image/?id=${id}`, headers: { Range: `bytes=${' '.repeat(8_000)}x` }, status: 200 },
    { name: 'names of events', path: `/v2/takeScreenshot/?date=${date}&${layers}&${PICTURE}&events=${dashes}`, status: 400 },
    {
      name: 'screenshot',
      path: '/v2/postScreenshot/',
      headers: JSON_BODY,
      body: JSON.stringify({ date, ...field }),
      status: 200,
    },
    {
      name: 'movie',
      path: `/v2/queueMovie/?${period}&${layers}&${PICTURE}&events=&frameRate=${1 + (round % 59)}&maxFrames=10`,
      status: 200,
    },
    {
      name: 'shared view',
      path: '/v2/saveWebClientState/',
      headers: JSON_BODY,
      body: JSON.stringify({ ...view, note: `${round}${'x'.repeat(9_000)}` }),
      status: 200,
    },
    {
      name: 'short link',
      path: '/v2/shortenURL/',
      headers: FORM,
      body: `queryString=${encodeURIComponent(`?date=${date}&n=${round}${'x'.repeat(5_000)}`)}`,
      status: 200,
    },
    { name: 'new channel', path: `${jpipPath}?cnew=http&stream=0&fsiz=32,32`, status: 200 },
    { name: 'JPIP window', path: `${jpipPath}?stream=0&fsiz=4096,4096&roff=${round % 4096},0&rsiz=1,1`, status: 200 },
    { name: 'invented channel', path: `${jpipPath}?cid=${'c'.repeat(20)}${round}&stream=0&fsiz=32,32`, status: 404 },
    { name: 'JPX file', path: `/v2/getJPX/?${period}&sourceId=${sourceId}&cadence=${60 + round}&verbose=true`, status: 200 },
    {
      name: 'large picture',
      path: `/v2/takeScreenshot/?date=${date}&${layers}&imageScale=0.6&x0=0&y0=0&width=4096&height=4096&display=true&n=${round}`,
      status: 200,
    },
    {
      name: 'video host',
      path: `/v2/getVideoHostAuth/?id=${movieId}&title=${round}&description=${'x'.repeat(4_000)}&tags=sun`,
      status: 302,
    },
  ];
}

/** Sends an attack; resolves with its status, 0 without a response. */
function sent(agent: Agent, url: string, attack: Attack): Promise<number> {
  const { path, headers, body } = attack;
  return new Promise((resolve) => {
    const { method = body === undefined ? 'GET' : 'POST' } = attack;
    const call = request(url + path, { agent, method, headers: { ...headers, 'CF-Connecting-IP': ATTACKER } }, (response) => {
      response.on('error', () => resolve(0));
      response.resume().on('end', () => resolve(response.statusCode!));
    });
    call.on('error', () => resolve(0)).end(body);
  });
}

/**
 * Attacks until `isOver`: responses by attack and status, and the attacks that never had the status of one that does what it is for, and may
 * have missed what they attack.
 */
async function attack({ url, images, from, by }: AttackOrder, isOver: () => boolean) {
  const agent = new Agent({ keepAlive: true, maxSockets: ATTACKS_AT_ONCE });
  const counts = new Map<string, number>();
  const missed = new Set<string>();
  const pending = new Set<Promise<void>>();
  const ordered = attacks(from, images).filter(({ name }) => name.startsWith(by));
  for (const { name } of ordered) missed.add(name);
  for (let round = from; !isOver(); round += 1) {
    for (const each of attacks(round, images).filter(({ name }) => name.startsWith(by))) {
      const done = sent(agent, url, each).then((status) => {
        const key = `${each.name} ${status}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (status === each.status) missed.delete(each.name);
        pending.delete(done);
      });
      pending.add(done);
      await sleep(ATTACK_MS);
      if (pending.size >= ATTACKS_AT_ONCE) await Promise.race(pending);
    }
  }
  await Promise.all(pending);
  agent.destroy();
  return { counts, missed: [...missed] };
}

let isOver = false;
parentPort!.once('message', () => {
  isOver = true;
});
parentPort!.postMessage(await attack(workerData as AttackOrder, () => isOver));

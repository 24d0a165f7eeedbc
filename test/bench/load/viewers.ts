// Viewers of the local service: what they request, and how long it takes.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { FROM_CACHE } from '../../../src/platform/http/response.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { quantile } from '../measure.ts';
import { processorSeconds, residentBytes } from '../memory.ts';
import type { Run } from '../run.ts';

const FINE_SCALE = 0.60511022;
/** Tiles of 512 pixels from the centre to the edge of a 4096 image at full resolution. */
const TILES = 4;
const ZOOMS = 4;
const STEPS = 3;
const TILES_A_STEP = 4;
/** Parts of the views after which a viewer also requests this. */
const CHANCES = { screenshot: 0.05, status: 0.3, header: 0.4 };

/** Images of one source, a minute apart from the start of 2022, and the id of a movie. */
export interface Images {
  readonly ids: readonly number[];
  readonly sourceId: number;
  readonly movie: string;
}

export interface Sent {
  readonly kind: string;
  readonly path: string;
  /** Unset: GET. */
  readonly method?: 'OPTIONS';
}

export interface Answered {
  readonly kind: string;
  readonly ms: number;
  /** 0 without a response. */
  readonly status: number;
  readonly isError: boolean;
  /** The body of an error. */
  readonly error: string;
  /** Whether the edge cache had it. */
  readonly isFromCache: boolean;
}

/** The path of a tile, `zoom` levels from full resolution. */
export const tilePath = (id: number, x: number, y: number, zoom: number): string =>
  `/v2/getTile/?id=${id}&x=${x}&y=${y}&imageScale=${FINE_SCALE * 2 ** zoom}`;

/** One viewer: looks at an image, pans, zooms, steps in time, and now and then takes a picture or asks for the state of a movie. */
export function* viewer(random: () => number, { ids, sourceId, movie }: Images): Generator<Sent, never> {
  const below = (count: number) => Math.floor(random() * count);
  for (;;) {
    const at = below(ids.length);
    const time = `2022-01-01T00:${String(at).padStart(2, '0')}:30Z`;
    yield { kind: 'closest image', path: `/v2/getClosestImage/?sourceId=${sourceId}&date=${time}` };
    for (let step = 0; step < STEPS; step++) {
      const zoom = below(ZOOMS);
      const side = Math.max(1, TILES >> zoom);
      const id = ids[(at + step) % ids.length]!;
      for (let i = 0; i < TILES_A_STEP; i++) {
        yield { kind: 'tile', path: tilePath(id, below(2 * side) - side, below(2 * side) - side, zoom) };
      }
    }
    const chance = random();
    if (chance < CHANCES.screenshot) {
      const region = 'x1=-500&x2=500&y1=-400&y2=400&imageScale=2.42044088&display=true';
      yield { kind: 'screenshot', path: `/v2/takeScreenshot/?date=${time}&layers=[${sourceId},1,100]&${region}` };
    } else if (chance < CHANCES.status) yield { kind: 'movie status', path: `/v2/getMovieStatus/?id=${movie}&format=mp4` };
    else if (chance < CHANCES.header) yield { kind: 'header', path: `/v2/getJP2Header/?id=${ids[at]}` };
  }
}

/** Requests a path from this address. */
export function timed(agent: Agent, url: string, { kind, path, method }: Sent, address: string): Promise<Answered> {
  const from = performance.now();
  return new Promise((resolve) => {
    const done = (status: number, cached = '', error = '') => {
      const ms = performance.now() - from;
      resolve({ kind, ms, status, isError: status !== 200, error, isFromCache: FROM_CACHE.test(cached) });
    };
    const call = request(url + path, { agent, method, headers: { 'CF-Connecting-IP': address } }, async (response) => {
      const { statusCode, headers } = response;
      const isError = statusCode !== 200;
      let error = '';
      try {
        for await (const part of response) if (isError) error += part;
        done(statusCode!, String(headers['cf-cache-status']), error);
      } catch {
        done(0);
      }
    });
    call.on('error', () => done(0)).end();
  });
}

interface VisitOptions {
  readonly connections: number;
  readonly seconds: number;
  /** Least time from a request of a connection to the next one; unset: none. */
  readonly paceMs?: number;
  /** Unset: each connection has an address, and a new one after 128 requests, because viewers come and go. */
  readonly addressOf?: (connection: number, sent: number) => string;
}

/** Requests of each connection, in their order. */
export type Requests = (connection: number) => Iterator<Sent>;

/** Requests of viewers for a while. */
export async function visit(url: string, requests: Requests, options: VisitOptions): Promise<Answered[]> {
  const { connections, seconds, paceMs = 0, addressOf = (number, sent) => `10.${number}.${(sent >> 7) & 255}.1` } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers: Answered[] = [];
  const end = performance.now() + seconds * 1000;
  const look = async (number: number) => {
    const views = requests(number);
    for (let sent = 0; performance.now() < end; sent++) {
      const next = views.next();
      if (next.done) return;
      const dueMs = performance.now() + paceMs;
      answers.push(await timed(agent, url, next.value, addressOf(number, sent)));
      if (paceMs > 0) await sleep(Math.max(0, dueMs - performance.now()));
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, number) => look(number)));
  agent.destroy();
  return answers;
}

export const viewersOf =
  (images: Images): Requests =>
  (connection) =>
    viewer(randomNumbers(connection + 1), images);

export const cpuSeconds = (pids: readonly string[]): number =>
  pids.reduce((sum, pid) => sum + processorSeconds(Number(pid)).own, 0);

export const memoryMiB = (pids: readonly string[]): number =>
  pids.reduce((sum, pid) => sum + residentBytes(Number(pid)), 0) / 2 ** 20;

/** Adds throughput, response times by kind, errors, and memory and processor time of `pids` while viewers visit. */
export async function addVisit(
  { add }: Run,
  name: string,
  visiting: () => Promise<Answered[]>,
  pids: readonly string[],
): Promise<void> {
  const [before, from] = [cpuSeconds(pids), performance.now()];
  const answers = await visiting();
  const seconds = (performance.now() - from) / 1000;
  add(name, 'throughput', '1/s', answers.length / seconds);
  add(name, 'processor time', 'ms', ((cpuSeconds(pids) - before) * 1000) / answers.length);
  add(name, 'errors', '', answers.filter(({ isError }) => isError).length);
  add(name, 'memory', 'MiB', memoryMiB(pids));
  for (const [kind, all] of [...Map.groupBy(answers, (one) => one.kind)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const times = all.map(({ ms }) => ms);
    for (const part of [0.5, 0.95, 0.99]) add(`${name}, ${kind}`, `p${part * 100}`, 'ms', quantile(times, part));
  }
}

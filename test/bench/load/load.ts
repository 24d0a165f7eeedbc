// Load of viewers on the local runtime: throughput, response times by kind, errors, memory and processor time of the runtime; warm tiles
// beside nginx with the same files, and cold ones beside IIPImage on the same JP2. LOAD_SECONDS: of each phase.
import { Agent } from 'node:http';
import { workerdProcesses } from '../memory.ts';
import type { Bench, Run } from '../run.ts';
import { missingServers, withOtherServers } from './other-servers.ts';
import { durationOf, type ServedImages, withImages } from './served-images.ts';
import { addVisit, cpuSeconds, type Sent, tilePath, timed, viewersOf, visit } from './viewers.ts';

const PHASE_SECONDS = 300;
const CONNECTIONS = [16, 64];
/** Requests of a kind, one after the other, for its processor time. */
const OF_KIND = 60;
/** Requests of a viewer among which there are as many of each kind. */
const DRAWN = 200 * OF_KIND;
/** Seconds, and connections, beside the other servers. */
const BESIDE = { seconds: 15, connections: 16 };
/** Tiles of a 4096 image from its centre to its edge, at full resolution. */
const HALF = 4;

const ALL_TILES = Array.from(
  { length: 4 * HALF * HALF },
  (_, i) => [(i % (2 * HALF)) - HALF, Math.floor(i / (2 * HALF)) - HALF] as const,
);

/** Processor time of each kind of request that viewers send, warm, one at a time. */
async function costsByKind(served: ServedImages, pids: readonly string[], { add }: Run): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const byKind = new Map<string, Sent[]>();
  const views = viewersOf(served)(0);
  for (let drawn = 0; drawn < DRAWN; drawn++) {
    const { value } = views.next() as { value: Sent };
    const of = byKind.get(value.kind) ?? [];
    if (of.length < OF_KIND) byKind.set(value.kind, [...of, value]);
  }
  for (const [kind, sent] of byKind) {
    for (const one of sent) await timed(agent, served.url, one, '10.200.0.1');
    const before = cpuSeconds(pids);
    for (const one of sent) await timed(agent, served.url, one, '10.200.1.1');
    const ms = ((cpuSeconds(pids) - before) * 1000) / sent.length;
    add(`one at a time, warm, ${kind}`, 'processor time', 'ms', ms);
  }
  agent.destroy();
}

/** Each of these requests again and again. */
const repeated = (sent: readonly Sent[]) =>
  function* (connection: number): Generator<Sent, never> {
    for (let i = connection; ; i++) yield sent[i % sent.length]!;
  };

/** Each of these requests once, by one of the connections. */
const shared = (sent: readonly Sent[]) => {
  const left = [...sent];
  return function* (): Generator<Sent> {
    for (let one = left.shift(); one; one = left.shift()) yield one;
  };
};

/** Warm tiles here and from the disk by nginx; cold ones here and by IIPImage. */
async function besideOthers(served: ServedImages, pids: readonly string[], run: Run): Promise<void> {
  const missing = missingServers();
  if (missing.length > 0) {
    return run.log(`not installed: ${missing.join(', ')} (apt-get install nginx-light iipimage-server); nothing to compare with`);
  }
  const tiles: Sent[] = ALL_TILES.map(([x, y]) => ({ kind: 'tile', path: tilePath(served.ids[0]!, x, y, 0) }));
  const files = new Map<string, Uint8Array>([['image.jp2', served.image.file]]);
  for (const [i, { path }] of tiles.entries()) files.set(`${i}.png`, await (await fetch(served.url + path)).bytes());
  await withOtherServers(files, async ({ url, nginx, iipsrv }, folder) => {
    const onDisk: Sent[] = tiles.map((_, i) => ({ kind: 'tile', path: `/${i}.png` }));
    // Regions of the same pixels.
    const size = 2 * HALF;
    const regions: Sent[] = ALL_TILES.map(([x, y]) => {
      const region = `${(x + HALF) / size},${(y + HALF) / size},${1 / size},${1 / size}`;
      return { kind: 'tile', path: `/iip?FIF=${folder}/image.jp2&WID=512&RGN=${region}&CVT=jpeg` };
    });
    const cold: Sent[] = ALL_TILES.map(([x, y]) => ({ kind: 'tile', path: tilePath(served.ids.at(-1)!, x, y, 0) }));
    const once = { seconds: 600, connections: 4 };
    await addVisit(run, 'warm tiles', () => visit(served.url, repeated(tiles), BESIDE), pids);
    await addVisit(run, 'warm tiles, nginx', () => visit(url, repeated(onDisk), BESIDE), nginx);
    await addVisit(run, '64 cold tiles', () => visit(served.url, shared(cold), once), pids);
    await addVisit(run, '64 cold tiles, IIPImage', () => visit(url, shared(regions), once), iipsrv);
  });
}

export const bench: Bench = async (run) => {
  const { log } = run;
  const seconds = durationOf('LOAD_SECONDS', PHASE_SECONDS);
  await withImages(log, (served) => besideOthers(served, workerdProcesses(), run));
  for (const connections of CONNECTIONS) {
    // A new archive, in which every tile is cold. The same viewers come again afterwards.
    await withImages(log, async (served) => {
      const pids = workerdProcesses();
      for (const state of ['cold', 'warm']) {
        const name = `${connections} connections, ${state}`;
        log(`${name}, for ${seconds} s`);
        await addVisit(run, name, () => visit(served.url, viewersOf(served), { connections, seconds }), pids);
      }
      if (connections === CONNECTIONS[0]) await costsByKind(served, pids, run);
    });
  }
};

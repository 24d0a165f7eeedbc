// Load of viewers on the local runtime: throughput, response times by kind, errors, memory and processor time of the runtime; warm tiles
// beside nginx with the same files, and cold ones beside IIPImage on the same JP2. LOAD_SECONDS: of each phase.
import { workerdProcesses } from '../memory.ts';
import type { Bench, Run } from '../run.ts';
import { missingServers, withOtherServers } from './other-servers.ts';
import { durationOf, type ServedImages, withImages } from './served-images.ts';
import { addVisit, type Sent, tilePath, viewersOf, visit } from './viewers.ts';

const PHASE_SECONDS = 300;
const CONNECTIONS = [16, 64];
/** Seconds, and connections, beside the other servers. */
const BESIDE = { seconds: 15, connections: 16 };
/** Tiles of a 4096 image from its centre to its edge, at full resolution. */
const HALF = 4;

const ALL_TILES = Array.from(
  { length: 4 * HALF * HALF },
  (_, i) => [(i % (2 * HALF)) - HALF, Math.floor(i / (2 * HALF)) - HALF] as const,
);

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
    });
  }
};

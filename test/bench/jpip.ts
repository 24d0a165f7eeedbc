// First view of 512 pixels of a 4096 x 4096 image from a service in workerd on this machine: by JPIP on a new connection and
// channel, compared with downloading the JP2. Measures the service only; over a network the number of bytes dominates.
import { JpipConnection, openedChannel } from '../support/jpx/jpip-client.ts';
import { atMinute, type LargeImage, largeImages } from './images.ts';
import { clockMs, median } from './measure.ts';
import type { Bench, Run } from './run.ts';
import { ingest, withService } from './service.ts';

/** Copies of an image for each side, because each copy is cold only once. */
const ROUNDS = 10;
const VIEW = '512,512';
const WHOLE = '4096,4096';

interface Sample {
  readonly ms: number;
  readonly bytes: number;
}

/** Ingests a copy; its id and the path of its JPIP address. */
async function ingestForJpip(url: string, { fileName, file }: LargeImage): Promise<{ id: number; path: string }> {
  const id = await ingest(url, fileName, file);
  const uri = await (await fetch(`${url}/v2/getJP2Image/?id=${id}&jpip=true`)).text();
  return { id, path: uri.replace(/^jpips?:\/\/[^/]+/, '') };
}

async function timed(work: () => Promise<number>): Promise<Sample> {
  let bytes = 0;
  const ms = await clockMs(async () => {
    bytes = await work();
  });
  return { ms, bytes };
}

/** Requests channel, metadata and image like desktop clients: the first view, and then the whole image. */
async function viewByJpip(url: string, path: string): Promise<{ first: Sample; rest: Sample }> {
  const connection = await JpipConnection.open(url);
  try {
    let cid = '';
    const frame = async (size: string) => {
      const query = `stream=0&fsiz=${size},closest&rsiz=${size}&roff=0,0&len=2097152&cid=${cid}`;
      return (await connection.stream(`${path}?${query}`)).body.length;
    };
    const first = await timed(async () => {
      const opened = await connection.stream(`${path}?cnew=http&type=jpp-stream&tid=0&len=512`);
      cid = openedChannel(opened).cid;
      const metadata = await connection.stream(`${path}?stream=0&metareq=[*]!!&len=2000000&cid=${cid}`);
      return opened.body.length + metadata.body.length + (await frame(VIEW));
    });
    return { first, rest: await timed(() => frame(WHOLE)) };
  } finally {
    connection.close();
  }
}

const download = (url: string, id: number): Promise<Sample> =>
  timed(async () => (await (await fetch(`${url}/v2/getJP2Image/?id=${id}`)).arrayBuffer()).byteLength);

function compare({ add }: Run, name: string, ours: readonly Sample[], theirs: readonly Sample[]): void {
  const medians = (of: (sample: Sample) => number) => [median(ours.map(of)), median(theirs.map(of))] as const;
  add(name, 'time', 'ms', ...medians(({ ms }) => ms));
  add(name, 'bytes', 'kB', ...medians(({ bytes }) => bytes / 1000));
}

async function measure(url: string, image: LargeImage, run: Run): Promise<void> {
  const views: { first: Sample; rest: Sample }[] = [];
  const downloads: Sample[] = [];
  for (let i = -1; i < ROUNDS; i++) {
    const ours = await ingestForJpip(url, atMinute(image, 2 * i + 2));
    const theirs = await ingestForJpip(url, atMinute(image, 2 * i + 3));
    const view = await viewByJpip(url, ours.path);
    const file = await download(url, theirs.id);
    // The first round only warms up the Worker.
    if (i < 0) continue;
    views.push(view);
    downloads.push(file);
  }
  const firsts = views.map(({ first }) => first);
  const all = views.map(({ first, rest }) => ({ ms: first.ms + rest.ms, bytes: first.bytes + rest.bytes }));
  compare(run, `${image.name} first view of 512, against the JP2`, firsts, downloads);
  compare(run, `${image.name} first view and whole image`, all, downloads);
}

export const bench: Bench = (run) =>
  withService(run.log, async (url) => {
    for (const image of await largeImages(run.log)) await measure(url, image, run);
  });

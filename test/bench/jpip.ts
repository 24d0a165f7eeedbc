// A first view of 512 pixels of a 4096 image, in workerd on this machine: by JPIP on a new connection and channel, against
// downloading the JP2. Over a real line the bytes decide; here it is what the service itself takes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalService } from '../../src/cli/local/local-service.ts';
import { applyMigrations } from '../../src/cli/local/migrations.ts';
import { freePort } from '../support/commands.ts';
import { JpipConnection, openedChannel } from '../support/jpx/jpip-client.ts';
import { atMinute, type LargeImage, largeImages } from './images.ts';
import { median } from './measure.ts';
import type { Bench, BenchResult } from './run.ts';

/** Copies of an image: each is seen once by one side, so that nothing of it is in a cache. */
const ROUNDS = 10;
const TOKEN = 'token-of-the-jpip-bench';
const VIEW = '512,512';
const WHOLE = '4096,4096';

interface Sample {
  readonly ms: number;
  readonly bytes: number;
}

/** Takes a copy in; its id and the path of its JPIP address. */
async function takeIn(url: string, { fileName, file }: LargeImage): Promise<{ id: number; path: string }> {
  const answer = await fetch(`${url}/admin/images/${fileName}`, {
    method: 'PUT',
    body: file as Uint8Array<ArrayBuffer>,
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  if (!answer.ok) throw new Error(`Expected the image to be taken in, got ${answer.status} ${await answer.text()}.`);
  const { id } = (await answer.json()) as { id: number };
  const uri = await (await fetch(`${url}/v2/getJP2Image/?id=${id}&jpip=true`)).text();
  return { id, path: uri.replace(/^jpips?:\/\/[^/]+/, '') };
}

async function timed(work: () => Promise<number>): Promise<Sample> {
  const from = performance.now();
  const bytes = await work();
  return { ms: performance.now() - from, bytes };
}

/** Channel, metadata and image as desktop clients ask for them. Gives the first view, and the step from it to the whole image. */
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

function compare(name: string, ours: readonly Sample[], theirs: readonly Sample[]): BenchResult[] {
  return [
    { metric: 'time', unit: 'ms', of: ({ ms }: Sample) => ms },
    { metric: 'bytes', unit: 'kB', of: ({ bytes }: Sample) => bytes / 1000 },
  ].map(({ metric, unit, of }) => {
    const [value, against] = [median(ours.map(of)), median(theirs.map(of))];
    return { case: name, metric, unit, value, against, ratio: against / value };
  });
}

async function measure(url: string, image: LargeImage): Promise<BenchResult[]> {
  const views: { first: Sample; rest: Sample }[] = [];
  const downloads: Sample[] = [];
  for (let i = -1; i < ROUNDS; i++) {
    const ours = await takeIn(url, atMinute(image, 2 * i + 2));
    const theirs = await takeIn(url, atMinute(image, 2 * i + 3));
    const view = await viewByJpip(url, ours.path);
    const file = await download(url, theirs.id);
    // The first round warms the Worker up.
    if (i < 0) continue;
    views.push(view);
    downloads.push(file);
  }
  const firsts = views.map(({ first }) => first);
  const all = views.map(({ first, rest }) => ({ ms: first.ms + rest.ms, bytes: first.bytes + rest.bytes }));
  return [
    ...compare(`${image.name} first view of 512, against the JP2`, firsts, downloads),
    ...compare(`${image.name} that and the whole image`, all, downloads),
  ];
}

export const bench: Bench = {
  async run(log) {
    const images = await largeImages(log);
    if (images.length === 0) return [];
    const stateDir = mkdtempSync(join(tmpdir(), 'helioedge-bench-'));
    await applyMigrations(stateDir, log);
    const service = await startLocalService({ port: await freePort(), stateDir, secrets: { ADMIN_TOKEN: TOKEN } });
    try {
      const results: BenchResult[] = [];
      for (const image of images) results.push(...(await measure(service.url, image)));
      return results;
    } finally {
      await service.stop();
      rmSync(stateDir, { recursive: true, force: true });
    }
  },
};

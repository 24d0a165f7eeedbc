// JPX files of 1000 linked frames over HTTP from a service in workerd on this machine, and long ones by JPIP.
import { basename, dirname } from 'node:path';
import { archivePath, imageFile } from '../../demo/image-file.ts';
import { jp2Key, jpxManifestKey, sidecarKey } from '../../src/archive/keys.ts';
import { adminClient, type BucketObject } from '../../src/cli/ingest/admin-client.ts';
import {
  framesOf,
  type JpxManifest,
  type JpxParts,
  jpxParts,
  metadataParts,
  recordJpx,
  storeMissing,
} from '../../src/faces/jpx/jpx-manifest.ts';
import { END } from '../../src/jp2/jpip/messages.ts';
import { SIDECAR_VERSION } from '../../src/jp2/sidecar.ts';
import { INDEXING } from '../../src/platform/limits/images.ts';
import { MOST_JPX_FRAMES } from '../../src/platform/limits/jpx.ts';
import { R2ObjectStore } from '../../src/platform/storage/r2-object-store.ts';
import { concatenated, jsonBytes } from '../../src/platform/util/bytes.ts';
import { mapConcurrently } from '../../src/platform/util/concurrency.ts';
import { MINUTE_MS } from '../../src/platform/util/durations.ts';
import type { ArchivedImage } from '../../src/sun/image.ts';
import { JpipConnection, openedChannel } from '../support/jpx/jpip-client.ts';
import { describeFile } from '../support/sample-archive.ts';
import { withStateRuntime } from '../support/system/state-runtime.ts';
import { atTime } from './images.ts';
import { clockMs, median, repeated } from './measure.ts';
import { memoryGrowth, workerdProcesses } from './memory.ts';
import type { Bench, Run } from './run.ts';
import { ADMIN_TOKEN, ingest, whileRunning, withService, withState } from './service.ts';

const LINKED_FRAMES = 1000;
const LONG_MOVIES = [4000, MOST_JPX_FRAMES];
const SIDE = 1024;
const START = Date.UTC(2024, 4, 10, 12);
/** Repetitions of a request for an existing file. */
const ROUNDS = 5;
const CONCURRENT_UPLOADS = 4;

const shotAt = (timeMs: number, size = SIDE) => ({ sourceId: 10, timeMs, size });
/** The file of the first shot with another time, and its name. */
const copyAt = (file: Uint8Array, timeMs: number) =>
  atTime({ name: '', fileName: basename(archivePath(shotAt(START))), file }, timeMs);

/** Rows of an image with others, one each minute. */
const copiesOf = (image: ArchivedImage, count: number): ArchivedImage[] =>
  Array.from({ length: count }, (_, i) => {
    const takenAtMs = START + i * MINUTE_MS;
    const path = archivePath(shotAt(takenAtMs));
    return { ...image, id: i + 1, takenAtMs, fileName: basename(path), key: jp2Key(dirname(path), basename(path)) };
  });

async function ingestCopies(url: string, file: Uint8Array, count: number): Promise<void> {
  const times = Array.from({ length: count }, (_, i) => START + i * MINUTE_MS);
  const upload = async () => {
    for (let timeMs = times.pop(); timeMs !== undefined; timeMs = times.pop()) {
      const copy = copyAt(file, timeMs);
      await ingest(url, copy.fileName, copy.file);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, upload));
}

/** Description of a JPX file of all linked frames, and the milliseconds until it is there. */
async function described(url: string, more = ''): Promise<{ readonly uri: string; readonly ms: number }> {
  const end = new Date(START + LINKED_FRAMES * MINUTE_MS - 1000).toISOString();
  const range = `startTime=${new Date(START).toISOString()}&endTime=${end}&sourceId=10&linked=true&verbose=true${more}`;
  const from = performance.now();
  const { uri, frames } = (await (await fetch(`${url}/v2/getJPX/?${range}`)).json()) as { uri: string; frames?: number[] };
  if (frames?.length !== LINKED_FRAMES) throw new Error(`Expected ${LINKED_FRAMES} frames, got ${frames?.length}.`);
  return { uri, ms: performance.now() - from };
}

async function measureFile(url: string, { add }: Run): Promise<void> {
  const name = `${LINKED_FRAMES} linked frames`;
  add(name, 'first response', 'ms', (await described(url)).ms);
  const again = await repeated(async () => (await described(url)).ms, ROUNDS, 0);
  add(name, 'repeated response', 'ms', median(again));
}

/** Adds the growth of the memory of workerd by `work`, where there is a /proc. */
async function withGrowth(name: string, add: Run['add'], work: () => Promise<unknown>): Promise<void> {
  const pids = workerdProcesses();
  const growth = await memoryGrowth(pids, work);
  if (pids.length > 0) add(name, 'peak memory', 'MiB', growth);
}

/** Images of the long movie, which matter by their number, and the length of their XML, which is that of AIA. */
const LONG_SIDE = 256;
const XML_BYTES = 6400;

/** The file with its XML filled up to `XML_BYTES`. */
function withLongXml(file: Uint8Array): Uint8Array {
  const bytes = Buffer.from(file);
  const at = bytes.indexOf('xml ') - 4;
  const end = at + bytes.readUInt32BE(at);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(XML_BYTES + 8);
  const words = Array.from({ length: 999 }, (_, i) => `HISTORY ${(i * 7919) % 1000}`).join(' ');
  const comment = `<!--${words.slice(0, XML_BYTES - (end - at - 8) - '<!---->'.length)}-->`;
  return Buffer.concat([bytes.subarray(0, at), length, bytes.subarray(at + 4, end), Buffer.from(comment), bytes.subarray(end)]);
}

/** The first request of the browser client of esajpip. */
const WHOLE = 'cnew=http&type=jpp-stream&stream=0&fsiz=1,1,closest';

/** Opens a movie by a request for all metadata: their bytes, and those of the responses that carry them. */
async function opened(connection: JpipConnection, path: string) {
  const from = performance.now();
  const reply = await connection.compressedStream(`${path}?${WHOLE}`);
  const ms = performance.now() - from;
  const end = reply.stream.at(-2);
  if (end !== END.windowDone) throw new Error(`Expected all metadata, got the end of response ${end}.`);
  return { cid: openedChannel(reply).cid, ms, metadata: reply.stream.length, sent: reply.body.length };
}

function addOpened(add: Run['add'], name: string, { ms, metadata, sent }: Awaited<ReturnType<typeof opened>>) {
  add(name, 'opened', 'ms', ms);
  add(name, 'metadata', 'MB', metadata / 1e6);
  add(name, 'sent', 'MB', sent / 1e6);
}

/** Opens a movie as the browser client of esajpip does, and shows each of its frames small. */
async function openAndWalk(url: string, { add }: Run): Promise<void> {
  const { uri } = await described(url, '&jpip=true');
  const path = uri.replace(/^jpips?:\/\/[^/]+/, '');
  const connection = await JpipConnection.open(url);
  const name = `JPIP, ${LINKED_FRAMES} linked frames`;
  try {
    const whole = await opened(connection, path);
    addOpened(add, name, whole);
    const walkMs = await clockMs(async () => {
      for (let n = 0; n < LINKED_FRAMES; n++) await connection.stream(`${path}?stream=${n}&fsiz=32,32,closest&cid=${whole.cid}`);
    });
    add(name, 'walked, a frame', 'ms', walkMs / LINKED_FRAMES);
  } finally {
    connection.close();
  }
}

const longMovie = (frames: number) => `long-${frames}`;

/** Puts images and their sidecars into the bucket, and records of long movies with the XML of all of their frames; the paths of the images. */
async function fillBucket(stateDir: string, file: Uint8Array): Promise<BucketObject[]> {
  const { image, sidecar } = await describeFile(file, 1, archivePath(shotAt(START)));
  const images = copiesOf(image, MOST_JPX_FRAMES);
  const files = new Map(images.map(({ key, takenAtMs }) => [key, () => copyAt(file, takenAtMs).file]));
  const stored = images.slice(0, LINKED_FRAMES);
  await withStateRuntime(stateDir, { r2Buckets: { ARCHIVE: 'helioedge-archive' } }, async (runtime) => {
    const objects = new R2ObjectStore((await runtime.getR2Bucket('ARCHIVE')) as unknown as R2Bucket);
    await mapConcurrently(stored, CONCURRENT_UPLOADS, async ({ key }) => {
      await objects.put(key, files.get(key)!(), 'image/jp2');
      await objects.put(sidecarKey(key, SIDECAR_VERSION), sidecar, 'application/octet-stream');
    });
    // Frames of which the bucket has no file: opening a movie reads the stored XML of all, and the file of the first one.
    const store: JpxParts['store'] = async (key, ranges) => {
      const xml = ranges.map(({ key: of, offset, length }) => files.get(of)!().subarray(offset, offset + length));
      await objects.put(key, concatenated(xml), 'application/xml');
    };
    const one = await recordJpx(objects, { name: 'one', linked: true, style: 'standard', images: [image] });
    for (const count of LONG_MOVIES) {
      const frames = images.slice(0, count).map((each) => ({ ...one.frames[0]!, ...each, imageId: each.id }));
      const movie: JpxManifest = { ...one, name: longMovie(count), frames };
      await objects.put(jpxManifestKey(movie.name), jsonBytes(movie), 'application/json');
      await storeMissing({ objects, parts: { ...jpxParts(objects), store } }, await metadataParts(framesOf(movie)));
    }
  });
  return stored.map(({ takenAtMs }) => ({ path: archivePath(shotAt(takenAtMs)), size: file.length }));
}

/** Opens a long movie with all metadata, by an isolate that has not read it, and again on other channels. */
async function openLong(url: string, frames: number, { add }: Run): Promise<void> {
  const name = `JPIP, ${frames} linked frames`;
  const connection = await JpipConnection.open(url);
  const open = () => opened(connection, `/movies/${longMovie(frames)}.jpx`);
  try {
    await withGrowth(name, add, async () => addOpened(add, name, await open()));
    const again = await repeated(async () => (await open()).ms, ROUNDS, 0);
    add(name, 'opened again', 'ms', median(again));
  } finally {
    connection.close();
  }
}

/** Movies of the default length, of four times as many frames, and of the most. */
const longMovies: Bench = (run) =>
  withState(run.log, async (start, stateDir) => {
    const file = withLongXml(await imageFile(shotAt(START, LONG_SIDE)));
    run.log(`putting ${LINKED_FRAMES} images of ${(file.length / 1000).toFixed(0)} kB into the bucket`);
    const objects = await fillBucket(stateDir, file);
    await whileRunning(start, async (url) => {
      for (const frames of LONG_MOVIES) await openLong(url, frames, run);
      const client = adminClient(url, ADMIN_TOKEN);
      for (let from = 0; from < objects.length; from += INDEXING.objects)
        await client.index(objects.slice(from, from + INDEXING.objects), false);
      await openAndWalk(url, run);
    });
  });

export const bench: Bench = async (run) => {
  await withService(run.log, async (url) => {
    const file = await imageFile(shotAt(START));
    run.log(`ingesting ${LINKED_FRAMES} images of ${(file.length / 1000).toFixed(0)} kB`);
    await ingestCopies(url, file, LINKED_FRAMES);
    await measureFile(url, run);
  });
  await longMovies(run);
};

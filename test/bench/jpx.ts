// JPX files of 1000 linked and 100 embedded frames over HTTP from a service in workerd on this machine, and long ones by JPIP.
import { basename, dirname } from 'node:path';
import { archivePath, imageFile } from '../../demo/image-file.ts';
import { jp2Key, jpxManifestKey, sidecarKey } from '../../src/archive/keys.ts';
import { adminClient, type BucketObject } from '../../src/cli/ingest/admin-client.ts';
import { withStateRuntime } from '../../src/cli/local/migrations.ts';
import { recordJpx } from '../../src/faces/jpx/jpx-files.ts';
import type { JpxManifest } from '../../src/faces/jpx/jpx-manifest.ts';
import { type JpxParts, jpxParts, storeMissing } from '../../src/faces/jpx/jpx-parts.ts';
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
import { clockMs, median } from './measure.ts';
import { memoryGrowth, workerdProcesses } from './memory.ts';
import type { Bench, Run } from './run.ts';
import { ADMIN_TOKEN, ingest, whileRunning, withService, withState } from './service.ts';

const LINKED_FRAMES = 1000;
const LONG_MOVIES = [4000, MOST_JPX_FRAMES];
const EMBEDDED_FRAMES = 100;
const SIDE = 1024;
const START = Date.UTC(2024, 4, 10, 12);
/** Repetitions of a request for an existing file. */
const ROUNDS = 5;
const CONCURRENT_UPLOADS = 4;

const shotAt = (timeMs: number, size = SIDE) => ({ sourceId: 10, timeMs, size });
const nameAt = (timeMs: number) => basename(archivePath(shotAt(timeMs)));

/** A copy of the file with another observation date. */
function takenAt(file: Uint8Array, timeMs: number): Uint8Array {
  const copy = file.slice();
  const [tag, date] = /<DATE-OBS>([^<]+)/.exec(new TextDecoder('latin1').decode(file))! as unknown as [string, string];
  const at = Buffer.from(file).indexOf(tag) + tag.length - date.length;
  copy.set(new TextEncoder().encode(new Date(timeMs).toISOString().slice(0, date.length)), at);
  return copy;
}

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
      await ingest(url, nameAt(timeMs), takenAt(file, timeMs));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, upload));
}

interface Timed {
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly bytes: number;
}

async function timed(url: string): Promise<Timed & { text: string }> {
  const from = performance.now();
  const response = await fetch(url);
  const reader = response.body!.getReader();
  let firstByteMs = Number.NaN;
  let bytes = 0;
  const isText = response.headers.get('Content-Type')?.startsWith('application/json');
  const chunks: Uint8Array[] = [];
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (bytes === 0) firstByteMs = performance.now() - from;
    bytes += read.value.length;
    if (isText) chunks.push(read.value);
  }
  return { firstByteMs, totalMs: performance.now() - from, bytes, text: Buffer.concat(chunks).toString() };
}

function jpxQuery(url: string, frames: number, linked: boolean): string {
  const end = new Date(START + (frames - 1) * MINUTE_MS + 1000).toISOString();
  const range = `startTime=${new Date(START).toISOString()}&endTime=${end}&sourceId=10&linked=${linked}`;
  return `${url}/v2/getJPX/?${range}&verbose=true`;
}

async function measureFile(url: string, name: string, frames: number, linked: boolean, { add }: Run): Promise<void> {
  const query = jpxQuery(url, frames, linked);
  const made = await timed(query);
  const jpx = JSON.parse(made.text) as { uri: string; frames: number[] };
  if (jpx.frames?.length !== frames) throw new Error(`Expected ${frames} frames, got ${made.text.slice(0, 200)}.`);
  const repeatedly = async (address: string): Promise<Timed[]> => {
    const times: Timed[] = [];
    for (let i = 0; i < ROUNDS; i++) times.push(await timed(address));
    return times;
  };
  add(name, 'first response', 'ms', made.totalMs);
  add(name, 'repeated response', 'ms', median((await repeatedly(query)).map(({ totalMs }) => totalMs)));
  await withGrowth(name, add, async () => {
    const { firstByteMs, totalMs, bytes } = await timed(jpx.uri);
    add(name, 'file', 'MB', bytes / 1e6);
    add(name, 'first byte', 'ms', firstByteMs);
    add(name, 'whole file', 'ms', totalMs);
  });
  const repeated = await repeatedly(jpx.uri);
  add(name, 'first byte, repeated', 'ms', median(repeated.map(({ firstByteMs }) => firstByteMs)));
  add(name, 'whole file, repeated', 'ms', median(repeated.map(({ totalMs }) => totalMs)));
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

interface Opened {
  readonly cid: string;
  readonly ms: number;
  /** Bytes of the metadata, and of the responses that carry it. */
  readonly metadata: number;
  readonly sent: number;
}

/** Opens a movie by requests, of which the last one to be sent has the rest of the metadata. */
async function opened(connection: JpipConnection, path: string, queries: Iterable<string>): Promise<Opened> {
  const from = performance.now();
  let [cid, sent, metadata, end] = ['', 0, 0, 0];
  for (const query of queries) {
    const reply = await connection.compressedStream(`${path}?${query}${cid && `&cid=${cid}`}`);
    cid ||= openedChannel(reply).cid;
    sent += reply.body.length;
    metadata += reply.stream.length;
    end = reply.stream.at(-2)!;
    if (end === END.windowDone && !query.endsWith('len=512')) break;
  }
  if (end !== END.windowDone) throw new Error(`Expected all metadata, got the end of response ${end}.`);
  return { cid, ms: performance.now() - from, metadata, sent };
}

function addOpened(add: Run['add'], name: string, { ms, metadata, sent }: Opened): void {
  add(name, 'opened', 'ms', ms);
  add(name, 'metadata', 'MB', metadata / 1e6);
  add(name, 'sent', 'MB', sent / 1e6);
}

/** Opens a movie as the browser client of esajpip does, and as JHelioviewer does, and shows each of its frames small. */
async function openAndWalk(url: string, { add }: Run): Promise<void> {
  const frames = LINKED_FRAMES;
  const made = await timed(`${jpxQuery(url, frames, true)}&jpip=true`);
  const { uri, frames: found } = JSON.parse(made.text) as { uri: string; frames: number[] };
  if (found.length !== frames) throw new Error(`Expected ${frames} frames, got ${found.length}.`);
  const path = uri.replace(/^jpips?:\/\/[^/]+/, '');
  const connection = await JpipConnection.open(url);
  const WINDOW = 'fsiz=32,32,closest';
  const name = `JPIP, ${frames} linked frames`;
  try {
    add(name, 'getJPX', 'ms', made.totalMs);
    let cid = '';
    await withGrowth(name, add, async () => {
      const whole = await opened(connection, path, [WHOLE]);
      ({ cid } = whole);
      addOpened(add, name, whole);
    });
    const rest = Array.from({ length: frames }, () => 'stream=0&metareq=[*]!!&len=2000000');
    const pieces = await opened(connection, path, ['cnew=http&type=jpp-stream&tid=0&len=512', ...rest]);
    add(name, 'opened in pieces of 2 MB', 'ms', pieces.ms);
    const walkMs = await clockMs(async () => {
      for (let n = 0; n < frames; n++) await connection.stream(`${path}?stream=${n}&${WINDOW}&cid=${pieces.cid}`);
    });
    add(name, 'walked, a frame', 'ms', walkMs / frames);
    const allMs = await clockMs(async () => {
      const { body } = await connection.stream(`${path}?stream=0-&${WINDOW}&cid=${cid}`);
      if (body.at(-2) !== END.windowDone) throw new Error(`Expected all frames, got the end of response ${body.at(-2)}.`);
    });
    add(name, 'all in one request', 'ms', allMs);
  } finally {
    connection.close();
  }
}

const longMovie = (frames: number) => `long-${frames}`;

/** Puts images and their sidecars into the bucket, and records of long movies with the XML of all of their frames; the paths of the images. */
async function fillBucket(stateDir: string, file: Uint8Array): Promise<BucketObject[]> {
  const { image, sidecar } = await describeFile(file, 1, archivePath(shotAt(START)));
  const images = copiesOf(image, MOST_JPX_FRAMES);
  const files = new Map(images.map(({ key, takenAtMs }) => [key, () => takenAt(file, takenAtMs)]));
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
      await storeMissing({ objects, parts: { ...jpxParts(objects), store } }, movie);
    }
  });
  return stored.map(({ takenAtMs }) => ({ path: archivePath(shotAt(takenAtMs)), size: file.length }));
}

/** Opens a long movie with all metadata, by an isolate that has not read it, and again on other channels. */
async function openLong(url: string, frames: number, { add }: Run): Promise<void> {
  const name = `JPIP, ${frames} linked frames`;
  const connection = await JpipConnection.open(url);
  const open = () => opened(connection, `/movies/${longMovie(frames)}.jpx`, [WHOLE]);
  try {
    await withGrowth(name, add, async () => addOpened(add, name, await open()));
    const again: number[] = [];
    for (let i = 0; i < ROUNDS; i++) again.push((await open()).ms);
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
    await measureFile(url, `${LINKED_FRAMES} linked frames`, LINKED_FRAMES, true, run);
    await measureFile(url, `${EMBEDDED_FRAMES} embedded frames`, EMBEDDED_FRAMES, false, run);
  });
  await longMovies(run);
};

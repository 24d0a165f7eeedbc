// Measurements over HTTP from a service in workerd on this machine, and in this process with storage in memory, with all parts of the
// coefficient sidecars and confirmed laws, beside scripts of glymur, numpy and scipy on the same files; and chunks of Zarr stores through
// zarrita. MEASURE_IMAGES: of a series.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as zarr from 'zarrita';
import type { Part } from '../../../src/jp2/coefficients/format.ts';
import { fromBase64 } from '../../../src/platform/util/bytes.ts';
import { MINUTE_MS, SECOND_MS } from '../../../src/platform/util/durations.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { PYTHON, runProgram } from '../../support/programs.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { servedApp, testServices } from '../../support/test-services.ts';
import { atMinute, type LargeImage, largeImages } from '../images.ts';
import { durationOf } from '../load/served-images.ts';
import { clockMs, median, quantile, repeated } from '../measure.ts';
import type { Bench, Run } from '../run.ts';
import { ingestCopies, makeSidecars, withService } from '../service.ts';

const IMAGES = durationOf('MEASURE_IMAGES', 120);
/** Images that the scripts read; their time is stated for as many as the service measures. */
const SCRIPT_IMAGES = 6;
const ROUNDS = 3;
const VALUES = 200;
const [START_MS, SCALE, SIDE] = [Date.UTC(2022, 0, 1), 0.6, 512] as const;

/** Channels of AIA, and images of each, of which chunks are read. */
const CHANNELS = [
  { part: 'SDO_AIA_AIA_171', sourceId: 10 },
  { part: 'SDO_AIA_AIA_193', sourceId: 11 },
  { part: 'SDO_AIA_AIA_304', sourceId: 13 },
] as const;
const OF_CHANNEL = 3;
/** Chunks that are requested at once. */
const AT_ONCE = 8;

/** Part of a minute in which its image begins. */
const LAST = 0.99;

const timeOf = (minute: number) => new Date(START_MS + minute * MINUTE_MS).toISOString();

/** Each request is of another client, because the limits of one are not what is measured. */
let clients = 0;
const ofNewClient = (request: string | Request): Promise<Response> => {
  clients += 1;
  const address = `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients & 255}`;
  const asked = new Request(request);
  asked.headers.set('CF-Connecting-IP', address);
  return fetch(asked);
};

async function bodyOf(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await ofNewClient(url);
  if (!response.ok) throw new Error(`Expected a measurement, got ${response.status} ${(await response.text()).slice(0, 300)}.`);
  return new Uint8Array(await response.arrayBuffer());
}

/** What the script makes of files; null without Python's packages. */
function script(asked: Readonly<Record<string, unknown>>) {
  const program = join(import.meta.dirname, 'scientist.py');
  const { status, stdout } = runProgram(PYTHON, [program], JSON.stringify(asked));
  if (status !== 0) return null;
  const { seconds, result } = JSON.parse(String(stdout)) as { seconds: number; result: string };
  return { seconds, values: new Float32Array(fromBase64(result).buffer) };
}

/** Median and 95th percentile of the relative difference of values. */
function differences(ours: ArrayLike<number>, theirs: ArrayLike<number>): { readonly middle: number; readonly most: number } {
  const all = Array.from(theirs, (value, i) => Math.abs(ours[i]! / value - 1)).filter((value) => !Number.isNaN(value));
  return { middle: median(all), most: quantile(all, 0.95) };
}

interface Case {
  readonly name: string;
  readonly images: number;
  readonly path: string;
  readonly asked: Readonly<Record<string, unknown>>;
  /** The values of the response, image by image. */
  readonly read: (body: Uint8Array<ArrayBuffer>) => ArrayLike<number>;
}

const npyValues = (file: Uint8Array<ArrayBuffer>) =>
  new Float32Array(file.slice(10 + new DataView(file.buffer).getUint16(8, true)).buffer);

const curveMeans = (body: Uint8Array<ArrayBuffer>) =>
  (JSON.parse(new TextDecoder().decode(body)) as { curve: { mean: number | null }[] }).curve.flatMap(({ mean }) => mean ?? []);

function casesOf(): Case[] {
  const [cutImages, side] = [Math.min(100, IMAGES), SIDE * SCALE];
  const range = (images: number) => `sourceId=10&startTime=${timeOf(0)}&endTime=${timeOf(images - 1 + LAST)}`;
  return [
    {
      name: `light curve of 200", ${IMAGES} images`,
      images: IMAGES,
      path: `/v2/getLightCurve/?${range(IMAGES)}&x=100&y=150&width=200&height=200`,
      asked: { case: 'curve', box: [100, 150, 200] },
      read: curveMeans,
    },
    {
      name: `time-distance map of 850", ${IMAGES} images`,
      images: IMAGES,
      path: `/v2/getTimeDistance/?${range(IMAGES)}&path=-300,-300,300,300&format=npy`,
      asked: {
        case: 'map',
        path: [
          [-300, -300],
          [300, 300],
        ],
      },
      read: npyValues,
    },
    {
      name: `tracked cut-out 512 x 512, ${cutImages} images`,
      images: cutImages,
      path: `/v2/getCutout/?${range(cutImages)}&x=100&y=150&width=${side}&height=${side}&scale=${SCALE}&track=rotation&format=npy`,
      asked: { case: 'cutout', box: [100, 150, side] },
      read: npyValues,
    },
  ];
}

/** The body of the response to a path. */
type Get = (path: string) => Promise<Uint8Array<ArrayBuffer>>;

/** The service in this process over objects in memory: requests without HTTP, the local runtime and its simulated storage. */
async function inMemory(image: LargeImage): Promise<Get> {
  const objects = new MemoryObjectStore();
  const archive = testServices({ objects });
  const images: ArchivedImage[] = [];
  for (let minute = 0; minute < IMAGES; minute++) {
    const { fileName, file } = atMinute(image, minute);
    const result = await archive.ingest({ fileName, jp2: file, replace: false });
    if (result.outcome !== 'added') throw new Error(`Expected an image to be added, got ${JSON.stringify(result)}.`);
    images.push(result.image);
  }
  const times = { sourceId: CHANNELS[0].sourceId, toMs: START_MS + IMAGES * MINUTE_MS };
  const range = { ...times, parts: new Set<Part>(['A', 'B', 'C']), renew: false };
  for (let fromMs: number | null = START_MS; fromMs !== null; )
    ({ nextMs: fromMs } = await archive.makeCoefficients({ ...range, fromMs }));
  const app = servedApp(testServices({ objects, index: new MemoryImageIndex(images) }));
  return async (path) => {
    const response = await app.request(`http://bench.test${path}`);
    if (!response.ok) throw new Error(`Expected a measurement, got ${response.status}.`);
    return new Uint8Array(await response.arrayBuffer());
  };
}

/** Seconds of a request, the median of some, and its body. */
async function timed(get: Get, path: string) {
  let body = await get(path);
  const work = async () => {
    body = await get(path);
  };
  const times = await repeated(() => clockMs(work), ROUNDS, 0);
  return { value: median(times) / SECOND_MS, body };
}

async function measure(
  gets: { readonly http: Get; readonly memory: Get },
  { name, images, path, asked, read }: Case,
  files: readonly string[],
  { log, add }: Run,
): Promise<void> {
  const { value, body } = await timed(gets.http, path);
  const alone = (await timed(gets.memory, path)).value;
  const theirs = script({ ...asked, files, minutes: files.map((_, i) => i) });
  const against = theirs ? (theirs.seconds / files.length) * images : undefined;
  add(name, 'request', 's', value, against);
  add(name, 'storage in memory', 's', alone, against);
  if (!theirs) return;
  const { middle, most } = differences(read(body), theirs.values);
  const shares = [middle, most].map((share) => (100 * share).toFixed(3));
  log(`${name}: values differ by ${shares[0]} %, 95 % by at most ${shares[1]} %`);
  if (!(middle < 0.01)) throw new Error(`Expected ${name} to be as the script has it.`);
}

async function valuesAt(url: string, id: number, file: string, { add }: Run): Promise<void> {
  const at = (i: number) => ({ x: ((i * 7919) % 1200) - 600, y: ((i * 104_729) % 1200) - 600 });
  const asked = ({ x, y }: { x: number; y: number }) => `${url}/v2/getValue/?id=${id}&x=${x}&y=${y}`;
  const times = await repeated((i) => clockMs(() => bodyOf(asked(at(i)))), VALUES, 0);
  const { x, y } = at(3);
  const ours = JSON.parse(new TextDecoder().decode(await bodyOf(asked({ x, y })))) as { value: number };
  const theirs = script({ case: 'value', places: [[x, y]], files: [file], minutes: [0] });
  add('value at a place', 'request, median', 'ms', median(times));
  add('value at a place', 'request, 95 %', 'ms', quantile(times, 0.95), theirs ? theirs.seconds * SECOND_MS : undefined);
  // OpenJPEG rounds some bytes to the next level.
  if (theirs && Math.abs(ours.value / theirs.values[0]! - 1) > 0.05)
    throw new Error(`Expected ${theirs.values[0]}, got ${ours.value}.`);
}

/** Reads all chunks of an array of each of the stores, several at once. */
async function chunks(url: string, name: 'bytes' | 'values', { add }: Run): Promise<void> {
  const work: (() => Promise<unknown>)[] = [];
  for (const { sourceId } of CHANNELS) {
    for (let minute = 0; minute < OF_CHANNEL; minute++) {
      const base = `${url}/zarr/${sourceId}/${timeOf(minute)}/${timeOf(minute + LAST)}/all/`;
      const { url: pinned } = await ofNewClient(base);
      const store = await zarr.withConsolidatedMetadata(new zarr.FetchStore(pinned, { fetch: ofNewClient }));
      const array = await zarr.open(zarr.root(store).resolve(`0/${name}`), { kind: 'array' });
      const [, rows, columns] = array.shape.map((size, axis) => Math.ceil(size / array.chunks[axis]!)) as [
        number,
        number,
        number,
      ];
      for (let i = 0; i < rows * columns; i++) work.push(() => array.getChunk([0, Math.floor(i / columns), i % columns]));
    }
  }
  const count = work.length;
  const ms = await clockMs(() =>
    Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = work.pop(); next; next = work.pop()) await next();
      }),
    ),
  );
  const stores = `${CHANNELS.length * OF_CHANNEL} stores of ${CHANNELS.length} channels`;
  add(`Zarr, ${name} of ${stores}`, 'chunks', '1/s', (count * SECOND_MS) / ms);
}

async function fill(url: string, images: readonly LargeImage[], log: Run['log']): Promise<void> {
  for (const [channel, image] of images.entries()) {
    const count = channel === 0 ? IMAGES : OF_CHANNEL;
    log(`adds ${count} images of ${image.name}`);
    await ingestCopies(url, image, count);
    await makeSidecars(url, CHANNELS[channel]!.sourceId, timeOf(0), timeOf(count));
  }
}

export const bench: Bench = (run) =>
  inFolder(async (folder) => {
    const images = await largeImages(
      run.log,
      CHANNELS.map(({ part }) => part),
    );
    const files = await Promise.all(
      Array.from({ length: SCRIPT_IMAGES }, async (_, minute) => {
        const path = join(folder, `${minute}.jp2`);
        await writeFile(path, atMinute(images[0]!, minute).file);
        return path;
      }),
    );
    await withService(run.log, async (url) => {
      await fill(url, images, run.log);
      const listed = await bodyOf(`${url}/v2/listImages/?sourceId=10&startTime=${timeOf(0)}&endTime=${timeOf(LAST)}`);
      const [first] = JSON.parse(new TextDecoder().decode(listed)).images as { id: number }[];
      await valuesAt(url, first!.id, files[0]!, run);
      for (const name of ['values', 'bytes'] as const) await chunks(url, name, run);
      const gets = { http: (path: string) => bodyOf(url + path), memory: await inMemory(images[0]!) };
      for (const one of casesOf()) await measure(gets, one, files, run);
    });
  });

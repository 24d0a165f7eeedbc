// Coefficient sidecars of archived images: which objects a window reads, and right samples whatever the state of the objects.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encodeSamples } from '../../../demo/jp2/openjpeg.ts';
import { sidecarKey } from '../../../src/archive/keys.ts';
import { Coefficients, partKey } from '../../../src/archive/reading/coefficients.ts';
import { ImageReader } from '../../../src/archive/reading/image-reader.ts';
import { cellsOfA, type Part } from '../../../src/jp2/coefficients/format.ts';
import { decodeFileWindow } from '../../../src/jp2/decode.ts';
import { encodeSidecar, indexJp2, SIDECAR_VERSION } from '../../../src/jp2/sidecar.ts';
import type { Rect } from '../../../src/jp2/structure.ts';
import { UNTIMED } from '../../../src/platform/ports/timing.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { decodeFrom } from '../../support/imaging/decode.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { makeRaster } from '../../support/imaging/rasters.ts';
import { jp2File } from '../../support/jp2/jp2-file.ts';
import { largeIndexes, regionOfInterest, severalTiles } from '../../support/jp2/without-sidecar.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';

const PARTS: readonly Part[] = ['A', 'B', 'C'];
/** Full resolution is in part C, a half in B, a quarter and less in A. */
const SIDE = 1100;
const FINE: Rect = { x0: 300, y0: 200, x1: 700, y1: 520 };

const streamOf = (seed: number, components = 1, side = SIDE) =>
  encodeSamples(makeRaster({ width: side, height: side, components, seed }), { lossless: false, levels: 5, order: 2 });
const FILE = jp2File(streamOf(1));
const OTHER_FILE = jp2File(streamOf(2));

class Archive {
  readonly objects = new MemoryObjectStore();
  readonly logged: unknown[] = [];
  readonly #makes: readonly Part[];

  constructor(makes: readonly Part[] = PARTS) {
    this.#makes = makes;
  }

  async add(file: Uint8Array, fileName = 'image.jp2'): Promise<ArchivedImage> {
    const sha256 = createHash('sha256').update(file).digest('hex');
    const key = `jp2/TEST/${sha256.slice(0, 4)}/${fileName}`;
    const index = indexJp2(file);
    const made = makeImage(10, 0, { fileName, key, sha256, byteLength: file.length });
    const image = { ...made, id: 26, geometry: { ...made.geometry, width: index.size.x1, height: index.size.y1 } };
    const sidecar = encodeSidecar(index);
    await this.objects.put(image.key, file);
    await this.objects.put(sidecarKey(image.key, SIDECAR_VERSION), sidecar);
    await this.coefficients().makeFirst(image, sidecar, file);
    return image;
  }

  /** Coefficients of a new isolate. */
  coefficients(turn: (ms: number) => Promise<void> = async () => undefined): Coefficients {
    return new Coefficients({
      objects: this.objects,
      makes: this.#makes,
      log: (record) => this.logged.push(record),
      memory: anyMemory(),
      turn,
    });
  }

  /** A window drawn in a new isolate, and what it read; then what the isolate makes afterwards. */
  async view(image: ArchivedImage, reduce: number, window = FINE) {
    const coefficients = this.coefficients();
    const reader = new ImageReader({ objects: this.objects, coefficients, memory: anyMemory() });
    this.objects.reads = [];
    const { samples } = await reader.samples(await reader.open(image), reduce, window);
    const names = new Map(PARTS.map((part) => [partKey(image, part), part as string]));
    const read = this.objects.reads.map(({ key }) => names.get(key) ?? key.slice(0, 3));
    await coefficients.makeRequested();
    return { samples, read };
  }

  part(image: ArchivedImage, part: Part): Uint8Array {
    return this.objects.objects.get(partKey(image, part))!;
  }

  store(image: ArchivedImage, part: Part, bytes: Uint8Array | null): void {
    if (bytes) this.objects.objects.set(partKey(image, part), bytes);
    else this.objects.objects.delete(partKey(image, part));
  }
}

const it = test.extend('archive', () => new Archive()).extend('image', ({ archive }) => archive.add(FILE));

const expected = (file: Uint8Array, reduce: number, window = FINE) =>
  decodeFrom(file, indexJp2(file), reduce, window)[0]!.samples;

/** Two images that have been viewed closely, made once. */
const complete = (async () => {
  const archive = new Archive();
  const [image, other] = [await archive.add(FILE), await archive.add(OTHER_FILE, 'other.jp2')];
  for (const each of [image, other]) await archive.view(each, 0);
  return { objects: archive.objects.objects, image, other };
})();

/** An archive of these images. */
async function completeArchive() {
  const { objects, ...images } = await complete;
  const archive = new Archive();
  for (const [key, object] of objects) archive.objects.objects.set(key, object);
  return { archive, ...images };
}

const derived = ({ objects }: Archive): string[] => [...objects.objects.keys()].filter((key) => key.startsWith('derived/'));

const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, i) => (i === at ? byte ^ 16 : byte));

describe('the coefficient sidecar of an image', () => {
  it('gains part A at the ingest, from which a coarse window takes one read', async ({ archive, image }) => {
    const { samples, read } = await archive.view(image, 2);
    expect(read).toEqual(['A']);
    expect(samples).toEqual(expected(FILE, 2));
  });

  it('has part A for what reads the file at the ingest, whose windows have the same samples', async ({ archive, image }) => {
    const index = indexJp2(FILE);
    const cells = cellsOfA((await archive.coefficients().makeFirst(image, encodeSidecar(index), FILE))!);
    expect([...cells.keys()]).toEqual([0, 1, 2, 3]);
    for (const reduce of [0, 1, 2])
      expect(decodeFileWindow(FILE, index, { reduce, window: FINE, cells })[0]!.samples).toEqual(expected(FILE, reduce));
  });

  it('pauses for other requests before each step while it is made, at the ingest as well', async ({ archive, image }) => {
    const turns: number[] = [];
    const coefficients = archive.coefficients(async (ms) => void turns.push(ms));
    await coefficients.makeFirst(image, encodeSidecar(indexJp2(FILE)), FILE);
    const atIngest = turns.length;
    expect(atIngest).toBeGreaterThan(5);
    await coefficients.make(image, indexJp2(FILE), new Set(PARTS), true);
    expect(turns.length - atIngest).toBeGreaterThan(2 * atIngest);
  });

  it('serves windows that are drawn at the same time from one read', async ({ archive, image }) => {
    const reader = new ImageReader({ objects: archive.objects, coefficients: archive.coefficients(), memory: anyMemory() });
    archive.objects.reads = [];
    const opened = await Promise.all(Array.from({ length: 6 }, () => reader.open(image)));
    expect(archive.objects.reads.map(({ key }) => key)).toEqual([partKey(image, 'A')]);
    expect(new Set(opened.map(({ partA }) => partA)).size).toBe(1);
    expect(opened[0]!.partA).not.toBeNull();
  });

  it('repeats a read that failed', async ({ archive, image }) => {
    const failing = [new Error('R2 is away.')];
    const objects = {
      put: () => Promise.reject(new Error('Nothing is made.')),
      read: () => Promise.reject(new Error('No part is read.')),
      readAll: (key: string) => {
        const error = failing.pop();
        return error ? Promise.reject(error) : archive.objects.readAll(key);
      },
    };
    const coefficients = new Coefficients({ objects, makes: [], log: () => undefined, memory: anyMemory() });
    const both = await Promise.allSettled([coefficients.partA(image), coefficients.partA(image)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await coefficients.partA(image)).not.toBeNull();
  });

  it('gains parts B and C after the first fine window, and the next takes one read of each', async ({ archive, image }) => {
    const first = await archive.view(image, 0);
    expect(first.read.filter((name) => name !== 'jp2')).toEqual(['A']);
    expect(first.samples).toEqual(expected(FILE, 0));
    const second = await archive.view(image, 0);
    expect(second.read.sort()).toEqual(['A', 'B', 'C']);
    expect(second.samples).toEqual(expected(FILE, 0));
    expect((await archive.view(image, 1)).read.sort()).toEqual(['A', 'B']);
  });

  it('gives the strips of a window from one read of each part', async () => {
    const { archive, image } = await completeArchive();
    const coefficients = archive.coefficients();
    const reader = new ImageReader({ objects: archive.objects, coefficients, memory: anyMemory() });
    archive.objects.reads = [];
    const tops: number[] = [];
    for await (const { y0, y1, samples } of reader.strips(await reader.open(image), FINE, 128, UNTIMED)) {
      tops.push(y0);
      expect(samples).toEqual(expected(FILE, 0, { ...FINE, y0, y1 }));
    }
    expect(tops).toEqual([200, 328, 456]);
    expect(archive.objects.reads.map(({ key }) => key).sort()).toEqual(PARTS.map((part) => partKey(image, part)).sort());
  });

  it('gains part A alone after the first window, if that part has all of the image', async ({ archive }) => {
    const file = jp2File(encodeSamples(makeRaster({ width: 300, height: 200 }), { lossless: true }));
    const image = await archive.add(file);
    expect(archive.part(image, 'A')).toBeUndefined();
    const whole = { x0: 0, y0: 0, x1: 300, y1: 200 };
    await archive.view(image, 0, whole);
    const { samples, read } = await archive.view(image, 0, whole);
    expect([samples, read]).toEqual([expected(file, 0, whole), ['A']]);
  });

  it('lacks part C until it is needed', async ({ archive, image }) => {
    await archive.view(image, 1);
    expect(PARTS.filter((part) => archive.part(image, part))).toEqual(['A', 'B']);
    await archive.view(image, 0);
    expect((await archive.view(image, 0)).read.sort()).toEqual(['A', 'B', 'C']);
  });

  it.for([
    ['with a region of interest', regionOfInterest, []],
    ['of several tiles', severalTiles, []],
    ['of several components', () => ({ stream: streamOf(3, 3, 256), samples: null }), []],
    ['with quantiser indexes of 2^22 and more', largeIndexes, ['The quad code does not support magnitudes of 2^22 and more.']],
  ] as const)('skips images %s', async ([, make, failures]) => {
    const archive = new Archive();
    const { stream, samples } = make();
    const file = jp2File(stream);
    const image = await archive.add(file);
    const { size } = indexJp2(file);
    const window = { x0: size.x0, y0: size.y0, x1: size.x1, y1: size.y1 };
    const drawn = (await archive.view(image, 0, window)).samples;
    expect(drawn).toEqual(expected(file, 0, window));
    if (samples) expect(Array.from(drawn)).toEqual(Array.from(samples));
    expect(derived(archive)).toEqual([]);
    expect(archive.logged).toEqual(failures.map((failed) => ({ coefficients: 'image.jp2', failed })));
  });

  it('stays absent where nothing may be made', async () => {
    const archive = new Archive([]);
    const image = await archive.add(FILE);
    await archive.view(image, 0);
    expect(archive.part(image, 'B')).toBeUndefined();
  });

  it('gives the samples of the new file after an image was replaced', async () => {
    const { archive, image } = await completeArchive();
    const replacement = await archive.add(OTHER_FILE);
    expect((await archive.view(replacement, 0)).samples).toEqual(expected(OTHER_FILE, 0));
    expect((await archive.view(image, 0)).samples).toEqual(expected(FILE, 0));
  });

  it('logs a failure when the file is gone, and another when it cannot be decoded', async () => {
    const { archive, image } = await completeArchive();
    archive.store(image, 'A', null);
    archive.objects.objects.set(image.key, FILE.subarray(0, 5000));
    await expect(archive.view(image, 0)).rejects.toThrow(RangeError);
    const coefficients = archive.coefficients();
    coefficients.request(image, indexJp2(FILE), 'A', 'missing');
    await coefficients.makeRequested();
    expect(archive.logged).toEqual([
      { coefficients: 'image.jp2', failed: 'The bytes of a code-block lie outside the codestream.' },
    ]);
  });
});

const cut = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length >> 1);
const middle = (bytes: Uint8Array): Uint8Array => flipped(bytes, bytes.length >> 1);
const FAULTS: readonly (readonly [string, Part, (bytes: Uint8Array, other: Uint8Array) => Uint8Array | null])[] = [
  ['part A is missing', 'A', () => null],
  ['part A is empty', 'A', () => new Uint8Array(0)],
  ['part A is cut', 'A', cut],
  ['part A is of another version', 'A', (bytes) => flipped(bytes, 4)],
  ['the head of part A is damaged', 'A', (bytes) => flipped(bytes, 900)],
  ['a cell of part A is damaged', 'A', (bytes) => flipped(bytes, bytes.length - 20_000)],
  ['part B is missing', 'B', () => null],
  ['part B is cut', 'B', cut],
  ['part B is that of another image', 'B', (_, other) => other],
  ['part B is damaged', 'B', middle],
  ['part C is missing', 'C', () => null],
  ['part C is cut', 'C', cut],
  ['part C is that of another image', 'C', (_, other) => other],
  ['all cells of part C are damaged', 'C', (bytes) => bytes.map((byte) => byte ^ 1)],
];

it.for(FAULTS)('a window keeps its samples and the part is made again when %s', async ([, part, damage]) => {
  const { archive, image, other } = await completeArchive();
  const sound = archive.part(image, part);
  archive.store(image, part, damage(sound, archive.part(other, part)));
  const whole = { x0: 0, y0: 0, x1: SIDE, y1: SIDE };
  for (const reduce of [0, 1, 3]) {
    const faulty = archive.part(image, part);
    expect((await archive.view(image, reduce, whole)).samples).toEqual(expected(FILE, reduce, whole));
    if (reduce === 0) expect(archive.part(image, part)).not.toEqual(faulty);
  }
  archive.store(image, part, damage(sound, archive.part(other, part)));
  const reader = new ImageReader({ objects: archive.objects, coefficients: archive.coefficients(), memory: anyMemory() });
  for await (const { y0, y1, samples } of reader.strips(await reader.open(image), whole, 300, UNTIMED)) {
    expect(samples).toEqual(expected(FILE, 0, { ...whole, y0, y1 }));
  }
  await archive.view(image, 0, whole);
  // Part A comes back without the others, which the next fine window adds.
  await archive.view(image, 0);
  expect(archive.part(image, part)).toEqual(sound);
  expect((await archive.view(image, 0)).read.sort()).toEqual(['A', 'B', 'C']);
});

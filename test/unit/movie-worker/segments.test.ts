import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSkipped, ImpossibleMovie } from '../../../containers/movie/draw/frames.ts';
import { segmentFile } from '../../../containers/movie/encode/encoder.ts';
import {
  encoderTag,
  fetchSegments,
  sealed,
  segmentObjectName,
  segmentStem,
  unsealed,
  usableSegments,
} from '../../../containers/movie/encode/segments.ts';
import { SEGMENT_NAME } from '../../../src/movies/movie.ts';
import type { BuildClaim } from '../../../src/movies/worker-protocol.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const ENCODINGS = ['mp4', 'hq', 'webm'] as const;
const TAG = await encoderTag({ description: 'ffmpeg 5.1.9: H.264, VP9' });

const CLAIM: BuildClaim = {
  build: 1,
  lease: 'lease',
  leaseMs: 1000,
  attempt: 2,
  recipe: '',
  frames: Array(12).fill({ atMs: 0, images: [] }),
  images: [],
  output: { width: 2, height: 2 },
  metadata: { title: '', description: '', comment: '', createdAtMs: 0 },
  segments: [],
};

const namesOf = (from: number, to: number, skipped = 0, tag = TAG) =>
  ENCODINGS.map((encoding) => segmentObjectName({ from, to, skipped }, encoding, tag));

it('saved segments are named as the service accepts, and used up to the first gap, with their counts of skipped frames', () => {
  expect(namesOf(0, 50, 2).every((name) => SEGMENT_NAME.test(name))).toBe(true);
  expect(namesOf(0, 50, 2)).toEqual([
    `part-0000-0050.mp4.${TAG}-2.mp4`,
    `part-0000-0050.hq.${TAG}-2.mp4`,
    `part-0000-0050.webm.${TAG}-2.webm`,
  ]);
  const names = [...namesOf(50, 90, 1), ...namesOf(0, 50, 2), ...namesOf(100, 150)];
  expect(usableSegments(names, TAG)).toEqual([
    { stem: segmentStem(0), from: 0, to: 50, skipped: 2 },
    { stem: segmentStem(50), from: 50, to: 90, skipped: 1 },
  ]);
});

it('saved segments ignores segments without all encodings, without the first segment, and from another encoder', async () => {
  expect(usableSegments(namesOf(0, 50).slice(0, 2), TAG)).toEqual([]);
  expect(usableSegments(namesOf(10, 50), TAG)).toEqual([]);
  expect(usableSegments(namesOf(0, 50, 0, await encoderTag({ description: 'another' })), TAG)).toEqual([]);
  expect(usableSegments(['part-0000-0050.mp4.mp4', 'movie.mp4', ''], TAG)).toEqual([]);
});

it('saved segments uses the longest of several segments that start at the same frame', () => {
  expect(usableSegments([...namesOf(0, 20), ...namesOf(0, 50), ...namesOf(20, 30)], TAG)).toHaveLength(1);
});

describe('the segments of earlier attempts', () => {
  const folder = testFolder('each test');

  const ENCODER = { description: 'ffmpeg 5.1.9: H.264, VP9' };
  const contentOf = (name: string) => new Uint8Array(Buffer.from(`content of ${name}`));

  /** Fetches segments of a build of 12 frames; `damage` changes the stored objects. */
  async function fetch(names: readonly string[], damage: (name: string, object: Uint8Array) => Uint8Array | null) {
    const lines: string[] = [];
    const service = {
      segment: async (_claim: unknown, name: string) =>
        damage(name, new Uint8Array(await (await sealed(contentOf(name))).arrayBuffer())),
      store: async () => undefined,
    };
    const claim = { ...CLAIM, segments: names };
    const signal = AbortSignal.timeout(10_000);
    const fetched = await fetchSegments({ service, claim, folder, encoder: ENCODER, signal, log: (line) => lines.push(line) });
    return { ranges: fetched.map(({ from, to }) => [from, to]), fetched, lines };
  }

  const NAMES = [...namesOf(0, 4), ...namesOf(4, 6), ...namesOf(4, 8), ...namesOf(6, 9), ...namesOf(8, 12)];

  it('writes segments of earlier attempts to the folder without their digests', async () => {
    const { ranges, fetched, lines } = await fetch(NAMES, (_, object) => object);
    expect([ranges, lines]).toEqual([
      [
        [0, 4],
        [4, 8],
        [8, 12],
      ],
      [],
    ]);
    const name = segmentObjectName({ from: 4, to: 8, skipped: 0 }, 'webm', TAG);
    expect(new Uint8Array(await readFile(join(folder, segmentFile(fetched[1]!.stem, 'webm'))))).toEqual(contentOf(name));
  });

  it.each([
    ['flipped', (object: Uint8Array) => object.map((byte, i) => (i === 3 ? byte ^ 0x80 : byte))],
    ['cut', (object: Uint8Array) => object.subarray(0, object.length >> 1)],
    ['gone', () => null],
  ])('uses segments beside one whose object is %s', async (state, change) => {
    const bad = segmentObjectName({ from: 4, to: 8, skipped: 0 }, 'webm', TAG);
    const { ranges, lines } = await fetch(NAMES, (name, object) => (name === bad ? change(object) : object));
    expect(ranges).toEqual([
      [0, 4],
      [4, 6],
      [6, 9],
    ]);
    const line = `the stored segment ${bad} is damaged: its frames are encoded again`;
    expect(lines).toEqual(state === 'gone' ? [] : [line]);
  });

  it('uses no segment when all of them are damaged', async () => {
    expect((await fetch(NAMES, (_, object) => object.subarray(1))).ranges).toEqual([]);
  });
});

const file = Uint8Array.from({ length: 1000 }, (_, i) => (i * 7) % 256);
const objectOf = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await (await sealed(bytes)).arrayBuffer());

it('the object of a segment contains its file, and refuses a segment when a byte of it is changed, cut or added', async () => {
  expect(await unsealed(await objectOf(file))).toEqual(file);
  expect(await unsealed(await objectOf(new Uint8Array()))).toEqual(new Uint8Array());
  const object = await objectOf(file);
  for (const at of [0, 500, 999, 1000, object.length - 1]) {
    const flipped = object.slice();
    flipped[at]! ^= 1;
    expect([at, await unsealed(flipped)]).toEqual([at, null]);
  }
  for (const length of [0, 1, 31, 32, 1000, object.length - 1]) expect(await unsealed(object.subarray(0, length))).toBeNull();
  expect(await unsealed(new Uint8Array([...object, 0]))).toBeNull();
});

it.each([
  [0, 10],
  [3, 10],
  [3, 30],
  [30, 300],
  [1, 3],
  [0, 2],
])('the limit of skipped frames allows %i of %i frames', (skipped, planned) => {
  expect(() => checkSkipped(skipped, planned)).not.toThrow();
});

it.each([
  [4, 10, 'At least 7 of the 10 frames need readable images, but those of 4 are damaged or missing.'],
  [31, 300, 'At least 270 of the 300 frames need readable images, but those of 31 are damaged or missing.'],
  [1, 2, 'At least 2 of the 2 frames need readable images, but those of 1 are damaged or missing.'],
])('the limit of skipped frames rejects %i of %i frames with a sentence for users', (skipped, planned, sentence) => {
  expect(() => checkSkipped(skipped, planned)).toThrow(new ImpossibleMovie(sentence));
});

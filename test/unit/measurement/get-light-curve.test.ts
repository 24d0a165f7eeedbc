import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { FIGURES } from '../../../src/sun/laws/value.ts';
import { runPython } from '../../support/measurement/python.ts';
import { itRefuses } from '../../support/measurement/refusals.ts';
import { AIA_171, decodedSample, HMI, LASCO_C2, NOON, openjpegSample, SIZE } from '../../support/measurement/samples.ts';
import { iso, type LightCurve, measuringService, repeatedService } from '../../support/measurement/service.ts';
import type { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { hasModules } from '../../support/programs.ts';

/** In which all reads of a round begin. */
const ROUND_MS = 20;
const BOX = { frame: 'pixel', x: 300.5, y: 200.5, width: 40, height: 20 };

const one = measuringService();
const hasPython = hasModules('numpy');

/** A service in which an image of AIA 171 was taken at each of these times, and its light curves. */
async function repeated(timesMs: readonly number[]) {
  const service = await repeatedService(timesMs);
  const { range } = service;
  const curve = async (parameters: Readonly<Record<string, unknown>>) => {
    const response = await service.ask('getLightCurve', { ...range, ...parameters });
    const body = await response.text();
    if (!response.ok) throw new Error(body);
    return JSON.parse(body) as LightCurve;
  };
  return { ...service, curve };
}

const every = (count: number, ms: number) => Array.from({ length: count }, (_, i) => NOON + i * ms);

/** Lets reads wait until no more are begun. @returns how often some have been let go together */
function inRounds(objects: MemoryObjectStore): () => number {
  let [rounds, waiting]: [number, (() => void)[]] = [0, []];
  const turn = async () => {
    if (waiting.length === 0)
      setTimeout(() => {
        rounds += 1;
        for (const go of waiting.splice(0)) go();
      }, ROUND_MS);
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const [read, readAll] = [objects.read.bind(objects), objects.readAll.bind(objects)];
  objects.read = async (...range) => turn().then(() => read(...range));
  objects.readAll = async (key) => turn().then(() => readAll(key));
  return () => rounds;
}

describe('getLightCurve', () => {
  it('measures every image of a range of several pages of the index, and refuses more than a thousand', async () => {
    const { curve, ask, range } = await repeated(every(1001, 12_000));
    const last = iso(NOON + 999 * 12_000);
    const { images, rows, curve: all } = await curve({ ...BOX, endTime: last });
    expect([images, rows, all.length]).toEqual([1000, 1000, 1000]);
    expect(all.every(({ mean, reason }) => typeof mean === 'number' && reason === null)).toBe(true);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1000);
    expect(all.map(({ date }) => date)).toEqual(every(1000, 12_000).map(iso));
    const response = await ask('getLightCurve', { ...range, ...BOX });
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      400,
      'The range has more than 1000 images: the next one is of 2024-05-10 15:20:00. Request it in parts, or with cadence=13.',
    ]);
  });

  it('reads the header, the law and the index of a new image at once', async () => {
    const { objects, ask } = await measuringService({}, undefined, [{ sourceId: AIA_171, timeMs: NOON }]);
    const rounds = inRounds(objects);
    const response = await ask('getLightCurve', { sourceId: AIA_171, startTime: iso(NOON), endTime: iso(NOON), ...BOX });
    expect(response.status).toBe(200);
    // The header for the place of the region; the law beside the sidecars, of which this image has the second; the pixels.
    expect(rounds()).toBe(4);
  });

  it('leaves gaps where there are no images, with and without a cadence', async () => {
    const times = [...every(10, 60_000), ...every(5, 60_000).map((ms) => ms + HOUR_MS)];
    const { curve } = await repeated(times);
    const all = await curve(BOX);
    expect(all.curve.map(({ reason }) => reason)).toEqual([...Array(10).fill(null), 'gap', ...Array(5).fill(null)]);
    expect(all.curve[10]).toMatchObject({ id: null, date: iso(NOON + 10 * 60_000), mean: null, count: null });
    const sampled = await curve({ ...BOX, cadence: 300 });
    expect(sampled.curve.map(({ reason }) => reason)).toEqual([null, null, null, ...Array(9).fill('gap'), null]);
  });

  it('rotates boxes all over the disc from the image in which they were drawn, whose figures are those of fixed boxes', async () => {
    const times = every(3, 12 * HOUR_MS);
    const { curve } = await repeated(times);
    for (let i = 0; i < 20; i += 3) {
      const region = {
        x: -400 + 190 * (i % 5),
        y: -300 + 200 * Math.floor(i / 5),
        width: 60,
        height: 48,
        statistics: 'mean,sum',
      };
      // Within half an interval of the middle image.
      const trackFrom = iso(times[1]! + (i % 2 === 0 ? 1 : -1) * HOUR_MS);
      const tracked = await curve({ ...region, track: 'rotation', trackFrom });
      const [fixed, first] = [await curve(region), await curve({ ...region, track: 'rotation' })];
      expect([first.rotation, fixed.rotation]).toEqual([expect.stringMatching(/^Howard/), null]);
      expect(tracked.rotation).toBe(`${first.rotation}; from ${trackFrom}`);
      // The vertices of the edges add and take off parts of pixels.
      expect(Number(tracked.curve[1]!.mean) / Number(fixed.curve[1]!.mean)).toBeCloseTo(1, 2);
      expect(Math.abs(Number(tracked.curve[1]!.count) / Number(fixed.curve[1]!.count) - 1)).toBeLessThan(0.02);
      expect(tracked.curve[0]!.mean).not.toBe(first.curve[0]!.mean);
    }
  });

  it('gives no values behind the limb', async () => {
    const { curve } = await repeated(every(4, 48 * HOUR_MS));
    const { curve: rows } = await curve({ circle: '750,0,60', track: 'rotation' });
    expect(rows.map(({ reason }) => reason)).toEqual([null, null, 'no-data', 'no-data']);
  });

  it('gives the figures of numpy, within half a level of those of OpenJPEG, in their intervals', async () => {
    const { curve } = await repeated([NOON]);
    const { x, y, width, height } = BOX;
    const rows = Array.from({ length: height }, (_, i) => SIZE - (y + 0.5 + height / 2 - i) + 1);
    const box = (bytes: Uint8Array) =>
      Buffer.concat(rows.map((row) => bytes.subarray(row * SIZE + x - 0.5 - width / 2, row * SIZE + x - 0.5 + width / 2)));
    const boxes = [await decodedSample(AIA_171), await openjpegSample(AIA_171)].map(box);
    const threshold = 150;
    const { curve: found } = await curve({ ...BOX, statistics: FIGURES.join(','), threshold });
    const [row] = found;
    expect(row!.count).toBe(width * height);
    expect(boxes[0]!.length).toBe(width * height);
    if (!hasPython) return;
    const area = 4.8 ** 2;
    const input = JSON.stringify({ lo: 1, hi: 40, threshold, area, boxes: boxes.map((bytes) => bytes.toString('base64')) });
    const [own, judged] = JSON.parse(runPython('region_figures.py', input)) as Record<string, number>[];
    for (const name of FIGURES) {
      const value = Number(row![name]);
      if (name === 'area') continue;
      expect(value / own![name]!, name).toBeCloseTo(1, 6);
      // A level is about 2 % wide here.
      expect(Math.abs(value / judged![name]! - 1), name).toBeLessThan(0.01);
      expect(Number(row![`${name}Lower`])).toBeLessThan(judged![name]!);
      expect(Number(row![`${name}Upper`])).toBeGreaterThan(judged![name]!);
    }
    expect(Number(row!.area)).toBeCloseTo(own!.area!, 0);
  });

  itRefuses(
    async (parameters) => {
      const range = { sourceId: AIA_171, startTime: '2024-05-10T11:00:00Z', endTime: '2024-05-10T13:00:00Z' };
      return (await one).ask('getLightCurve', { ...range, x: 0, y: 0, width: 100, height: 100, ...parameters });
    },
    [
      ['a group of datasources', { sourceId: 10_001 }, 400, /single datasource for sourceId/],
      ['an unknown datasource', { sourceId: 77_777 }, 400, /datasource, as getDataSources has it, for sourceId, got 77777/],
      ['an area without a threshold', { statistics: 'area' }, 400, /^statistics=area requires threshold/],
      ['an image without a law', { sourceId: LASCO_C2 }, 422, /no physical values.* With raw=true, its levels are given\./],
      ['a region off the image', { x: 9000 }, 400, /region of the image, which has 512 x 512 pixels, for x/],
      ['a tracked region off the disc', { x: 1100, track: 'rotation' }, 400, /on the disc of the first image.*for x, got 1100/],
      [
        'a time of a fixed region',
        { trackFrom: '2024-05-10T12:00:00Z' },
        400,
        /rotation, which trackFrom needs, for track, got none/,
      ],
      ['a region without data', { sourceId: HMI, x: 1020, y: 0, width: 10, height: 10 }, 404, /no data in this region/],
      ['a range without images', { startTime: '2020-01-01', endTime: '2020-01-02' }, 404, /no images from 2020/],
      ['swapped times', { endTime: '2024-05-10T10:00:00Z' }, 400, /a time after startTime for endTime/],
      ['too fine a cadence', { cadence: 1 }, 400, /8 seconds or more, for at most 1000 images in this range, for cadence, got 1/],
    ],
  );
});

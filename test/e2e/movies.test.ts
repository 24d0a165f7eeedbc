import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { seriesShots } from '../../demo/archive.ts';
import { addressIn, viewOf } from '../../src/picture/address/address-in.ts';
import { readPng } from '../support/imaging/read-png.ts';
import { probeVideo } from '../support/movies/ffprobe.ts';
import { type ServedArchive, serveArchive } from '../support/served-archive.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const HALF_HOUR_MS = 1_800_000;
const FRAMES = 12;
const MOVIE_TIMEOUT_MS = 100_000;

const [WIDTH, HEIGHT] = [320, 240];
const FIELD = `imageScale=36&x0=0&y0=0&width=${WIDTH}&height=${HEIGHT}`;
const MOVIE = `startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T18:00:00Z&layers=[11,1,100],[4,1,100]&events=[AR,all,1]&eventsLabels=true&${FIELD}&frameRate=12`;

interface Status {
  readonly status: number;
  readonly url: string;
  readonly thumbnails: Record<string, string>;
  readonly [field: string]: unknown;
}

let archive: ServedArchive;
let origin: string;

beforeAll(async () => {
  const shots = seriesShots({
    sources: [11, 4],
    fromMs: NOON,
    toMs: NOON + (FRAMES - 1) * HALF_HOUR_MS,
    cadenceMs: HALF_HOUR_MS,
    size: 256,
  });
  archive = await serveArchive(shots, { MOVIE_LEASE_SECONDS: '4', MOVIE_WORKERS: '1' });
  origin = archive.service.url;
});

afterAll(() => archive?.close());

const getJson = async <T>(path: string) => (await fetch(origin + path)).json() as Promise<T>;
const statusOf = (id: string, format = 'mp4') => getJson<Status>(`/v2/getMovieStatus/?id=${id}&format=${format}&verbose=true`);
const queue = (query: string) => getJson<{ id: string; eta: number; queue: number; token: string }>(`/v2/queueMovie/?${query}`);

/** Waits until all files of a movie are stored, the flv last, or it is invalid; returns its status. */
async function finished(id: string): Promise<Status> {
  const deadline = performance.now() + MOVIE_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if ((await statusOf(id, 'flv')).status >= 2) return statusOf(id);
    await sleep(200);
  }
  throw new Error(`Expected movie ${id} to end, got ${JSON.stringify(await statusOf(id))}.`);
}

describe('a movie of the sample archive', () => {
  let id: string;
  let status: Status;

  beforeAll(async () => {
    const queued = await queue(MOVIE);
    expect(queued).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9]{5,}$/),
      eta: expect.any(Number),
      queue: 0,
      token: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    id = queued.id;
    status = await finished(id);
  });

  it('finishes a movie, which its status describes', () => {
    expect(status).toMatchObject({
      status: 2,
      statusLabel: 'Completed',
      frameRate: 12,
      numFrames: FRAMES,
      width: WIDTH,
      height: HEIGHT,
      duration: 1,
      imageScale: 36,
      layers: '[11,1,100],[4,1,100]',
      events: '[AR,all,1]',
      startDate: expect.stringMatching(/^2024-05-10 12:00:\d\d$/),
      endDate: expect.stringMatching(/^2024-05-10 17:30:\d\d$/),
      title: expect.stringMatching(/^SDO AIA 193, SOHO LASCO C2 white-light \(2024-05-10 12:00:\d\d - 17:30:\d\d UTC\)$/),
    });
  });

  it.each([
    ['mp4', false, 'h264', 'yuv420p'],
    ['mp4', true, 'h264', 'yuv420p'],
    ['webm', false, 'vp9', 'yuv420p'],
    ['flv', false, 'h264', 'yuv420p'],
  ])('downloads as %s (hq %s) with the right frames, size, rate and duration', async (format, hq, codec, pixels) => {
    const response = await fetch(`${origin}/v2/downloadMovie/?id=${id}&format=${format}&hq=${hq}`);
    expect([response.status, response.headers.get('Content-Type')?.startsWith('video/')]).toEqual([200, true]);
    const name = `_AIA_193__LASCO_C2${hq ? '-hq' : ''}.${format}"`;
    expect(response.headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="2024_05_10_12_00_\d\d_2024_05_10_17_30_\d\d_/,
    );
    expect(response.headers.get('Content-Disposition')).toContain(name);
    const file = join(archive.folder, `movie.${format}`);
    await writeFile(file, new Uint8Array(await response.arrayBuffer()));
    const video = await probeVideo(file);
    expect(video).toMatchObject({
      codec,
      pixelFormat: pixels,
      width: WIDTH,
      height: HEIGHT,
      averageFrameRate: '12/1',
      frames: FRAMES,
    });
    // FLV has no negative timestamps, so its first frame is presented later.
    expect(video.durationSeconds - video.startSeconds).toBeCloseTo(1, 2);
  });

  it.each(['mp4', 'webm'])('names in %s the address that queues it again and the view that shows it', async (format) => {
    const response = await fetch(`${origin}/v2/downloadMovie/?id=${id}&format=${format}`);
    const address = addressIn(new Uint8Array(await response.arrayBuffer()))!;
    expect(viewOf(address)).toBe(
      '/?date=2024-05-10T12:00:00.000Z&imageLayers=[11,1,100],[4,1,100]&centerX=0&centerY=0&imageScale=36',
    );
    const again = (await (await fetch(origin + address, { method: 'POST' })).json()) as { id: string };
    // It shares the build that is finished.
    expect((await statusOf(again.id)).status).toBe(2);
  });

  it('shows a preview that equals the screenshot at the time of the middle frame', async () => {
    const closest = await getJson<{ date: string }>(`/v2/getClosestImage/?sourceId=11&date=2024-05-10T15:00:00Z`);
    const date = `${closest.date.replace(' ', 'T')}Z`;
    const shot = `date=${date}&layers=[11,1,100],[4,1,100]&events=[AR,all,1]&eventLabels=true&${FIELD}&display=true`;
    const [preview, screenshot] = await Promise.all(
      [status.thumbnails.full!, `${origin}/v2/takeScreenshot/?${shot}`].map(async (url) =>
        readPng(new Uint8Array(await (await fetch(url)).arrayBuffer())),
      ),
    );
    expect([preview!.width, preview!.height]).toEqual([WIDTH, HEIGHT]);
    expect(Buffer.compare(preview!.samples, screenshot!.samples)).toBe(0);
  });
});

it('a service leaves no processes behind when it is interrupted during a movie', async () => {
  const { id } = await queue(MOVIE.replace(/layers=[^&]+/, 'layers=[11,1,30],[4,1,30]'));
  await vi.waitFor(async () => expect((await statusOf(id)).status).toBe(1), { timeout: MOVIE_TIMEOUT_MS });
  const { code } = await archive.service.interrupt();
  expect(code).toBe(0);
  await vi.waitFor(() => expect(archive.service.processes()).toEqual([]), { timeout: 2_000 });
  expect(readFileSync(join(archive.folder, 'state', 'movie-token'), 'utf8').trim()).toMatch(/^[\w-]{32}$/);
});

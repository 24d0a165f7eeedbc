import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { drawnFrames, framesOf, markersOf } from '../../../containers/movie/draw/frames.ts';
import { DrawPool, type DrawResult } from '../../../containers/movie/draw/pool.ts';
import { ServiceUnavailable } from '../../../containers/movie/service.ts';
import type { FrameMarkers, PixelFormat } from '../../../src/archive/drawing/frame-renderer.ts';
import { sidecarKey } from '../../../src/archive/keys.ts';
import { SIDECAR_VERSION } from '../../../src/jp2/sidecar.ts';
import { referenceYuv420 } from '../../support/imaging/reference-drawing.ts';
import { renderFrame } from '../../support/imaging/rgb-frame.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { MovieTestService, type PlannedBuild } from '../../support/movies/movie-service.ts';
import { movieArchive, plannedBuild, SCENE } from '../../support/movies/planned-builds.ts';

const TWO_LAYERS = { layers: '[10,1,100],[4,1,60]', scale: true, scaleType: 'earth', imageScale: 60 };
const MARKERS: FrameMarkers = {
  events: [{ pin: 'AR', colour: '#ff8800', x: 40, y: 30, label: ['AR 12345'], polygons: [] }],
  movies: [{ x: 60, y: 20, label: 'a movie' }],
};

const poolOf = ({ url }: MovieTestService, threads = 2, idleMs: number | null = null) =>
  new DrawPool({ threads, setup: { serviceUrl: url, token: MOVIE_TOKEN, cacheBytes: 16 << 20, idleMs } });

const archive = await movieArchive(10);
const service = await MovieTestService.start(archive);
const pool = poolOf(service);

describe('movie frames', () => {
  afterAll(async () => {
    await pool.close();
    await service.close();
  });

  async function draw(planned: PlannedBuild, markers: FrameMarkers = {}, format: PixelFormat = 'rgb'): Promise<DrawResult[]> {
    const results: DrawResult[] = [];
    for await (const { frame, result } of drawnFrames(pool, framesOf(planned).frames, 0, async () => markers, format)) {
      expect(frame).toBe(results.length);
      results.push(result);
    }
    return results;
  }

  /** Checks the pixels with `Buffer.compare`, because an equality of vitest takes milliseconds for each frame. */
  function expectPixels(result: DrawResult | undefined, expected: Uint8Array): void {
    expect(result).toHaveProperty('pixels');
    if (result && 'pixels' in result) expect(Buffer.compare(result.pixels, expected)).toBe(0);
  }

  it.each([
    ['one layer', { layers: '[10,1,100]' }, {}],
    ['two layers with a scale', TWO_LAYERS, {}],
    ['events and movie icons', { layers: '[10,1,100]' }, MARKERS],
    ['a grid and pins', { layers: '[10,1,100]', grid: true }, MARKERS],
    ['no watermark', { layers: '[10,1,70]', watermark: false }, {}],
    ['two layers on a sphere', { layers: '[10,1,100],[4,1,60]', projection: 'sphere,30,10' }, {}],
    ['filters on a sphere', { layers: '[10,1,100],[4,1,60]', filters: '[mgn],[rhef]', projection: 'sphere,30,10' }, {}],
    ['a filter, for which no image has been counted', { layers: '[10,1,100]', filters: '[rhef]' }, {}],
  ])('equal the screenshots of the same recipe pixel by pixel: %s', async (_, scene, markers) => {
    const planned = await plannedBuild(archive, scene);
    const drawn = await draw(planned, markers);
    expect(drawn).toHaveLength(10);
    for (const i of [0, 4, 9]) {
      const screenshot = await renderFrame(archive, { ...SCENE, ...scene, date: planned.frames[i]!.atMs }, markers);
      expectPixels(drawn[i], screenshot.pixels);
    }
  });

  it('reach the encoder as BT.709 of the screenshots, within two levels, also in the memory of earlier frames', async () => {
    const planned = await plannedBuild(archive, TWO_LAYERS);
    for (let pass = 0; pass < 2; pass++) {
      for (const [i, result] of (await draw(planned, {}, 'yuv420p')).entries()) {
        if (!('pixels' in result)) throw new Error(result.error);
        const date = planned.frames[i]!.atMs;
        const { pixels, width, height } = await renderFrame(archive, { ...SCENE, ...TWO_LAYERS, date });
        const expected = referenceYuv420(pixels, width, height);
        expect(result.pixels).toHaveLength(expected.length);
        const furthest = result.pixels.reduce((most, value, at) => Math.max(most, Math.abs(value - expected[at]!)), 0);
        expect(furthest).toBeLessThan(2);
        pool.reuse(result.pixels.fill(pass));
      }
    }
  });

  it('equal the screenshots of a running difference, which uses images twice', async () => {
    const scene = { layers: '[10,1,100,1,30,0]' };
    const planned = await plannedBuild(archive, scene, {}, 1);
    const drawn = await draw(planned);
    expect(planned.frames.map(({ images }) => images[0]?.[1])).toEqual(
      planned.frames.map(({ images }) => (images[0]?.[0] ?? 0) - 1),
    );
    for (const [i, { atMs }] of planned.frames.entries()) {
      const screenshot = await renderFrame(archive, { ...SCENE, ...scene, date: atMs });
      expectPixels(drawn[i], screenshot.pixels);
    }
  });

  it('share one read of an image that several of them show', async () => {
    const planned = await plannedBuild(archive, { ...TWO_LAYERS, imageScale: 61 });
    const images = await plannedBuild(archive, { layers: '[4,1,100]' });
    const key = archive.images.find(({ id }) => id === images.frames[1]?.images[0]?.[0])?.key;
    const alone = poolOf(service, 1);
    const before = service.requests.length;
    for await (const { result } of drawnFrames(alone, framesOf(planned).frames, 0, async () => ({})))
      expect(result).toHaveProperty('pixels');
    await alone.close();
    const paths = service.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => path.endsWith(sidecarKey(key ?? '', SIDECAR_VERSION)))).toHaveLength(1);
    // Two of its pixels, and one of its header for the watermark.
    expect(paths.filter((path) => path.endsWith(key ?? '')).length).toBeLessThanOrEqual(3);
  });

  it('fail one by one if their images are damaged or missing', async () => {
    const planned = await plannedBuild(archive);
    const keyOf = (frame: number) => archive.images.find(({ id }) => id === planned.frames[frame]?.images[0]?.[0])?.key ?? '';
    const { objects } = archive.objects;
    const kept = [2, 6].map((frame) => [keyOf(frame), objects.get(keyOf(frame)) as Uint8Array] as const);
    objects.set(keyOf(2), kept[0]![1].slice(0, 2000));
    objects.delete(keyOf(6));
    const fresh = poolOf(service);
    const drawn = await Array.fromAsync(drawnFrames(fresh, framesOf(planned).frames, 0, async () => ({})));
    await fresh.close();
    for (const [key, bytes] of kept) objects.set(key, bytes);
    expect(drawn.flatMap(({ frame, result }) => ('error' in result ? [frame] : []))).toEqual([2, 6]);
  });

  it('survive transient failures of the archive', async () => {
    const planned = await plannedBuild(archive, { imageScale: 33 });
    let failures = 0;
    service.fault = ({ path }) => {
      if (!path.startsWith('/internal/objects/') || failures++ % 2) return undefined;
      return (['drop', 503, 'drop-response'] as const)[failures % 3];
    };
    const drawn = await draw(planned);
    service.fault = () => undefined;
    expect(drawn.every((frame) => 'pixels' in frame)).toBe(true);
    expect(failures).toBeGreaterThan(10);
  });
});

it.each([
  [
    'draws a picture of the plane without markers',
    { layers: '[10,1,100]' },
    (given: Promise<FrameMarkers>) => expect(given).resolves.toEqual({}),
  ],
  [
    'draws no picture for an observer whose place it does not know',
    { layers: '[10,1,100]', projection: 'observer,mars' },
    (given: Promise<FrameMarkers>) => expect(given).rejects.toThrow(ServiceUnavailable),
  ],
])('a movie whose markers the service cannot give %s', async (_, recipe, expected) => {
  const planned = await plannedBuild(await movieArchive(2), recipe);
  const markers = markersOf({
    service: { markers: () => Promise.reject(new ServiceUnavailable('status 503')) },
    claim: { ...planned, build: 1, lease: 'lease' } as never,
    movie: framesOf(planned),
    signal: new AbortController().signal,
    log: () => undefined,
  });
  await expected(markers(0));
});

it('an idle drawing thread leaves part A of the coefficient sidecars behind, from which the next movie is drawn', async () => {
  const archive = await movieArchive(3);
  const service = await MovieTestService.start(archive);
  const { frames } = framesOf(await plannedBuild(archive));
  const drawn = (pool: DrawPool) =>
    Array.fromAsync(
      drawnFrames(pool, frames, 0, async () => ({}), 'rgb'),
      ({ result }) => result,
    );
  const [idle, next] = [poolOf(service, 1, 10), poolOf(service, 1)];
  try {
    const first = await drawn(idle);
    const heads = () => [...archive.objects.objects.keys()].filter((key) => key.startsWith('derived/coefficients/a/'));
    await vi.waitFor(() => expect(heads()).toHaveLength(frames.length), { timeout: 60_000, interval: 50 });
    service.requests.length = 0;
    expect(await drawn(next)).toEqual(first);
    expect(service.requests.filter(({ path }) => path.includes('/idx/'))).toEqual([]);
  } finally {
    await Promise.all([idle.close(), next.close()]);
    await service.close();
  }
});

describe('a drawing thread', () => {
  const setup = { serviceUrl: 'http://127.0.0.1:9', token: 'none', cacheBytes: 1, idleMs: null };
  const program = join(import.meta.dirname, '../../support/movies/stuck-thread.ts');

  afterEach(() => vi.useRealTimers());

  /** Draws frames of these widths by a clock that stands still, but for `pausesMs` after the first frame. */
  async function drawWidths(widths: readonly number[], pausesMs: number): Promise<DrawResult[]> {
    const { frames } = framesOf(await plannedBuild(await movieArchive(1)));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const pool = new DrawPool({ threads: 1, setup, program, stuckMs: 1_000 });
    const [{ recipe, images } = frames[0]!] = frames;
    const drawn = widths.map((width) =>
      pool.draw({ recipe: { ...recipe, width, height: 1 }, images, markers: {}, format: 'rgb' }, 0),
    );
    await drawn[0];
    vi.advanceTimersByTime(pausesMs);
    const results = await Promise.all(drawn);
    await pool.close();
    return results;
  }

  const summary = (result: DrawResult) => ('pixels' in result ? result.pixels.length : result.error);

  it.each<[string, number[], number, unknown[]]>([
    ['stuck', [4, 2, 5, 6, 7], 1_250, [12, 'the thread is stuck', 15, 18, 21]],
    ['dead', [3, 4, 3, 8], 0, ['the thread ended with 9', 12, 'the thread ended with 9', 24]],
  ])('gives way to another when %s, and fails only its current frame', async (_, widths, pausesMs, drawn) => {
    expect((await drawWidths(widths, pausesMs)).map(summary)).toEqual(drawn);
  });

  it('reports an unreachable archive differently from a missing image', async () => {
    const archive = await movieArchive(1);
    const service = await MovieTestService.start(archive);
    service.fault = () => 404;
    const pool = new DrawPool({ threads: 1, setup: { ...setup, serviceUrl: service.url, token: MOVIE_TOKEN } });
    const { frames } = framesOf(await plannedBuild(archive));
    const request = { ...frames[0]!, markers: {}, format: 'rgb' } as const;
    expect(summary(await pool.draw(request, 0))).toContain('missing');
    service.fault = () => 401;
    await expect(pool.draw(request, 0)).rejects.toThrow(ServiceUnavailable);
    await pool.close();
    await service.close();
  });
});

// The movie of a cut-out, from its request to the file.
import { describe, expect, test } from 'vitest';
import { cutLayers, movieOfCutout, placingOf } from '../../../src/measure/cutouts.ts';
import { frameRecipe } from '../../../src/movies/movie-recipe.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { pictureObserver } from '../../../src/sun/coordinates/observer.ts';
import { discAt } from '../../support/measurement/disc.ts';
import { itRefuses } from '../../support/measurement/refusals.ts';
import { movieArchive } from '../../support/movies/movie-archive.ts';

const it = test.extend('archive', () => movieArchive());

type Archive = ReturnType<typeof movieArchive>;

const START_MS = Date.UTC(2024, 0, 1);
/** Arcseconds as the observer saw them for one as seen from 1 au, in the images of the archive. */
const CORRECTION = 0.9862797742389285;
const REGION = { x: 100, y: 200, width: 480, height: 240, scale: 2.4 };

const ask = (archive: Archive, changes: Readonly<Record<string, string | number>> = {}, init?: RequestInit) => {
  const range = { sourceId: 13, startTime: '2024-01-01T00:00:00Z', endTime: '2024-01-01T05:00:00Z' };
  const values = Object.entries({ ...range, ...REGION, track: 'rotation', format: 'mp4', ...changes });
  return archive.get(`/v2/getCutout/?${new URLSearchParams(values.map(([name, value]) => [name, String(value)]))}`, init);
};

async function queued(archive: Archive, changes: Readonly<Record<string, string | number>> = {}) {
  const response = await ask(archive, changes);
  const location = new URL(response.headers.get('Location')!);
  const { build } = (await archive.register.find(location.searchParams.get('id')!))!;
  return { response, location, build };
}

describe('getCutout with format=mp4', () => {
  it('redirects to the download of a queued movie, which shows its progress and then the file', async ({ archive }) => {
    const { response, location } = await queued(archive);
    expect([response.status, response.headers.get('Cache-Control')]).toEqual([303, 'no-store']);
    expect([location.pathname, location.searchParams.get('format')]).toEqual(['/v2/downloadMovie/', 'mp4']);
    const waiting = await archive.get(location.pathname + location.search);
    expect([waiting.status, await waiting.json()]).toEqual([202, expect.objectContaining({ status: 0, numFrames: 31 })]);
    await archive.build();
    const file = await archive.get(location.pathname + location.search);
    expect([file.status, file.headers.get('Content-Type')]).toEqual([200, 'video/mp4']);
    expect(await file.text()).toMatch(/^movie\.mp4 /);
  });

  it('refuses HEAD, which would queue a movie, but not for a cube', async ({ archive }) => {
    const head = async (format: string) => {
      const { status, headers } = await ask(archive, { format }, { method: 'HEAD' });
      return [status, headers.get('Allow')];
    };
    expect(await head('mp4')).toEqual([405, 'GET, POST, OPTIONS']);
    expect(archive.nudges).toEqual([]);
    expect(await head('fits')).not.toContain(405);
  });

  it('queues the region as it is seen from 1 au, north up, and follows the rotation of the Sun', async ({ archive }) => {
    const { scene, followViewport, viewedAtMs } = (await queued(archive)).build.recipe;
    const arcsec = (value: number) => expect.closeTo(value / CORRECTION, 6);
    expect(scene.region).toEqual({ left: arcsec(-140), top: arcsec(-320), right: arcsec(340), bottom: arcsec(-80) });
    expect([scene.width, scene.height, scene.imageScaleArcsecPerPixel]).toEqual([200, 100, arcsec(2.4)]);
    expect([followViewport, viewedAtMs]).toEqual([true, null]);
    const fixed = await queued(archive, { track: 'none' });
    expect(fixed.build.recipe.followViewport).toBe(false);
  });

  it('queues a part of the screen plane of a projection, and a sphere that turns with the Sun', async () => {
    const checked: unknown[] = [];
    // The images of this archive have no files.
    const check = async (scene: object, ...timesMs: number[]) => void checked.push([scene, ...timesMs]);
    const archive = movieArchive({}, { projections: { check } as never });
    const { scene, followViewport } = (await queued(archive, { projection: 'Sphere,20.0,-5' })).build.recipe;
    expect([scene.region, scene.projection]).toEqual([
      { left: -140, top: -320, right: 340, bottom: -80 },
      { kind: 'sphere', longitude: 20, latitude: -5 },
    ]);
    expect([scene.width, scene.height, followViewport]).toEqual([200, 100, true]);
    expect(checked).toEqual([[scene, START_MS, START_MS + 5 * HOUR_MS]]);
    const turning = await queued(archive, { projection: 'sphere,0,0;sphere,120,20', track: 'none' });
    expect(turning.build.recipe.scene.projection).toMatchObject({ to: { longitude: 120, latitude: 20 } });
    expect((await queued(archive, { projection: 'plane' })).build.recipe.scene).not.toHaveProperty('projection');
  });

  it('shares the build of equal requests', async ({ archive }) => {
    const [first, second] = [await queued(archive), await queued(archive)];
    expect(second.build.id).toBe(first.build.id);
    expect((await queued(archive, { x: 101 })).build.id).not.toBe(first.build.id);
  });

  it('makes a frame for each step of the cadence', async ({ archive }) => {
    await queued(archive, { cadence: 1200 });
    expect((await archive.claim()).frames).toHaveLength(16);
  });

  it('shows several datasources in equal shares, with their operations', async ({ archive }) => {
    const { build } = await queued(archive, { sourceIds: 14 });
    expect(build.recipe.scene.layers).toMatchObject([
      { sourceId: 13, opacity: 100 },
      { sourceId: 14, opacity: 50 },
    ]);
    const enhanced = { filters: '[rhef],[mgn]', steady: '[],[true]', tints: '[red],[]', blends: '[],[add]' };
    const { scene } = (await queued(archive, { sourceIds: 14, ...enhanced })).build.recipe;
    expect(scene.layers).toMatchObject([
      { sourceId: 13, opacity: 100, filter: { name: 'rhef' }, tint: 'ff0000' },
      { sourceId: 14, opacity: 100, filter: { name: 'mgn' }, steady: true, blend: 'add' },
    ]);
  });

  it('keeps the tracked place in the middle of each frame within half a pixel of where the cut-out has it', () => {
    const grid = { frame: 'helioprojective', x: -300, y: 250, width: 301, height: 301, scale: 0.6 } as const;
    const request = movieOfCutout(
      {
        ...{ layers: cutLayers([13], {}), startMs: START_MS, endMs: START_MS + 24 * HOUR_MS, cadenceSeconds: null },
        ...{ scale: 0.6, isTracked: true, trackFromMs: null },
        box: { x: grid.x, y: grid.y, width: 180.6, height: 180.6 },
      },
      { scaleArcsecPerPixel: 0.6, scaleCorrection: 1 },
    );
    const region = { left: request.x1!, top: request.y1!, right: request.x2!, bottom: request.y2! };
    const scene = { region, imageScaleArcsecPerPixel: 0.6, width: 301, height: 301 };
    const movie = { scene, followViewport: true, viewedAtMs: null, overlayMagnification: 1 } as unknown as Parameters<
      typeof frameRecipe
    >[0];
    for (const hours of [0, 6, 24]) {
      const atMs = START_MS + hours * HOUR_MS;
      const { left, top, right, bottom } = frameRecipe(movie, atMs, START_MS).region;
      const pixel = placingOf(grid, discAt(START_MS, pictureObserver), discAt(atMs, pictureObserver), true)(150.5, 150.5)!;
      const [x, y] = [(left + right) / 2, -(top + bottom) / 2];
      expect(Math.hypot(pixel.x - 2048.5 - x / 0.6, pixel.y - 2048.5 - y / 0.6), `after ${hours} hours`).toBeLessThan(0.5);
    }
  });

  itRefuses<Readonly<Record<string, string | number>>>(
    (changes) => ask(movieArchive(), changes),
    [
      [
        'degrees',
        { frame: 'carrington', x: 10, y: 10, width: 20, height: 20 },
        400,
        /^frame=carrington cannot be combined with format=mp4/,
      ],
      ['five further datasources', { sourceIds: '8,9,10,11,12' }, 400, /at most 4 further datasources in a movie for sourceIds/],
      ['too fine a scale', { scale: 0.1 }, 400, /0\.117 arcseconds or more, .* at most 4096 pixels a side, for scale, got 0.1/],
      ['too coarse a scale', { scale: 300 }, 400, /at most 240 arcseconds, for a movie of a pixel or more, for scale, got 300/],
      ['a latitude of 100', { projection: 'sphere,0,100' }, 400, /a latitude from -90 to 90 for projection, got 100/],
      ['a projection of values', { projection: 'cea', format: 'fits' }, 400, /^projection cannot be combined with format=/],
      ['a filter of values', { filters: '[rhef]', format: 'npy' }, 400, /^filters cannot be combined with format=npy/],
      ['an unknown filter', { filters: '[rheff]' }, 400, /for filters, got \[rheff\]\. Did you mean rhef/],
      ['filters of two layers of one', { filters: '[rhef],[mgn]' }, 400, /at most 1 groups, one for each of layers, for filters/],
      ['a map that rotates', { projection: 'cea' }, 400, /Expected a sphere beside track=rotation for projection, got cea/],
      [
        'too fine a scale of a projection',
        { projection: 'sphere,0,0', scale: 0.2 },
        400,
        /0\.234 arcseconds .* 2048 pixels a side, for scale/,
      ],
      ['a range without images', { startTime: '2023-01-01T00:00:00Z', endTime: '2023-01-02T00:00:00Z' }, 404, /no images/],
      ['a range with too few', { endTime: '2024-01-01T00:10:00Z' }, 404, /A movie needs at least 4 images; there are 2/],
    ],
  );
});

// Views of the Sun in this process: a sphere of three layers, its tiles, and maps of the whole Sun. Processor time of files that nothing has
// read before, in compiled code; and the memory of a sphere beside its estimate.
import { archivePath, imageFile } from '../../demo/image-file.ts';
import { FrameRenderer, planFrame } from '../../src/archive/drawing/frame-renderer.ts';
import { windowsOf } from '../../src/archive/drawing/layer-renderer.ts';
import { pictureBytes } from '../../src/archive/drawing/picture-cost.ts';
import { recipeFromScreenshotParameters } from '../../src/picture/recipe.ts';
import { HOUR_MS } from '../../src/platform/util/durations.ts';
import { earthAt } from '../../src/sun/coordinates/observer.ts';
import { archiveOfFiles } from '../support/sample-archive.ts';
import { servedApp, testServices } from '../support/test-services.ts';
import { atTime, type LargeImage, largeImages } from './images.ts';
import { median, processorMs, repeated } from './measure.ts';
import { memoryOf } from './memory.ts';
import { coldLayers, makeParts } from './prepared.ts';
import type { Bench } from './run.ts';

const [AIA, EUVI, FSI] = [10, 20, 84];
const ROUNDS = 5;
const START_MS = Date.parse('2022-01-01T00:00:00Z');
const NOON_MS = START_MS + 28 * 24 * HOUR_MS;
/** The images of a map. */
const STEPS = 54;
const PLACED = /(?<=<CRLN_OBS>)[\d.]+/;

/** A copy of an image with another time and the place of the Earth at it. */
function placedAt(image: LargeImage, atMs: number): { path: string; jp2: Uint8Array } {
  const { fileName, file } = atTime(image, atMs);
  const longitude = earthAt(atMs).l0Degrees.toFixed(9);
  const placed = Buffer.from(file)
    .toString('latin1')
    .replace(PLACED, (given: string) => longitude.slice(0, given.length));
  return { path: `AIA/${fileName}`, jp2: Uint8Array.from(Buffer.from(placed, 'latin1')) };
}

/** An archive whose images have the coefficient sidecars of ingested ones. */
async function prepared(files: Parameters<typeof archiveOfFiles>[0], parts: readonly ('A' | 'B' | 'C')[]) {
  const archive = await archiveOfFiles(files);
  await makeParts(archive, parts);
  return archive;
}

export const bench: Bench = async ({ log, add }) => {
  const [aia] = (await largeImages(log, ['SDO_AIA_AIA_171'])) as [LargeImage];
  const others = [EUVI, FSI].map((sourceId) => ({ sourceId, timeMs: START_MS, size: sourceId === EUVI ? 2048 : 3072 }));
  const beside = await Promise.all(others.map(async (shot) => ({ path: archivePath(shot), jp2: await imageFile(shot) })));
  const archive = await prepared([placedAt(aia, START_MS), ...beside], ['A', 'B', 'C']);
  const layers = [AIA, EUVI, FSI].map((id) => `[${id},1,100]`).join(',');
  const field = { date: START_MS, layers, imageScale: 2.05, x0: 0, y0: 0, width: 1024, height: 1024 };
  for (const [name, projection, goal] of [
    ['plane', 'plane', undefined],
    ['sphere', 'sphere,30,10', 250],
    ['observer', 'observer,earth', undefined],
  ] as const) {
    const { recipe } = recipeFromScreenshotParameters({ ...field, projection });
    const draw = async () => {
      const viewer = { longitude: 0, latitude: 3 };
      await new FrameRenderer({ layers: coldLayers(archive) }).draw(
        await planFrame(archive.index, recipe),
        { viewer },
        'rgb',
        new Uint8Array(3 << 20),
      );
    };
    const times = await repeated(() => processorMs(draw), ROUNDS);
    add(`${name} of three layers, 1024 x 1024, cold`, 'processor time', 'ms', Math.min(...times), goal);
    const { core, buffers } = await memoryOf(draw);
    const windows = windowsOf(recipe, archive.images);
    const estimate = pictureBytes({ ...recipe, windows }) / 2 ** 20;
    add(`${name} of three layers, 1024 x 1024`, 'memory', 'MiB', (core + buffers) / 2 ** 20, estimate);
  }
  const copies = Array.from({ length: STEPS }, (_, i) => placedAt(aia, NOON_MS - i * 12 * HOUR_MS));
  const { index, objects } = await prepared(copies, ['A', 'B']);
  const app = () => servedApp(testServices({ index, objects, clock: () => NOON_MS + 48 * HOUR_MS }));
  /** The median of `rounds`, each in an isolate of its own that finds no tile stored. */
  const timed = async (name: string, path: string, goal: number, rounds = 1) => {
    const draw = async () => {
      for (const key of objects.objects.keys()) if (rounds > 1 && key.endsWith('.tile')) objects.objects.delete(key);
      const served = app();
      return processorMs(async () => {
        const response = await served.request(`http://sun.test${path}`);
        if (response.status !== 200) throw new Error(`${path} responds with ${response.status}.`);
        await response.arrayBuffer();
      });
    };
    add(name, 'processor time', 'ms', median(await repeated(draw, rounds, 0)), goal);
  };
  const day = new Date(NOON_MS).toISOString().slice(0, 10);
  const map = (width: number) => `/v2/getSolarMap/?sourceId=${AIA}&date=${day}&width=${width}&height=${width / 2}&format=png`;
  const tile = (z: number) => `/tiles/carrington/${AIA}/${z}/1/0.png?date=${day}`;
  await timed('map 360 x 180, cold', map(360), 5000);
  await timed('map 3600 x 1800 of 54 images, cold', map(3600), 5000);
  await timed('map 3600 x 1800, stored', map(3600), 50);
  for (const z of [0, 1, 2]) {
    await timed(`tile of a map at zoom ${z}, cold`, tile(z), 200, ROUNDS);
    await timed(`tile of a map at zoom ${z}, stored`, tile(z), 50);
  }
  await timed('tile of a sphere', `/tiles/sphere,30,10/${AIA}/9/255/255.png?date=${day}`, 50);
};

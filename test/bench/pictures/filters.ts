// Tables of filters in this process: processor time of a cold one and of a cold picture with it, their bytes in play, and how much two images
// taken 130 s apart differ where they are shown by them. The least of several rounds counts.
import { type FramePlan, FrameRenderer, planFrame } from '../../../src/archive/drawing/frame-renderer.ts';
import { frameTable } from '../../../src/picture/filters/byte-table.ts';
import { sunCentre } from '../../../src/picture/grids/pixel-grid.ts';
import type { Operations } from '../../../src/picture/operations/operations.ts';
import { recipeFromScreenshotParameters } from '../../../src/picture/recipe.ts';
import { UNTIMED } from '../../../src/platform/ports/timing.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { archiveOfFiles } from '../../support/sample-archive.ts';
import { largeImages } from '../images.ts';
import { inTurns, processorMs, repeated } from '../measure.ts';
import { coldLayers, makeParts } from '../prepared.ts';
import type { Bench } from '../run.ts';

const ROUNDS = 4;
const RHEF: Operations = { filter: { name: 'rhef', low: 0.35, high: 0.35 } };
const SHOWN = { recorded: {}, RHEF, NRGF: { filter: { name: 'nrgf' } } } as const;
const PLAYED = ['SDO_AIA_AIA_171', 'SDO_AIA_AIA_193', 'SDO_AIA_AIA_304', 'LASCO_C3', 'SWAP_174', 'EIT_171', 'FSI_174'];
/** Ends of rings about the Sun, in its radii. */
const RINGS = [0.95, 1.05, 1.3, 1.7];

const archiveOf = async (parts: readonly string[], log: (line: string) => void) =>
  archiveOfFiles((await largeImages(log, parts)).map(({ fileName, file }) => ({ path: `X/${fileName}`, jp2: file })));

export const bench: Bench = async ({ log, add }) => {
  const archive = await archiveOf(['SDO_AIA_AIA_171'], log);
  const image = archive.images[0]!;
  const table = (isExact: boolean) => processorMs(() => coldLayers(archive).table(image, RHEF, UNTIMED, isExact));
  await makeParts(archive, ['A']);
  const sketches = await repeated(() => table(false), ROUNDS, 0);
  add('table of 4096 x 4096, cold, from part A', 'processor time', 'ms', Math.min(...sketches), 40);
  add('table of all pixels', 'processor time', 'ms', await table(true));
  await makeParts(archive, ['B', 'C']);
  const planOf = (filters: string) => {
    const place = { imageScale: image.geometry.scaleArcsecPerPixel, x0: 0, y0: 0, width: 4096, height: 4096 };
    const layers = `[${image.sourceId},1,100]`;
    return planFrame(archive.index, recipeFromScreenshotParameters({ date: image.takenAtMs, layers, filters, ...place }).recipe);
  };
  const [plainPlan, filteredPlan] = [await planOf(''), await planOf('[rhef]')];
  const file = (plan: FramePlan) =>
    processorMs(() => new FrameRenderer({ layers: coldLayers(archive) }).file(plan, {}, { type: 'png' }));
  const times = await inTurns({ plain: () => file(plainPlan), filtered: () => file(filteredPlan) }, ROUNDS, 0);
  const [plain, filtered] = [Math.min(...times.plain), Math.min(...times.filtered)];
  add('screenshot of 4096 x 4096, cold', 'processor time', 'ms', plain);
  add('screenshot of 4096 x 4096 by RHEF, cold', 'processor time', 'ms', filtered, 1.1 * plain);
  for (const part of PLAYED) {
    const { images, layers } = await archiveOf([part], () => undefined);
    for (const one of images) {
      const { table } = await layers.table(one, RHEF, UNTIMED, true);
      const body = new Blob([frameTable(table, one.geometry.scaleArcsecPerPixel)]).stream();
      const { byteLength } = await new Response(body.pipeThrough(new CompressionStream('deflate'))).arrayBuffer();
      add(`table of play by RHEF, ${part}`, 'compressed', 'kB', byteLength / 1000, 10);
    }
  }
  const { images, layers } = await archiveOf(['00_01_34_351__PROBA2_SWAP', '00_03_44_352__PROBA2_SWAP'], () => undefined);
  const [first] = images;
  for (const [name, operations] of Object.entries(first ? SHOWN : {})) {
    const { width, height, rsunPixels } = first!.geometry;
    const { x, y } = sunCentre(first!.geometry);
    const levels = (of: ArchivedImage) =>
      layers.draw({ ...operations, image: of, reference: null }, { left: 0, top: 0, step: 1, width, height }, 'levels');
    const [one, next] = await Promise.all(images.map(levels));
    const [sums, counts] = [RINGS.map(() => 0), RINGS.map(() => 0)];
    for (const [i, level] of one!.samples.entries()) {
      const radius = Math.hypot((i % width) + 0.5 - x, Math.floor(i / width) + 0.5 - y) / rsunPixels;
      const ring = RINGS.findIndex((end) => radius < end);
      if (ring < 0) continue;
      sums[ring]! += Math.abs(level - next!.samples[i]!);
      counts[ring]! += 1;
    }
    for (const [ring, end] of RINGS.entries())
      add(`SWAP 130 s later, ${name}, up to ${end} radii`, 'mean change', 'levels', sums[ring]! / counts[ring]!);
  }
};

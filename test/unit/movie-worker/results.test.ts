// What neighbouring frames of a movie share.
import { expect, it } from 'vitest';
import { CachedLayerRenderer } from '../../../containers/movie/draw/results.ts';
import { FrameRenderer, planFrame } from '../../../src/archive/drawing/frame-renderer.ts';
import { ImageReader } from '../../../src/archive/reading/image-reader.ts';
import { recipeFromScreenshotParameters } from '../../../src/picture/recipe.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { sampleArchive } from '../../support/sample-archive.ts';

const [AIA, EUVI] = [10, 20];
const START_MS = Date.UTC(2022, 0, 1);
const times = [0, 1, 2].map((i) => START_MS + i * MINUTE_MS);
const archive = await sampleArchive([
  ...times.map((timeMs) => ({ sourceId: AIA, timeMs, size: 256 })),
  { sourceId: EUVI, timeMs: START_MS, size: 256 },
]);

it.each(['plane', 'sphere,30,10,1', 'polar,north', 'carrington', 'radial,0.5', 'unwrapped'])(
  'a layer whose image stays the same is drawn once for three frames in %s',
  async (projection) => {
    const drawn = new Map<number, number>();
    class CountingReader extends ImageReader {
      override samples(...given: Parameters<ImageReader['samples']>) {
        const { sourceId } = given[0].image;
        drawn.set(sourceId, (drawn.get(sourceId) ?? 0) + 1);
        return super.samples(...given);
      }
    }
    const reader = new CountingReader({ objects: archive.objects, memory: anyMemory() });
    const frames = new FrameRenderer({ layers: new CachedLayerRenderer(reader, 16 << 20) });
    const field = { imageScale: 20, x0: 0, y0: 0, width: 128, height: 128, layers: `[${AIA},1,100],[${EUVI},1,50]` };
    const counts: (number | undefined)[][] = [];
    for (const date of times) {
      const { recipe } = recipeFromScreenshotParameters({ ...field, projection, date });
      await frames.draw(await planFrame(archive.index, recipe), {}, 'rgb', new Uint8Array(3 * 128 ** 2));
      counts.push([drawn.get(AIA), drawn.get(EUVI)]);
    }
    const [lower = 0, upper = 0] = counts[0]!;
    expect(Math.min(lower, upper)).toBeGreaterThan(0);
    expect(counts[2]).toEqual([3 * lower, upper]);
  },
);

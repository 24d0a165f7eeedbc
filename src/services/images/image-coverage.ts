// The timeline of images: how many images of each layer there are in each bin of a range.
import { COVERAGE } from '../../config/limits/images.ts';
import {
  type Bin,
  type BinnedResolution,
  countedWidthMs,
  extended,
  filledBins,
  imageResolution,
  type TimeRange,
} from '../../domain/coverage/bins.ts';
import type { CoverageLayer } from '../../domain/coverage/image-layers.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import type { ImageIndex } from '../../ports/images.ts';

/** A line of the timeline: bins, or for short ranges the time of each image with the row in which it is drawn. */
export interface ImageSeries {
  readonly sourceId: number;
  readonly name: string;
  readonly data: readonly Bin[];
}

type Index = Pick<ImageIndex, 'inRange' | 'countsByInterval'>;

/** Images that a request may still read from the index. */
interface Budget {
  left: number;
}

function spend(budget: Budget, count: number): void {
  budget.left -= count;
  if (budget.left >= 0) return;
  throw badParameter('endDate', `a range with at most ${COVERAGE.images} images of its layers`, 'more');
}

/**
 * Times of single images. The row of a layer is drawn at its number, and shifted by as many milliseconds so that no two layers
 * share a time.
 */
async function points(
  index: Index,
  sourceId: number,
  row: number,
  { startMs, endMs }: TimeRange,
  budget: Budget,
): Promise<Bin[]> {
  const images = await index.inRange(sourceId, startMs, endMs, Math.min(budget.left, COVERAGE.points) + 1);
  if (images.length > COVERAGE.points) budget.left = 0;
  spend(budget, images.length);
  return images.map(({ takenAtMs }) => [Math.round(takenAtMs) + row, row + 1]);
}

async function bins(
  index: Index,
  sourceId: number,
  resolution: BinnedResolution,
  range: TimeRange,
  budget: Budget,
): Promise<Bin[]> {
  const all = filledBins(resolution, range, new Map());
  const query = { fromMs: all[0]![0], toMs: range.endMs, widthMs: countedWidthMs(resolution) };
  const counts = await index.countsByInterval(sourceId, query, budget.left);
  spend(
    budget,
    counts.reduce((sum, { count }) => sum + count, 0),
  );
  return filledBins(resolution, range, new Map(counts.map(({ startMs, count }) => [startMs, count])));
}

/**
 * One series for each layer, over the range and its own length on both sides. Images are counted one by one, so their number is
 * limited; layers follow each other for the same reason.
 * @throws Failure `layer-count`; `bad-parameter` naming `endDate` for a range with too many images
 */
export async function imageCoverage(index: Index, layers: readonly CoverageLayer[], range: TimeRange): Promise<ImageSeries[]> {
  if (layers.length > COVERAGE.layers) {
    const sentence = `Expected at most ${COVERAGE.layers} visible layers for imageLayers, got ${layers.length}.`;
    throw new Failure('layer-count', sentence, { parameter: 'imageLayers' });
  }
  if (range.endMs <= range.startMs) return [];
  const resolution = imageResolution(range.endMs - range.startMs);
  const shown = extended(range);
  const budget = { left: COVERAGE.images };
  const series: ImageSeries[] = [];
  for (const [row, { sourceId, name }] of layers.entries()) {
    const data =
      resolution === 'm'
        ? await points(index, sourceId, row, shown, budget)
        : await bins(index, sourceId, resolution, shown, budget);
    series.push({ sourceId, name, data });
  }
  return series;
}

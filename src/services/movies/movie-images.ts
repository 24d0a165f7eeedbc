// Selects the images of a movie from the archive.
import { MOVIE_PLANNING } from '../../config/limits/movies.ts';
import { predecessorOf } from '../../domain/catalogue/sources.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { withoutRepeats } from '../../domain/jpx/range-plan.ts';
import { spread, spreadTimes } from '../../domain/movies/frame-timing.ts';
import type { PlannedFrame } from '../../domain/movies/movie-recipe.ts';
import type { Layer } from '../../domain/recipe/layers.ts';
import { type Scene, shownSourceId } from '../../domain/recipe/recipe.ts';
import type { ImageIndex } from '../../ports/images.ts';
import { nearer, noImages } from '../images/find-image.ts';
import { noReference, referenceImages } from '../images/reference-image.ts';

export type MovieIndex = Pick<
  ImageIndex,
  'ends' | 'inRange' | 'countInRange' | 'neighboursOfTimes' | 'adjacentTimes' | 'withdrawn'
>;

/** Range of a source in milliseconds, both ends included. */
interface Span {
  readonly sourceId: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Resolution of image times: one microsecond. */
const INSTANT_MS = 0.001;

/** Sources that a layer shows in a range: its predecessor until the switch, then its own. */
function spansOf({ switchSources }: Scene, { sourceId }: Layer, fromMs: number, toMs: number): Span[] {
  const predecessor = switchSources ? predecessorOf(sourceId) : null;
  if (!predecessor || fromMs >= predecessor.untilMs) return [{ sourceId, fromMs, toMs }];
  const before = { sourceId: predecessor.sourceId, fromMs, toMs: Math.min(toMs, predecessor.untilMs - INSTANT_MS) };
  return toMs < predecessor.untilMs ? [before] : [before, { sourceId, fromMs: predecessor.untilMs, toMs }];
}

/** The images of a layer in the range of a movie, counted up to a limit. */
export interface LayerSupply {
  readonly layer: Layer;
  readonly count: number;
  /** Whether the count has reached the limit. */
  readonly isMore: boolean;
  readonly spans: readonly (Span & { readonly count: number })[];
}

/** Supplies of all layers. A source that two layers show counts for both. */
export function suppliesOf(index: MovieIndex, scene: Scene, startMs: number, endMs: number): Promise<LayerSupply[]> {
  const { readImages } = MOVIE_PLANNING;
  const counted = async (span: Span) => {
    return { ...span, count: await index.countInRange(span.sourceId, span.fromMs, span.toMs, readImages + 1) };
  };
  return Promise.all(
    scene.layers.map(async (layer) => {
      const spans = await Promise.all(spansOf(scene, layer, startMs, endMs).map(counted));
      const count = spans.reduce((sum, span) => sum + span.count, 0);
      return { layer, count, isMore: spans.some((span) => span.count > readImages), spans };
    }),
  );
}

const inOrder = (images: readonly ArchivedImage[]) => withoutRepeats(images.toSorted((a, b) => a.takenAtMs - b.takenAtMs));

async function nearestInSpan(index: MovieIndex, { sourceId, fromMs, toMs }: Span, timesMs: readonly number[]) {
  const neighbours = await index.neighboursOfTimes(sourceId, timesMs);
  const isInside = (image: ArchivedImage | null) => image !== null && image.takenAtMs >= fromMs && image.takenAtMs <= toMs;
  return neighbours.flatMap(({ before, after }, i) => {
    return nearer(isInside(before) ? before : null, isInside(after) ? after : null, timesMs[i]!) ?? [];
  });
}

/**
 * At least `count` images of a span that has too many to read: those nearest to evenly spread times. Where too few are found
 * because images are clustered, the gaps between them are bisected, up to MOVIE_PLANNING.refinements times.
 */
async function sampledImages(index: MovieIndex, span: Span, count: number): Promise<ArchivedImage[]> {
  const { first, last } = await index.ends(span.sourceId, span.fromMs, span.toMs);
  if (!first || !last) return [];
  let found = inOrder([first, last]);
  let times = spreadTimes(first.takenAtMs, last.takenAtMs, MOVIE_PLANNING.sampledTimes);
  for (let round = 0; round <= MOVIE_PLANNING.refinements && found.length < count; round++) {
    found = inOrder([...found, ...(await nearestInSpan(index, span, times))]);
    times = found.slice(1).map((image, i) => (image.takenAtMs + found[i]!.takenAtMs) / 2);
  }
  return found;
}

/** Times of `count` frames in whole milliseconds: those of evenly chosen images of the layer, including the first and the last. */
export async function frameTimes(index: MovieIndex, { spans }: LayerSupply, count: number): Promise<number[]> {
  const { readImages } = MOVIE_PLANNING;
  const images = await Promise.all(
    spans.map((span) => {
      if (span.count > readImages) return sampledImages(index, span, count);
      return index.inRange(span.sourceId, span.fromMs, span.toMs, readImages);
    }),
  );
  return spread(inOrder(images.flat()), count).map(({ takenAtMs }) => Math.floor(takenAtMs));
}

/** The image of a layer nearest to each time. */
async function layerImages(index: MovieIndex, scene: Scene, layer: Layer, timesMs: readonly number[]): Promise<ArchivedImage[]> {
  const sources = timesMs.map((atMs) => shownSourceId(scene, layer, atMs));
  const bySource = await Promise.all(
    [...new Set(sources)].map(async (sourceId) => {
      const times = timesMs.filter((_, i) => sources[i] === sourceId);
      const neighbours = await index.neighboursOfTimes(sourceId, times);
      return neighbours.map(({ before, after }, i) => {
        const image = nearer(before, after, times[i]!);
        if (image) return image;
        throw noImages(sourceId, 'layers');
      });
    }),
  );
  // Times ascend, so the frames of a predecessor come before those of its successor.
  return bySource.flat();
}

/** Images of a layer at these times, in a difference with their references; null for a frame without a reference. */
async function framesOfLayer(index: MovieIndex, scene: Scene, layer: Layer, timesMs: readonly number[]) {
  const images = await layerImages(index, scene, layer, timesMs);
  const references = await referenceImages(index, images, layer.difference);
  const frames = images.map(({ id }, i) => {
    if (!references) return [id] as const;
    const reference = references[i];
    return reference ? ([id, reference.id] as const) : null;
  });
  return { frames, noReference: () => noReference(images[frames.indexOf(null)]!, layer.difference) };
}

/**
 * Frames at ascending times, with the nearest image of each layer. Frames in which a difference has no reference are omitted.
 * @param least minimum number of frames
 * @throws Failure `no-image`, or `no-earlier-image` where too few frames have their references
 */
export async function plannedFrames(
  index: MovieIndex,
  scene: Scene,
  timesMs: readonly number[],
  least: number,
): Promise<PlannedFrame[]> {
  const layers = await Promise.all(scene.layers.map((layer) => framesOfLayer(index, scene, layer, timesMs)));
  const frames = timesMs.flatMap((atMs, i): PlannedFrame[] => {
    const images = layers.flatMap(({ frames }) => (frames[i] ? [frames[i]] : []));
    return images.length === layers.length ? [{ atMs, images }] : [];
  });
  const incomplete = layers.find((layer) => layer.frames.includes(null));
  if (frames.length < least && incomplete) throw incomplete.noReference();
  return frames;
}

/** Time of the nearest image outside a range; null where the source has no other images. */
export async function nearestOutside(
  index: MovieIndex,
  scene: Scene,
  layer: Layer,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): Promise<number | null> {
  const [{ beforeMs }, { afterMs }] = await Promise.all([
    index.adjacentTimes(shownSourceId(scene, layer, startMs), startMs),
    index.adjacentTimes(shownSourceId(scene, layer, endMs), endMs),
  ]);
  if (beforeMs === null || afterMs === null) return beforeMs ?? afterMs;
  return startMs - beforeMs <= afterMs - endMs ? beforeMs : afterMs;
}

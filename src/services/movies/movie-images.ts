// Which images of the archive a movie can have, and which of them its frames show.
import { MOVIE_PLANNING } from '../../config/limits/movies.ts';
import { predecessorOf } from '../../domain/catalogue/sources.ts';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { withoutRepeats } from '../../domain/jpx/range-plan.ts';
import { spread, spreadTimes } from '../../domain/movies/frame-timing.ts';
import type { PlannedFrame } from '../../domain/movies/movie-recipe.ts';
import { layerLabel } from '../../domain/recipe/layer-names.ts';
import type { Layer } from '../../domain/recipe/layers.ts';
import { type Scene, shownSourceId } from '../../domain/recipe/recipe.ts';
import type { ImageIndex } from '../../ports/images.ts';
import { nearer } from '../images/find-image.ts';
import { noReference, referenceImages } from '../images/reference-image.ts';

export type MovieIndex = Pick<ImageIndex, 'ends' | 'inRange' | 'countInRange' | 'neighboursOfTimes' | 'adjacentTimes'>;

/** Images of a source from one time to another, both included; milliseconds. */
interface Span {
  readonly sourceId: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The last instant before another one: times have microseconds. */
const INSTANT_MS = 0.001;

/** What a layer shows in a range of time: its source, or the one that stood in for it and then its own. */
function spansOf({ switchSources }: Scene, { sourceId }: Layer, fromMs: number, toMs: number): Span[] {
  const predecessor = switchSources ? predecessorOf(sourceId) : null;
  if (!predecessor || fromMs >= predecessor.untilMs) return [{ sourceId, fromMs, toMs }];
  const before = { sourceId: predecessor.sourceId, fromMs, toMs: Math.min(toMs, predecessor.untilMs - INSTANT_MS) };
  return toMs < predecessor.untilMs ? [before] : [before, { sourceId, fromMs: predecessor.untilMs, toMs }];
}

/** The images of a layer in the range of a movie: counted up to a limit. */
export interface LayerSupply {
  readonly layer: Layer;
  readonly count: number;
  /** Whether there are more. */
  readonly isMore: boolean;
  readonly spans: readonly (Span & { readonly count: number })[];
}

/** What there is for each layer. One source in two layers counts for both. */
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
 * At least `wanted` images of a span with more than can be read: those nearest to evenly spread times, and where they are too
 * few because most lie close together, those in the middle between them, and so on.
 */
async function sampledImages(index: MovieIndex, span: Span, wanted: number): Promise<ArchivedImage[]> {
  const { first, last } = await index.ends(span.sourceId, span.fromMs, span.toMs);
  if (!first || !last) return [];
  let found = inOrder([first, last]);
  let times = spreadTimes(first.takenAtMs, last.takenAtMs, MOVIE_PLANNING.sampledTimes);
  for (let round = 0; round <= MOVIE_PLANNING.refinements && found.length < wanted; round++) {
    found = inOrder([...found, ...(await nearestInSpan(index, span, times))]);
    times = found.slice(1).map((image, i) => (image.takenAtMs + found[i]!.takenAtMs) / 2);
  }
  return found;
}

/** Times of `count` frames: those of images of the layer, evenly chosen, from the first to the last one. Whole milliseconds. */
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

/** The image of a layer that is nearest to each time. */
async function layerImages(index: MovieIndex, scene: Scene, layer: Layer, timesMs: readonly number[]): Promise<ArchivedImage[]> {
  const sources = timesMs.map((atMs) => shownSourceId(scene, layer, atMs));
  const bySource = await Promise.all(
    [...new Set(sources)].map(async (sourceId) => {
      const times = timesMs.filter((_, i) => sources[i] === sourceId);
      const neighbours = await index.neighboursOfTimes(sourceId, times);
      return neighbours.map(({ before, after }, i) => {
        const image = nearer(before, after, times[i]!);
        if (image) return image;
        const sentence = `Expected layers whose sources have images, got one without any (${layerLabel({ sourceId })}).`;
        throw new Failure('no-image', sentence, { parameter: 'layers' });
      });
    }),
  );
  // Times ascend, and so a predecessor comes before its successor.
  return bySource.flat();
}

/** The images of a layer at these times, each with its reference where it is a difference; null where there is no reference. */
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
 * The frames at these times, which ascend: for each layer the image that is nearest. Those are left out at which a difference
 * has nothing to compare with.
 * @param least Frames that there have to be
 * @throws Failure `no-image`, or `no-earlier-image` where too few frames have something to compare with
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

/** The image time nearest to a range, outside of it; null where there is none at all. */
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

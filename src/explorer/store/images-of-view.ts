// The images that a view shows, and the older ones that differences subtract. An answer about a time holds for all times back to its image.
import { signal } from '@preact/signals';
import { ServiceError } from '../../../clients/typescript/core.ts';
import type { View } from '../../picture/address/view.ts';
import type { Layer } from '../../picture/layers.ts';
import { needsReference, referenceTime } from '../../picture/operations/operations.ts';
import { closestImage, type ImageRecord, imagesAtTimes } from '../api/images.ts';

/** The latest image of a source at or before all times from its own to `toMs`. */
interface Answer {
  readonly image: ImageRecord;
  toMs: number;
}

/** Images of a source that are kept: those of some ranges of play. */
const MOST_ANSWERS = 1000;

const answers = new Map<number, Map<number, Answer>>();

export const foundReferences = signal(0);

const takenAtMs = ({ takenAt }: ImageRecord) => Date.parse(takenAt);

function note(sourceId: number, image: ImageRecord, toMs: number): void {
  const known = answers.get(sourceId) ?? new Map<number, Answer>();
  answers.set(sourceId, known);
  const answer = known.get(image.id);
  if (answer) answer.toMs = Math.max(answer.toMs, toMs);
  else known.set(image.id, { image, toMs });
  if (known.size > MOST_ANSWERS) known.delete(known.keys().next().value!);
}

/** The image with which one of a layer is compared; null for a layer without one, and where none is known. */
export function referenceOf(layer: Layer, image: ImageRecord): ImageRecord | null {
  const atMs = referenceTime(layer, takenAtMs(image));
  if (atMs === null) return null;
  for (const { image: older, toMs } of answers.get(layer.sourceId)?.values() ?? [])
    if (takenAtMs(older) <= atMs && atMs <= toMs) return older;
  return null;
}

/**
 * Finds the references of images of a layer that are not known yet, in one request.
 * @throws as `imagesAtTimes`
 */
export async function findReferences(layer: Layer, images: readonly (ImageRecord | null)[], signal: AbortSignal): Promise<void> {
  const unknown = images.flatMap((image) => {
    const atMs = image && referenceTime(layer, takenAtMs(image));
    return atMs === null || referenceOf(layer, image!) ? [] : [atMs];
  });
  const times = [...new Set(unknown)];
  if (times.length === 0) return;
  const found = await imagesAtTimes(layer.sourceId, times, { isEarlier: true, signal });
  found.forEach((image, i) => {
    if (image) note(layer.sourceId, image, times[i]!);
  });
  foundReferences.value += 1;
}

const NO_IMAGE = /No data of the requested type/;

async function orNoImage<T>(found: Promise<T>): Promise<T | ServiceError> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ServiceError && NO_IMAGE.test(error.message)) return error;
    throw error;
  }
}

/**
 * What `find` finds for the source of each layer; null for a hidden layer and for a source without images.
 * @throws ServiceError when no visible layer has an image
 */
async function ofLayers<T>(layers: readonly Layer[], find: (sourceId: number) => Promise<T>): Promise<(T | null)[]> {
  const found = await Promise.all(layers.map(({ sourceId, isVisible }) => (isVisible ? orNoImage(find(sourceId)) : null)));
  const failure = found.find((one) => one instanceof ServiceError);
  const images = found.map((one) => (one instanceof ServiceError ? null : one));
  if (failure && images.every((one) => one === null)) throw failure;
  return images;
}

/** Time of the newest image of the lowest layer that has images. @throws ServiceError without such a layer */
async function newestTime([lowest, ...others]: readonly Layer[], signal: AbortSignal): Promise<number> {
  const newest = lowest ? await orNoImage(closestImage(lowest.sourceId, Date.now(), signal)) : null;
  if (newest && !(newest instanceof ServiceError)) return Date.parse(newest.takenAt);
  if (others.length > 0) return newestTime(others, signal);
  if (newest) throw newest;
  return Date.now();
}

/**
 * The images of a view. The newest view takes its time from its lowest visible layer with images.
 * @throws ServiceError when no visible layer has an image
 */
export async function imagesOf({ atMs, layers }: View, signal: AbortSignal) {
  const visible = layers.filter(({ isVisible }) => isVisible);
  const timeMs = atMs ?? (await newestTime(visible, signal));
  return { atMs: timeMs, images: await ofLayers(layers, (sourceId) => closestImage(sourceId, timeMs, signal)) };
}

/** The images of layers at several times, by time and layer: one request for each visible layer. @throws as `imagesOf` */
export async function imagesOfTimes(layers: readonly Layer[], times: readonly number[], signal: AbortSignal) {
  const found = await ofLayers(layers, (sourceId) => imagesAtTimes(sourceId, times, { isEarlier: false, signal }));
  return times.map((_, i) => found.map((images) => images?.[i] ?? null));
}

export async function withReferences(
  layers: readonly Layer[],
  images: readonly (readonly (ImageRecord | null)[])[],
  signal: AbortSignal,
): Promise<(readonly (ImageRecord | null)[])[]> {
  const ofLayer = (index: number) => images.map((of) => of[index] ?? null);
  await Promise.all(layers.map((layer, index) => findReferences(layer, ofLayer(index), signal)));
  const isDrawable = (image: ImageRecord, layer: Layer) => !needsReference(layer) || referenceOf(layer, image) !== null;
  return images.map((of) => of.map((image, i) => (image && isDrawable(image, layers[i]!) ? image : null)));
}

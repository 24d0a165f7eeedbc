// Shows views: images, tiles, then caption and address, all together after success.
import type { View, ViewLayer } from '../../../domain/explorer/view.ts';
import { isSynthetic as statesSynthetic } from '../../../domain/synthetic.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { closestImage, headerOf, neighbours } from '../api/images.ts';
import { RequestError } from '../api/request.ts';
import type { Camera } from '../picture/geometry.ts';
import type { Frame, Picture, Prepared } from '../picture/picture.ts';
import { texts } from '../texts.ts';
import { type HistoryMode, recordAddress } from './address.ts';
import { findCadences, noteCadence } from './cadence.ts';
import { header } from './observer.ts';
import { adjacent, baseImage, baseSourceId, busy, isPlaying, isSynthetic, notes, type Shown, shown, trouble } from './state.ts';

let picture: Picture | null = null;
let loading = new AbortController();
let lastKey = 0;

export const nextKey = (): number => {
  lastKey += 1;
  return lastKey;
};

export const currentPicture = (): Picture | null => picture;

export function usePicture(made: Picture): void {
  picture = made;
}

const NO_NEIGHBOURS = { previousMs: null, nextMs: null };

/** Layers with their keys: those of the present view keep theirs. */
function keysOf(layers: readonly ViewLayer[]): number[] {
  const free = (shown.value?.view.layers ?? []).map(({ sourceId }, i) => ({ sourceId, key: shown.value!.keys[i]! }));
  return layers.map(({ sourceId }) => {
    const at = free.findIndex((one) => one.sourceId === sourceId);
    return at < 0 ? nextKey() : free.splice(at, 1)[0]!.key;
  });
}

const NO_IMAGE = /No data of the requested type/;

/** The image of a layer; null for a hidden one, and for a source without images when other layers have some. */
async function imageOf(layer: ViewLayer, atMs: number, signal: AbortSignal, isOnly: boolean): Promise<ImageRecord | null> {
  if (!layer.isVisible) return null;
  try {
    return await closestImage(layer.sourceId, atMs, signal);
  } catch (error) {
    if (isOnly || !(error instanceof RequestError) || !NO_IMAGE.test(error.message)) throw error;
    return null;
  }
}

/** The images of a view. The newest view takes its time from the newest image of its lowest visible layer. */
async function imagesOf(view: View, signal: AbortSignal): Promise<{ atMs: number; images: (ImageRecord | null)[] }> {
  const isOnly = view.layers.filter(({ isVisible }) => isVisible).length === 1;
  if (view.atMs !== null) {
    const { atMs } = view;
    return { atMs, images: await Promise.all(view.layers.map((layer) => imageOf(layer, atMs, signal, isOnly))) };
  }
  const lowest = view.layers.find(({ isVisible }) => isVisible) ?? view.layers[0]!;
  const newest = await closestImage(lowest.sourceId, Date.now(), signal);
  return imagesOf({ ...view, atMs: Date.parse(newest.takenAt) }, signal);
}

export function frameOf({ view, images, keys }: Shown): Frame {
  return view.layers.flatMap((layer, i) => {
    const image = images[i];
    return image && layer.isVisible ? [{ key: keys[i]!, image, difference: layer.difference, opacity: layer.opacity }] : [];
  });
}

/** The camera that a view states; null for all of its images. */
function cameraOf({ centre, imageScale }: View): Camera | null {
  return imageScale === null ? null : { ...(centre ?? { x: 0, y: 0 }), scale: imageScale };
}

/** Waits for the tiles of a frame. @throws RequestError when none of them has loaded */
async function tilesLoaded({ tiles }: Prepared): Promise<void> {
  await Promise.all(tiles.map(([, layer]) => layer.complete()));
  const count = tiles.reduce((sum, [, layer]) => sum + layer.count, 0);
  const failures = tiles.reduce((sum, [, layer]) => sum + layer.failures, 0);
  if (count > 0 && failures === count) throw new RequestError(texts.failures.picture);
}

export interface ShowOptions {
  readonly history: HistoryMode;
  /** Keeps the notes about the address. */
  readonly keepNotes?: boolean;
  readonly signal?: AbortSignal;
}

/** A view ready to be shown. */
export interface Ready {
  readonly next: Shown;
  readonly prepared: Prepared;
  readonly isFitted: boolean;
}

/** Loads the images and tiles of a view without showing them. */
export async function load(view: View, signal: AbortSignal): Promise<Ready> {
  const { atMs, images } = await imagesOf(view, signal);
  return ready({ view: { ...view, atMs }, isNewest: view.atMs === null, images, keys: keysOf(view.layers) }, signal);
}

/** Loads the tiles of a view whose images are known. */
export async function ready(next: Shown, signal: AbortSignal): Promise<Ready> {
  const camera = cameraOf(next.view);
  const prepared = picture!.prepare(frameOf(next), camera);
  signal.addEventListener('abort', () => {
    for (const [, tiles] of prepared.tiles) if (!tiles.element.parentElement) tiles.remove();
  });
  await tilesLoaded(prepared);
  signal.throwIfAborted();
  return { next, prepared, isFitted: camera === null };
}

/** Shows what is ready, with its caption and address. */
export function commit({ next, prepared, isFitted }: Ready, mode: HistoryMode): void {
  shown.value = isFitted ? { ...next, view: { ...next.view, centre: null, imageScale: null } } : next;
  picture!.show(prepared, isFitted);
  recordAddress(mode);
}

/** Shows a view. What is on the screen stays until the new picture is there, and stays after a failure. */
export async function open(view: View, options: ShowOptions): Promise<boolean> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  busy.value = texts.loading;
  trouble.value = null;
  try {
    const ready = await load(view, signal);
    if (!options.keepNotes) notes.value = [];
    commit(ready, options.history);
    busy.value = null;
    void afterwards(signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    busy.value = null;
    report(error, () => void open(view, options));
    return false;
  }
}

export function report(error: unknown, retry?: () => void): void {
  const sentence = error instanceof Error && error instanceof RequestError ? error.message : texts.failures.internal;
  if (!(error instanceof RequestError)) console.error(error);
  const kept = shown.value && baseImage.value ? texts.stillShown(baseImage.value) : '';
  trouble.value = { sentence: `${sentence} ${kept}`.trim(), ...(retry ? { retry } : {}) };
}

/** The place that the user has moved to, which the address states a moment later. */
function presentPlace(): Pick<View, 'centre' | 'imageScale'> {
  const camera = picture?.isFitted ? null : picture?.camera;
  return camera ? { centre: { x: camera.x, y: camera.y }, imageScale: camera.scale } : { centre: null, imageScale: null };
}

/** Changes a part of the present view. */
export function change(part: Partial<View>, history: HistoryMode = 'push'): Promise<boolean> {
  const state = shown.value;
  if (!state) return Promise.resolve(false);
  const view: View = { ...state.view, ...presentPlace(), ...part };
  return open(view, { history });
}

/** Looks up what the page needs after a picture: the neighbours of its image, and whether it is synthetic. */
export async function afterwards(signal: AbortSignal = loading.signal): Promise<void> {
  const [image, sourceId] = [baseImage.value, baseSourceId.value];
  if (!image || sourceId === null || isPlaying.value) return;
  adjacent.value = await neighbours(sourceId, image.takenAt, signal).catch(() => NO_NEIGHBOURS);
  if (signal.aborted) return;
  noteCadence(image, adjacent.value);
  void findCadences(signal);
  const fits = await headerOf(image.id).catch(() => null);
  if (signal.aborted || !fits) return;
  header.value = { id: image.id, fits };
  isSynthetic.value = statesSynthetic(new Map(fits));
}

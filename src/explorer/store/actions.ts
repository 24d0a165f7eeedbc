// Actions of the controls on the view.
import type { View } from '../../picture/address/view.ts';
import { type Layer, plainLayer } from '../../picture/layers.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { isEnhanced } from '../../picture/operations/operations.ts';
import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import { neighbours } from '../api/images.ts';
import { recordAddress } from './address.ts';
import { change, currentPicture, frameOf, pause, report, settle } from './open.ts';
import { adjacent, baseImage, baseSourceId, isBefore, isMoving, noteShown, type Shown, screen, shown } from './state.ts';

/** Synodic rotation of the Sun as Carrington defined it. */
const CARRINGTON_DAYS = 27.2753;

export type StepUnit = 'image' | 'hour' | 'day' | 'rotation';
export const STEPS_MS: Readonly<Record<Exclude<StepUnit, 'image'>, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  rotation: CARRINGTON_DAYS * DAY_MS,
};

let queue: Promise<unknown> = Promise.resolve();

/** Queues steps, so that two quick clicks move by two images. */
export function step(direction: -1 | 1, unit: StepUnit): Promise<unknown> {
  if (isMoving.value) pause();
  queue = queue.then(() => stepNow(direction, unit)).catch((error: unknown) => report(error, () => void step(direction, unit)));
  return queue;
}

async function stepNow(direction: -1 | 1, unit: StepUnit): Promise<unknown> {
  const [state, image, sourceId] = [shown.value, baseImage.value, baseSourceId.value];
  if (!state || !image || sourceId === null) return;
  if (unit !== 'image') return change({ atMs: state.view.atMs + direction * STEPS_MS[unit] });
  const known = adjacent.value.imageId === image.id ? adjacent.value : null;
  const { previousMs, nextMs } = known ?? (await neighbours(sourceId, image.takenAt));
  const atMs = direction < 0 ? previousMs : nextMs;
  return atMs === null ? undefined : change({ atMs });
}

export const showNewest = (): Promise<boolean> => change({ atMs: null });

export function stayHere(): void {
  noteShown({ ...screen.value!, isNewest: false });
  recordAddress('replace');
}

/** Changes that need no new image: opacity, colours, order and removal. */
function restyle(next: Shown): void {
  noteShown(next);
  currentPicture()?.restyle(frameOf(next));
  recordAddress('replace');
}

function styleLayers(styleOf: (index: number) => Partial<Layer>): void {
  const state = screen.value!;
  const layers = state.view.layers.map((layer, i) => ({ ...layer, ...styleOf(i) }));
  restyle({ ...state, view: { ...state.view, layers } });
}

export const styleLayer = (index: number, style: Partial<Pick<Layer, 'opacity' | 'range' | 'tint' | 'blend'>>): void =>
  styleLayers((i) => (i === index ? style : {}));

export async function showBefore(isOn = !isBefore.value): Promise<void> {
  if (isOn === isBefore.value || !screen.value?.view.layers.some(isEnhanced)) return;
  if (isMoving.value) pause();
  isBefore.value = isOn;
  await currentPicture()?.exchange(frameOf(screen.value));
}

export const isGrey = (layers: readonly Layer[]): boolean => layers.every(({ grey }) => grey);

export const setGrey = (grey: boolean): void => styleLayers(() => ({ grey: grey || undefined }));

export function moveLayer(index: number, by: -1 | 1): void {
  const state = screen.value!;
  const other = index + by;
  if (other < 0 || other >= state.view.layers.length) return;
  const swapped = <T>(list: readonly T[]): T[] =>
    list.map((item, i) => (i === index ? list[other]! : i === other ? list[index]! : item));
  restyle({
    ...state,
    view: { ...state.view, layers: swapped(state.view.layers) },
    images: swapped(state.images),
    keys: swapped(state.keys),
  });
}

export function changeLayer(index: number, part: Partial<Layer>): Promise<boolean> {
  const { layers } = shown.value!.view;
  return change({ layers: layers.map((layer, i) => (i === index ? { ...layer, ...part } : layer)) });
}

export function removeLayer(index: number): Promise<boolean> {
  return change({ layers: shown.value!.view.layers.filter((_, i) => i !== index) });
}

/** Adds a layer above those of the same or a lower order, as `layeringOrder` of the catalogue gives it. */
export function addLayer(sourceId: number, orderOf: (sourceId: number) => number): Promise<boolean> {
  const { layers } = shown.value!.view;
  if (layers.length >= RECIPE_LIMITS.layers) return Promise.resolve(false);
  const order = orderOf(sourceId);
  const above = layers.findIndex((layer) => orderOf(layer.sourceId) > order);
  const at = above < 0 ? layers.length : above;
  return change({
    layers: [...layers.slice(0, at), { ...plainLayer(sourceId), ...(isGrey(layers) ? { grey: true } : {}) }, ...layers.slice(at)],
  });
}

const ADDRESS_DELAY_MS = 250;
let pending: ReturnType<typeof setTimeout> | undefined;

/** Records a move of the view, which replaces the address after a moment of rest. */
export function moved(): void {
  clearTimeout(pending);
  pending = setTimeout(() => {
    if (shown.value && !isMoving.value) settle();
  }, ADDRESS_DELAY_MS);
}

export function setOption(part: Partial<Pick<View, 'overlays' | 'events'>>): void {
  const state = screen.value;
  if (!state) return;
  noteShown({ ...state, view: { ...state.view, ...part } });
  recordAddress('replace');
}

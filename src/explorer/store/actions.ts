// Actions of the controls on the view.
import type { View } from '../../picture/address/view.ts';
import type { Layer } from '../../picture/layers.ts';
import { RECIPE_LIMITS } from '../../picture/limits.ts';
import { isEnhanced } from '../../picture/operations/operations.ts';
import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import { neighbours } from '../api/images.ts';
import { change, currentPicture, frameOf, layersLoading, pause, report, seek, settle } from './open.ts';
import { adjacent, baseImage, baseSourceId, isBefore, isMoving, screen, shown, timeAsked, trouble } from './state.ts';

/** Synodic rotation of the Sun as Carrington defined it. */
const CARRINGTON_DAYS = 27.2753;

export type StepUnit = 'image' | 'hour' | 'day' | 'rotation';
export const STEPS_MS: Readonly<Record<Exclude<StepUnit, 'image'>, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  rotation: CARRINGTON_DAYS * DAY_MS,
};

/** Shows a view that has to be found first, unless another one is searched for or another time is asked for meanwhile. */
export async function showFound(find: (signal: AbortSignal) => Promise<Partial<View> | null>, signal = seek()): Promise<void> {
  if (signal.aborted) return;
  if (isMoving.value) pause();
  trouble.value = null;
  try {
    const found = await find(signal);
    if (found && !signal.aborted) await change(found, true);
  } catch (error) {
    if (!signal.aborted) report(error, () => void showFound(find));
  }
}

let queue: Promise<unknown> = Promise.resolve();

/** Queues steps, so that two quick clicks move by two images. */
export function queued(step: () => Promise<void>): Promise<unknown> {
  queue = queue.then(step, step);
  return queue;
}

let stepping = AbortSignal.abort();

export function step(direction: -1 | 1, unit: StepUnit): Promise<unknown> {
  if (stepping.aborted) stepping = seek();
  const by = stepping;
  return queued(() => showFound((signal) => stepped(direction, unit, signal), by));
}

async function stepped(direction: -1 | 1, unit: StepUnit, signal: AbortSignal): Promise<Partial<View> | null> {
  const [state, image, sourceId] = [shown.value, baseImage.value, baseSourceId.value];
  if (!state || !image || sourceId === null) return null;
  const fromMs = timeAsked.value!;
  if (unit !== 'image') return { atMs: fromMs + direction * STEPS_MS[unit] };
  const from = fromMs === state.view.atMs ? image.takenAt : new Date(fromMs).toISOString();
  const known = from === image.takenAt && adjacent.value.imageId === image.id ? adjacent.value : null;
  const { previousMs, nextMs } = known ?? (await neighbours(sourceId, from, signal));
  const atMs = direction < 0 ? previousMs : nextMs;
  return atMs === null ? null : { atMs };
}

export const showNewest = (): Promise<boolean> => change({ atMs: null });

export const stayHere = (): void => settle({ ...screen.value!, isNewest: false });

export async function showBefore(isOn = !isBefore.value): Promise<void> {
  if (isOn === isBefore.value || !screen.value?.view.layers.some(isEnhanced)) return;
  if (isMoving.value) pause();
  isBefore.value = isOn;
  await currentPicture()?.exchange(frameOf(screen.value));
}

/** A layer that is asked for. `key`: that of the shown layer; null for a new one. */
type Asked = { readonly key: number | null; readonly layer: Layer };

/** Layers that were asked for last, with and without their keys. */
let last: { readonly asked: readonly Asked[]; readonly layers: readonly Layer[] } | null = null;

/** The layers that a further change keeps: those whose picture loads, else the shown ones. */
export const layersAsked = (): readonly Asked[] =>
  last && last.layers === layersLoading()
    ? last.asked
    : shown.value!.view.layers.map((layer, i) => ({ key: shown.value!.keys[i]!, layer }));

export async function showLayers(asked: readonly Asked[]): Promise<boolean> {
  if (asked.length === 0 || asked.length > RECIPE_LIMITS.layers) return false;
  const layers = asked.map(({ layer }) => layer);
  last = { asked, layers };
  return change({ layers });
}

/** @param index Of a shown layer, as in the other actions */
export function removeLayer(index: number): Promise<boolean> {
  const shownKey = shown.value!.keys[index];
  return showLayers(layersAsked().filter(({ key }) => key !== shownKey));
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

// Actions of the controls on the view.
import { isEnhanced } from '../../picture/operations/operations.ts';
import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import { neighbours } from '../api/images.ts';
import { change, currentPicture, frameOf, pause, report, settle } from './open.ts';
import { adjacent, baseImage, baseSourceId, isBefore, isMoving, screen, shown } from './state.ts';

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

export const stayHere = (): void => settle({ ...screen.value!, isNewest: false });

export async function showBefore(isOn = !isBefore.value): Promise<void> {
  if (isOn === isBefore.value || !screen.value?.view.layers.some(isEnhanced)) return;
  if (isMoving.value) pause();
  isBefore.value = isOn;
  await currentPicture()?.exchange(frameOf(screen.value));
}

export function removeLayer(index: number): Promise<boolean> {
  return change({ layers: shown.value!.view.layers.filter((_, i) => i !== index) });
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

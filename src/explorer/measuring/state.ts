// What is measured over time, which stays while the panel is closed.
import { computed, signal } from '@preact/signals';
import { ARCSEC_PER_RADIUS } from '../../picture/projections/mapping.ts';
import { HOUR_MS } from '../../platform/util/durations.ts';
import type { FigureName } from '../../sun/laws/value.ts';
import type { ImageRecord } from '../api/images.ts';
import { isOnDisc, PATH_KINDS, placeAt, REGION_KINDS, type Shape, type ShapeKind } from '../model/measured-shape.ts';
import type { Range } from '../model/timeline.ts';
import type { Point } from '../picture/geometry.ts';
import { observers, pictureSize, shown } from '../store/state.ts';
import { timelineAround } from '../time/timeline-range.ts';

type Task = 'none' | 'region' | 'path';
export const TASKS: readonly Task[] = ['none', 'region', 'path'];
export const KINDS: Readonly<Record<Task, readonly ShapeKind[]>> = { none: [], region: REGION_KINDS, path: PATH_KINDS };

export const task = signal<Task>('none');
/** The place of a tap whose values are read out, arcseconds from the Sun's centre as seen from 1 au, y down. */
export const mark = signal<Point | null>(null);

const shapes = { none: signal<Shape | null>(null), region: signal<Shape | null>(null), path: signal<Shape | null>(null) };
export const shape = computed(() => shapes[task.value].value);
/** When the images were taken in which the shapes were drawn, milliseconds since 1970. */
const drawnAt: Partial<Record<Task, number>> = {};
export function setShape(next: Shape | null): void {
  shapes[task.value].value = next;
  if (measuredLayer.value) drawnAt[task.value] = Date.parse(measuredLayer.value.image.takenAt);
}
export const sketched = signal<ShapeKind | null>(null);

export const chosenLayer = signal<number | null>(null);

export type MeasuredLayer = { readonly index: number; readonly sourceId: number; readonly image: ImageRecord };

export const layersShown = computed<readonly MeasuredLayer[]>(() => {
  const { view, images } = shown.value ?? {};
  return (view?.layers ?? []).flatMap(({ sourceId, isVisible }, index) => {
    const image = images?.[index];
    return image && isVisible ? [{ index, sourceId, image }] : [];
  });
});

/** The places of the shown layers at a point; null beside an image. */
export const placesAt = (point: Point) =>
  layersShown.value.map((layer) => ({ layer, place: placeAt(layer.image, point, observers.value.get(layer.image.id)?.edges) }));

/** The middle of the view on the screen. */
export const middlePixel = (): Point => ({ x: pictureSize.value.width / 2, y: pictureSize.value.height / 2 });

/** The layer that is measured: the chosen one while it is shown, else the lowest; along a path the highest, as the coronagraph around a disk. */
export const measuredLayer = computed<MeasuredLayer | null>(() => {
  const layers = layersShown.value;
  return layers.find(({ index }) => index === chosenLayer.value) ?? layers.at(task.value === 'path' ? -1 : 0) ?? null;
});

/** Times of its own; null for the range of the timeline. */
export const ownRange = signal<Range | null>(null);

/** Start and end of the measurement; null before the first picture. */
export function measuredRange(): Range | null {
  const atMs = shown.value?.view.atMs;
  return ownRange.value ?? (atMs === undefined ? null : timelineAround(atMs));
}

/** Seconds between images; 0 for every image. */
export const cadence = signal<number | 'usual'>('usual');
export const isTracked = signal<boolean | null>(null);

/** The time from which the present shape rotates with the Sun: usually on the disc, over more than an hour. Null for a fixed one. */
export function trackedFrom(range: Range, { image }: MeasuredLayer): number | null {
  const of = shape.value;
  const isUsual = of !== null && range.endMs - range.startMs > HOUR_MS && isOnDisc(of, ARCSEC_PER_RADIUS * image.scaleCorrection);
  return (isTracked.value ?? isUsual) ? (drawnAt[task.value] ?? Date.parse(image.takenAt)) : null;
}
export const statistics = signal<readonly FigureName[]>(['mean']);
export const threshold = signal(100);
export const isOfLevels = signal(false);
/** Arcseconds over which a value of a path is a mean. */
export const pathWidth = signal(10);
/** Arcseconds between positions of a path; null for the usual step. */
export const pathStep = signal<number | null>(null);

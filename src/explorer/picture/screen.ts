// Places on a screen in its projection: of the picture, of the Sun and of events.
import type { Projection } from '../../picture/projection.ts';
import type { Mapping } from '../../picture/projections/mapping.ts';
import type { Observer } from '../../sun/coordinates/observer.ts';
import { locationAt } from '../../sun/coordinates/picture-plane.ts';
import type { Stonyhurst } from '../../sun/coordinates/sphere.ts';
import { currentPicture } from '../store/open.ts';
import { camera, mapping, pictureSize, projection } from '../store/state.ts';
import { onScreen, onSun, type Point, type Viewport } from './geometry.ts';
import { eventPoint } from './projecting.ts';

export interface Screen extends Viewport {
  readonly projection: Projection;
  /** Null before the observer of the picture is known. */
  readonly mapping: Mapping | null;
}

export const presentScreen = (): Screen | null =>
  camera.value && { camera: camera.value, size: pictureSize.value, projection: projection.value, mapping: mapping.value };

const pixelOf = (point: Point | null | undefined, on: Viewport): Point | null =>
  point ? onScreen(on.camera, on.size, point) : null;

/** A point of the picture on a screen, pixels from its upper left corner; null where it is not shown. */
export const pixelOfPoint = (point: Point, on = presentScreen()): Point | null => on && pixelOf(on.mapping?.ofPlane(point), on);

export const pixelOfLocation = (location: Stonyhurst, on: Screen): Point | null => pixelOf(on.mapping?.screenOf(location), on);

/** `eventPoint` on a screen. */
export const pixelOfEvent = (place: Point, atMs: number, on: Screen): Point | null => pixelOf(eventPoint(place, atMs, on), on);

const screenAt = (pixel: Point): Point => onSun(camera.value!, pictureSize.value, pixel);

export const pointAt = (pixel: Point): Point | null => mapping.value?.toPlane(screenAt(pixel)) ?? null;

export const locationAtPixel = (pixel: Point): Stonyhurst | null => mapping.value?.locationAt(screenAt(pixel)) ?? null;

/** A line through points, without those that are not shown, and without the way around a picture with a seam. */
export function projectedPath(points: readonly (Point | null)[], { mapping, camera }: Screen): string {
  const widest = (mapping?.width ?? Number.POSITIVE_INFINITY) / 2 / camera.scale;
  return points
    .map((point, i) => {
      if (!point) return '';
      const before = points[i - 1];
      const isJoined = before && Math.abs(point.x - before.x) < widest;
      return `${isJoined ? 'L' : 'M'}${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
    })
    .join('');
}

/** Moves the view, or turns the sphere, to a point of the picture that an observer sees. */
export function lookAt(point: Point, from: Observer): void {
  const location = locationAt(point, from);
  const screen = projection.value.kind === 'plane' ? point : location && mapping.value?.screenOf(location);
  if (projection.value.kind === 'sphere' && location) currentPicture()?.turnTo(location);
  else if (screen) currentPicture()?.look(screen);
}

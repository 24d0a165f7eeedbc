// Places on the screen in the projection that is shown: of the picture, of the Sun and of events.
import { type Observer, pictureObserver } from '../../../domain/coordinates/observer.ts';
import { locationAt } from '../../../domain/coordinates/picture-plane.ts';
import type { Stonyhurst } from '../../../domain/coordinates/sphere.ts';
import { UNWRAPPED_WIDTH } from '../../../domain/explorer/display/projection.ts';
import { currentPicture } from '../store/open.ts';
import { camera, mapping, pictureSize, projection, shown } from '../store/state.ts';
import { onScreen, onSun, type Point } from './geometry.ts';

const pixelOf = (screen: Point | null | undefined): Point | null =>
  screen && camera.value ? onScreen(camera.value, pictureSize.value, screen) : null;

/** A point of the picture on the screen, pixels from its upper left corner; null where it is not shown. */
export const pixelOfPoint = (point: Point): Point | null => pixelOf(mapping.value?.ofPlane(point));

export const pixelOfLocation = (location: Stonyhurst): Point | null => pixelOf(mapping.value?.screenOf(location));

/** The place of an event, which is one of the plane of the Earth's observer, on the screen. `y` to the NORTH. */
export function pixelOfEvent({ x, y }: Point): Point | null {
  const point = { x, y: -y };
  const { kind } = projection.value;
  if (kind === 'plane' || kind === 'unwrapped') return pixelOfPoint(point);
  const location = locationAt(point, pictureObserver(shown.value!.view.atMs));
  return location && pixelOfLocation(location);
}

const screenAt = (pixel: Point): Point => onSun(camera.value!, pictureSize.value, pixel);

/** The point of the picture below a pixel of the screen. */
export const pointAt = (pixel: Point): Point | null => mapping.value?.toPlane(screenAt(pixel)) ?? null;

/** The location of the Sun there, also where the observer of the picture does not see it. */
export const locationAtPixel = (pixel: Point): Stonyhurst | null => mapping.value?.locationAt(screenAt(pixel)) ?? null;

/** A line through points, without those that are not shown, and without the way around an unwrapped picture. */
export function projectedPath(points: readonly (Point | null)[]): string {
  const widest = projection.value.kind === 'unwrapped' ? UNWRAPPED_WIDTH / 2 / camera.value!.scale : Number.POSITIVE_INFINITY;
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

// Places that rotate with the Sun from one image to another.
import type { ImagePlane } from '../../sun/coordinates/image-plane.ts';
import { type Helioprojective, rotation } from '../../sun/coordinates/sphere.ts';
import { formatExact } from '../../sun/time.ts';

/** The differential rotation of tracked regions, by `rotation`; SunPy names it `howard`, its default. */
export const ROTATION = 'Howard, Harvey and Forgach 1990: 2.894 - 0.428 sin²B - 0.370 sin⁴B µrad/s, sidereal';

/** Whether places rotate with the Sun, and the time to which their coordinates belong. */
export interface Tracking {
  readonly isTracked: boolean;
  /** Milliseconds since 1970; null for that of the first image. */
  readonly trackFromMs: number | null;
}

/** The differential rotation of tracked places, and from when; null for fixed ones. */
export function statedRotation({ isTracked, trackFromMs }: Tracking): string | null {
  if (!isTracked) return null;
  return trackFromMs === null ? ROTATION : `${ROTATION}; from ${formatExact(trackFromMs)}`;
}

/** The coordinates of an image with its time. */
export interface TimedPlane {
  readonly plane: ImagePlane;
  readonly atMs: number;
}

/** The track from an image to another: `off-disc` for a place beside the Sun, `hidden` for one behind the limb. */
export function trackBetween(
  from: TimedPlane,
  to: TimedPlane,
): (seen: Helioprojective) => Helioprojective | 'off-disc' | 'hidden' {
  const turned = rotation(from.atMs, to.atMs);
  return (seen) => {
    const location = from.plane.stonyhurstAt(seen);
    if (!location) return 'off-disc';
    return to.plane.directionOf(turned(location)) ?? 'hidden';
  };
}

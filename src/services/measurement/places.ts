// Places that requests name, in all frames of an image.
import type { FitsPixel, ImagePlane } from '../../domain/coordinates/image-plane.ts';
import type { Helioprojective, Stonyhurst } from '../../domain/coordinates/sphere.ts';
import { badParameter, Failure } from '../../domain/errors.ts';

export const FRAMES = ['helioprojective', 'stonyhurst', 'carrington', 'pixel'] as const;
export type Frame = (typeof FRAMES)[number];

/** A place: arcseconds, degrees of longitude and latitude, or FITS pixels. */
export interface PlaceRequest {
  readonly frame: Frame;
  readonly x: number;
  readonly y: number;
}

/** A place in all frames; null where a frame does not have it. */
export interface Place {
  readonly helioprojective: Helioprojective | null;
  readonly stonyhurst: Stonyhurst | null;
  readonly carrington: Stonyhurst | null;
  readonly pixel: FitsPixel;
}

/** The place that a request names. @throws Failure `bad-parameter` where the image cannot have it, `unsupported` without coordinates */
export function placeOf(plane: ImagePlane | null, { frame, x, y }: PlaceRequest): Place {
  if (plane === null) {
    if (frame === 'pixel') return { helioprojective: null, stonyhurst: null, carrington: null, pixel: { x, y } };
    const sentence = 'The projection of this image is not supported. Use frame=pixel.';
    throw new Failure('unsupported', sentence, { parameter: 'frame' });
  }
  const seen = directionOf(plane, { frame, x, y });
  const pixel = frame === 'pixel' ? { x, y } : plane.pixelAt(seen);
  if (!pixel) throw badParameter('x', 'a place in front of the observer', x);
  const stonyhurst = plane.stonyhurstAt(seen);
  return { helioprojective: seen, stonyhurst, carrington: stonyhurst && plane.carringtonOf(stonyhurst), pixel };
}

/** The direction in which the observer saw a place; null on the other side of the Sun. */
export function seenPlace(plane: ImagePlane, { frame, x, y }: PlaceRequest): Helioprojective | null {
  if (frame === 'helioprojective') return { x, y };
  if (frame === 'pixel') return plane.seenAt({ x, y });
  const named = { longitude: x, latitude: y };
  return plane.directionOf(frame === 'stonyhurst' ? named : plane.stonyhurstOfCarrington(named));
}

/** Whether the coordinates of a frame are longitude and latitude. */
export const isInDegrees = (frame: Frame): frame is 'stonyhurst' | 'carrington' =>
  frame === 'stonyhurst' || frame === 'carrington';

/** Whether the Sun has this latitude. */
export const isLatitude = (degrees: number): boolean => Math.abs(degrees) <= 90;

function directionOf(plane: ImagePlane, place: PlaceRequest): Helioprojective {
  const { frame, x, y } = place;
  if (isInDegrees(frame) && !isLatitude(y)) throw badParameter('y', 'a latitude from -90 to 90 degrees', y);
  const seen = seenPlace(plane, place);
  if (!seen) throw badParameter('x', 'a place on the side of the Sun that the observer of this image saw', x);
  return seen;
}

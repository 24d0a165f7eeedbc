// Mapping between an observer's image and the solar surface.
import { RADIANS_PER_DEGREE as RAD } from '../../src/sun/coordinates/observer.ts';
import { APPARENT_RADIUS_M, type SunObserver } from './observer.ts';

export interface Framing {
  readonly width: number;
  readonly height: number;
  readonly scaleArcsecPerPixel: number;
  /** Sun centre in FITS pixels: the centre of the bottom left pixel is (1, 1). */
  readonly sunX: number;
  readonly sunY: number;
}

export type View = ReturnType<typeof viewOf>;

/** Angle of the limb from the Sun's centre, arcseconds. */
export const limbArcsec = (distanceM: number): number => (Math.asin(APPARENT_RADIUS_M / distanceM) / RAD) * 3600;

/**
 * An image of an observer. `centreX`, `centreY`: Sun centre with pixel centres at whole numbers, origin top left, y downward; `distance`: of the
 * observer from the Sun's centre, solar radii.
 */
export const viewOf = (observer: SunObserver, framing: Framing) => ({
  ...framing,
  observer,
  centreX: framing.sunX - 1,
  centreY: framing.height - framing.sunY,
  limbPixels: limbArcsec(observer.distanceM) / framing.scaleArcsecPerPixel,
  distance: observer.distanceM / APPARENT_RADIUS_M,
  sinLatitude: Math.sin(observer.latitudeDeg * RAD),
  cosLatitude: Math.cos(observer.latitudeDeg * RAD),
});

/** A position in the picture and its depth: x right, y down, in pixels; z towards the observer, solar radii. */
type Projected = { x: number; y: number; z: number };

/** Projects a point at `radius` solar radii over a heliographic position; longitude Carrington, degrees. */
export function project(view: View, longitudeDeg: number, latitudeDeg: number, radius = 1): Projected {
  const longitude = (longitudeDeg - view.observer.longitudeDeg) * RAD;
  const [c, s] = [Math.cos(latitudeDeg * RAD) * radius, Math.sin(latitudeDeg * RAD) * radius];
  return projectVector(view, c * Math.sin(longitude), s, c * Math.cos(longitude));
}

/** Projects a point given in solar radii along west, north (the rotation axis) and the observer's meridian. */
export function projectVector(view: View, west: number, north: number, ahead: number): Projected {
  const up = north * view.cosLatitude - ahead * view.sinLatitude;
  const z = north * view.sinLatitude + ahead * view.cosLatitude;
  const limb = 1 / Math.sqrt(view.distance ** 2 - 1);
  const scale = view.limbPixels / limb / (view.distance - z);
  return { x: view.centreX + west * scale, y: view.centreY - up * scale, z };
}

/** [x0, x1) by [y0, y1), clipped to the picture. */
export type PixelBox = { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };

export const discOf = (view: View): PixelBox => boxAround(view, view.centreX, view.centreY, view.limbPixels);

/** @param draw Receives the column, the row and the index of each pixel of a box, row by row */
export function eachPixel(view: View, { x0, x1, y0, y1 }: PixelBox, draw: (x: number, y: number, at: number) => void): void {
  for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) draw(x, y, y * view.width + x);
}

export function boxAround(view: View, x: number, y: number, halfPixels: number): PixelBox {
  const clamp = (value: number, limit: number) => Math.max(0, Math.min(limit, value));
  return {
    x0: clamp(Math.floor(x - halfPixels), view.width),
    y0: clamp(Math.floor(y - halfPixels), view.height),
    x1: clamp(Math.ceil(x + halfPixels) + 1, view.width),
    y1: clamp(Math.ceil(y + halfPixels) + 1, view.height),
  };
}

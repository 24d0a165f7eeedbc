// The pyramid of ordinary tiles (`/tiles/…/{z}/{x}/{y}`): one square for every image, centred on the Sun, in arcseconds as the observer of
// the image saw them. Zoom 0 is one tile, and each zoom has twice as many along each side. Columns count from the left (solar east), rows
// from the top (solar north), as in every template with {z}, {x} and {y}.
import { badParameter } from '../../platform/util/errors.ts';
import type { ImageGeometry } from '../../sun/image.ts';
import { plateScale, sunCentre, TILE_SIZE, type TileAddress } from './pixel-grid.ts';

/** The zoom of 0.6 arcseconds per pixel, the plate scale of AIA: zoom 0 then reaches beyond the mosaics of PUNCH. */
const AIA_ZOOM = { zoom: 11, scaleArcsecPerPixel: 0.6 } as const;

/** Zooms: to 0.0375 arcseconds per pixel, for cut-outs. */
export const ZOOMS = { min: 0, max: 15 } as const;

export const zoomScale = (zoom: number): number => AIA_ZOOM.scaleArcsecPerPixel * 2 ** (AIA_ZOOM.zoom - zoom);

/** Distance in arcseconds from the Sun's centre to each edge of the square. */
export const SQUARE_EDGE_ARCSEC = (TILE_SIZE * zoomScale(ZOOMS.min)) / 2;

/** The tile on the pixels of images. @throws Failure `bad-parameter` for a column or row that the zoom does not have */
export function tileAt({ z, x, y }: { readonly z: number; readonly x: number; readonly y: number }): TileAddress {
  const count = 2 ** z;
  for (const [name, value] of [['x', x] as const, ['y', y] as const])
    if (value >= count) throw badParameter(name, `a whole number from 0 to ${count - 1} at zoom ${z}`, value);
  return { x: x - count / 2, y: y - count / 2, imageScale: zoomScale(z), frame: 'observer' };
}

/** Left, bottom, right and top in arcseconds from the Sun's centre: west and north are positive. */
export type ArcsecBounds = readonly [left: number, bottom: number, right: number, top: number];

/** The edges of an image as its observer saw them. */
export function observedBounds(image: ImageGeometry): ArcsecBounds {
  const scale = plateScale(image);
  const sun = sunCentre(image);
  return [-sun.x * scale, (sun.y - image.height) * scale, (image.width - sun.x) * scale, sun.y * scale];
}

/** Relative deviation of a plate scale from that of a zoom that counts as the same. */
const SCALE_TOLERANCE = 0.02;

/** Zooms that show an image well: from the last at which it fits a tile to the first with all pixels. `scale`: arcseconds of a pixel. */
export function usefulZooms(
  image: ImageGeometry,
  scale = plateScale(image),
  extent = scale * Math.max(image.width, image.height),
): { readonly min: number; readonly max: number } {
  const zoomOf = (arcsecPerPixel: number) => Math.log2(zoomScale(0) / arcsecPerPixel);
  const within = (zoom: number) => Math.min(Math.max(zoom, ZOOMS.min), ZOOMS.max);
  const max = within(Math.ceil(zoomOf(scale * (1 + SCALE_TOLERANCE))));
  const whole = extent / TILE_SIZE;
  return { min: Math.min(within(Math.floor(zoomOf(whole / (1 + SCALE_TOLERANCE)))), max), max };
}

const DEGREES_PER_RADIAN = 180 / Math.PI;

/** Longitude and latitude of a place of the square in Web Mercator, the only degrees in which TileJSON states places. */
export function mercatorDegrees(xArcsec: number, yArcsec: number): readonly [longitude: number, latitude: number] {
  const part = (arcsec: number) => Math.min(Math.max(arcsec / SQUARE_EDGE_ARCSEC, -1), 1);
  return [180 * part(xArcsec), DEGREES_PER_RADIAN * Math.atan(Math.sinh(Math.PI * part(yArcsec)))];
}

/** Longitudes and latitudes of bounds in such a map: left, bottom, right and top. */
export const mercatorBounds = ([left, bottom, right, top]: ArcsecBounds): readonly [number, number, number, number] => [
  ...mercatorDegrees(left, bottom),
  ...mercatorDegrees(right, top),
];

/** Metres from the centre to the edges of the world in Web Mercator (EPSG:3857). */
const MERCATOR_EDGE_METRES = 20_037_508.342_789_244;

/** Metres at which such a map has a place of the square. */
export function mercatorMetres(xArcsec: number, yArcsec: number): readonly [number, number] {
  const scale = MERCATOR_EDGE_METRES / SQUARE_EDGE_ARCSEC;
  return [xArcsec * scale, yArcsec * scale];
}

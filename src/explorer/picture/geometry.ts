// Places on the screen and on the Sun. Lengths are arcseconds from the centre of the Sun as seen from 1 au, x to the west, y DOWN.
import { LEVEL_0_SCALE, LEVELS, TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import type { Region as Box, PlanePoint as Point } from '../../sun/coordinates/picture-plane.ts';
import type { Size } from '../../sun/image.ts';
import type { Placed } from '../api/images.ts';

/** Ratio of tile to screen pixels from which the next finer level is used. */
const COARSENESS = 1.25;
/** Upper bound of the device pixel ratio, because a higher one costs four times the bytes for little visible gain. */
const MOST_DEVICE_PIXELS = 2;
const MOST_ENLARGED = 16;
const MOST_REDUCED = 8;

export type { Box, Point, Size };

/** The centre of the screen, and arcseconds per screen pixel. */
export type Camera = Point & { readonly scale: number };

/** The place of a picture on the Sun. */
export type Viewport = { readonly camera: Camera; readonly size: Size };

/** Arcseconds per pixel of a level, with the six decimals that clients send. */
export const levelScale = (level: number) => Number((LEVEL_0_SCALE * 2 ** level).toFixed(6));

const levelBelow = (scale: number) => Math.floor(Math.log2(scale / LEVEL_0_SCALE));

/** Pixels of the device per pixel of the page, as far as they are drawn. */
export const devicePixels = () => Math.min(devicePixelRatio, MOST_DEVICE_PIXELS);

/** The level of tiles for a scale of the screen: the one with all pixels of an image at most, or `finer` levels below that. */
export function levelFor(image: Pick<Placed, 'scale'>, scale: number, finer = 0): number {
  const finest = Math.max(levelBelow(image.scale * 1.1) - finer, LEVELS.min);
  return Math.max(finest, levelBelow((scale * COARSENESS) / devicePixels()));
}

export function imageCentre({ width, height, scale, refPixelX, refPixelY }: Placed): Point {
  return { x: (width / 2 - (refPixelX - 0.5)) * scale, y: (height / 2 - (height - refPixelY + 0.5)) * scale };
}

/** A box with a point in its middle. */
export function boxAround({ x, y }: Point, width: number, height = width): Box {
  return { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 };
}

export const imageBox = (image: Placed): Box =>
  boxAround(imageCentre(image), image.width * image.scale, image.height * image.scale);

export function unionOf(boxes: readonly Box[]): Box {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

export function fitted({ left, top, right, bottom }: Box, size: Size): Camera {
  const scale = Math.max((right - left) / Math.max(size.width, 1), (bottom - top) / Math.max(size.height, 1));
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale };
}

export type ViewBounds = { readonly box: Box; readonly finestScale: number; readonly coarsestScale: number };

/** Limits of the view of some images: the area that they take, and scales from enlarged pixels to an eighth of the screen. */
export function boundsOf(images: readonly Placed[], box: Box, size: Size): ViewBounds {
  const finest = Math.min(...images.map(({ scale }) => scale));
  return { box, finestScale: finest / MOST_ENLARGED, coarsestScale: fitted(box, size).scale * MOST_REDUCED };
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

export function within({ box, finestScale, coarsestScale }: ViewBounds, { x, y, scale }: Camera): Camera {
  return { x: clamp(x, box.left, box.right), y: clamp(y, box.top, box.bottom), scale: clamp(scale, finestScale, coarsestScale) };
}

export function zoomed(bounds: ViewBounds, camera: Camera, factor: number, at: Point = { x: 0, y: 0 }): Camera {
  const scale = clamp(camera.scale / factor, bounds.finestScale, bounds.coarsestScale);
  const gain = camera.scale - scale;
  return within(bounds, { x: camera.x + at.x * gain, y: camera.y + at.y * gain, scale });
}

/** A rectangle of tiles of a level: `columns` from column `x` on and `rows` from row `y` on. */
export type TileRect = Point & { readonly columns: number; readonly rows: number };

export const seenBox = (camera: Camera, { width, height }: Size): Box =>
  boxAround(camera, width * camera.scale, height * camera.scale);

/**
 * The tiles of a level that cover what is seen of an image; null for none. `scale`: arcseconds per pixel of the screen; `box`: where the image
 * ends.
 */
export function tileRect(image: Placed, seen: Box, scale: number, level: number, box = imageBox(image)): TileRect | null {
  const side = TILE_SIZE * levelScale(level);
  const anchor = imageCentre(image);
  const span = (least: number, most: number, centre: number): [number, number] => {
    const first = Math.floor((least - centre) / side);
    return [first, Math.ceil((most - centre) / side) - first];
  };
  // A strip narrower than a screen pixel gets no tile, because images often exceed 2^n tiles by that much.
  const [x, columns] = span(Math.max(seen.left, box.left + scale), Math.min(seen.right, box.right - scale), anchor.x);
  const [y, rows] = span(Math.max(seen.top, box.top + scale), Math.min(seen.bottom, box.bottom - scale), anchor.y);
  return columns > 0 && rows > 0 ? { x, y, columns, rows } : null;
}

/** The tiles of a rectangle, from its middle. */
export function tilesOf({ x, y, columns, rows }: TileRect): Point[] {
  const tiles = Array.from({ length: columns * rows }, (_, i) => ({ x: x + (i % columns), y: y + Math.floor(i / columns) }));
  const distance = (tile: Point) => Math.hypot(tile.x + 0.5 - x - columns / 2, tile.y + 0.5 - y - rows / 2);
  return tiles.sort((a, b) => distance(a) - distance(b));
}

/** Addresses of the tiles of an image that a screen shows. */
export function tilesSeen(image: Placed, { camera, size }: Viewport) {
  const level = levelFor(image, camera.scale);
  const rect = tileRect(image, seenBox(camera, size), camera.scale, level);
  return rect ? tilesOf(rect).map((tile) => ({ ...tile, imageScale: levelScale(level) })) : [];
}

/** The scale of the first level from `level` on at which all of an image has at most `side` pixels, a multiple of 16, in each direction. */
export function wholeScale(image: Placed, level: number, side: number): number {
  const imageScale = levelScale(level);
  const pixels = (Math.max(image.width, image.height) * image.scale) / imageScale;
  return Math.round(pixels / 2) <= side / 2 ? imageScale : wholeScale(image, level + 1, side);
}

export function pointIn(element: Element, { clientX, clientY }: MouseEvent): Point {
  const box = element.getBoundingClientRect();
  return { x: clientX - box.x, y: clientY - box.y };
}

/** A place on the Sun with pixels that are `by` times as large. */
export const enlarged = ({ camera, size }: Viewport, by: number): Viewport => ({
  camera: { ...camera, scale: camera.scale * by },
  size: { width: size.width / by, height: size.height / by },
});

/** A point of the Sun on the screen, pixels from its upper left corner. */
export function onScreen(camera: Camera, size: Size, { x, y }: Point): Point {
  return { x: (x - camera.x) / camera.scale + size.width / 2, y: (y - camera.y) / camera.scale + size.height / 2 };
}

export function onSun(camera: Camera, size: Size, { x, y }: Point): Point {
  return { x: camera.x + (x - size.width / 2) * camera.scale, y: camera.y + (y - size.height / 2) * camera.scale };
}

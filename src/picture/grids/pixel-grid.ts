// Grids of output pixels over an image: of tiles about the image centre, of pictures about the Sun's, so that their layers line up.
import type { PlanePoint } from '../../sun/coordinates/picture-plane.ts';
import type { ImageGeometry, Size } from '../../sun/image.ts';
import type { FieldOfView } from '../picture.ts';

export const TILE_SIZE = 512;

/** Output pixels over an image, in its pixels from the top left corner: pixel i covers [left + i * step, left + (i + 1) * step). */
export interface PixelGrid {
  readonly left: number;
  readonly top: number;
  readonly step: number;
  /** Image pixels per row, where a picture is distorted. Unset: step. */
  readonly rowStep?: number;
  readonly width: number;
  readonly height: number;
}

export const rowStepOf = ({ step, rowStep = step }: Pick<PixelGrid, 'step' | 'rowStep'>): number => rowStep;

/** A grid over the samples of a file whose pixels are not square; the geometry of its image counts square ones. */
export function gridOfSamples(grid: PixelGrid, { width, height }: Size, samples: Size): PixelGrid {
  const [x, y] = [samples.width / width, samples.height / height];
  if (x === 1 && y === 1) return grid;
  return { ...grid, left: grid.left * x, top: grid.top * y, step: grid.step * x, rowStep: rowStepOf(grid) * y };
}

/** The output pixels of a grid that have samples; the rest is transparent. x1, y1 exclusive. */
export type Coverage = { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };

/** Position of a tile: numbers from the origin, y downward, and its scale in arcseconds per pixel. */
export interface TileAddress {
  readonly x: number;
  readonly y: number;
  readonly imageScale: number;
  /** Origin and arcseconds: `image`, its centre, as seen from 1 au (the default); `observer`, the Sun's centre, as the observer saw it. */
  readonly frame?: 'image' | 'observer';
}

/** Arcseconds per pixel of the scale to which the zoom levels of all viewers belong, each twice the one before. */
export const LEVEL_0_SCALE = 0.60511022;
/** From 0.038 arcseconds per pixel, for cut-outs, to one at which an image is a few pixels wide. */
export const LEVELS = { min: -4, max: 12 };
/** Relative deviation of the scales that clients round to six or seven decimals. */
const SCALE_TOLERANCE = 5e-6;

/** The zoom level that a scale means, in arcseconds per pixel; null for a scale between the levels. */
export function levelScale(imageScale: number): number | null {
  const level = Math.round(Math.log2(imageScale / LEVEL_0_SCALE));
  const scale = LEVEL_0_SCALE * 2 ** level;
  const isLevel = level >= LEVELS.min && level <= LEVELS.max && Math.abs(imageScale / scale - 1) <= SCALE_TOLERANCE;
  return isLevel ? scale : null;
}

function gridOfTile({ x, y }: TileAddress, step: number, origin: PlanePoint): PixelGrid {
  const side = TILE_SIZE * step;
  return { left: x * side + origin.x, top: y * side + origin.y, step, width: TILE_SIZE, height: TILE_SIZE };
}

/** Grid of a tile of the frame `image`; tile (0, 0) has its top left corner at the image centre. */
export const tileGrid = (image: Pick<ImageGeometry, 'width' | 'height' | 'scaleArcsecPerPixel'>, tile: TileAddress): PixelGrid =>
  gridOfTile(tile, tile.imageScale / image.scaleArcsecPerPixel, { x: image.width / 2, y: image.height / 2 });

/** Grid of a tile of the frame `observer`, (0, 0) below and right of the Sun's centre. `scale`: arcseconds of a pixel of the image or screen. */
export const observedTileGrid = (image: ImageGeometry, tile: TileAddress, scale = plateScale(image)): PixelGrid =>
  gridOfTile(tile, tile.imageScale / scale, sunCentre(image));

/** Arcseconds per pixel as the observer of an image saw them. */
export const plateScale = (image: Pick<ImageGeometry, 'scaleArcsecPerPixel' | 'scaleCorrection'>): number =>
  image.scaleArcsecPerPixel * image.scaleCorrection;

type Centred = Pick<ImageGeometry, 'refPixelX' | 'refPixelY' | 'height'>;

export const sunCentre = ({ refPixelX, refPixelY, height }: Centred): PlanePoint => ({
  x: refPixelX - 0.5,
  y: height - refPixelY + 0.5,
});

/** Grid of a field of view over an image. It may lie partly or entirely outside the image. */
export function compositionGrid(image: Centred & Pick<ImageGeometry, 'scaleArcsecPerPixel'>, field: FieldOfView): PixelGrid {
  const sun = sunCentre(image);
  const scale = image.scaleArcsecPerPixel;
  return {
    left: sun.x + field.region.left / scale,
    top: sun.y + field.region.top / scale,
    step: field.imageScaleArcsecPerPixel / scale,
    width: field.width,
    height: field.height,
  };
}

/**
 * Share of a sample that a level may lack per output pixel. AIA's 0.590 to 0.610 arcseconds vary around the 0.6051 of viewers:
 * without a tolerance, images of half a year would be decoded one level finer, at four times the cost.
 */
const LEVEL_TOLERANCE = 0.01;

/** Resolution levels to discard, at most `levels`, so that one sample is left per output pixel of `step` image pixels. */
export const discardedLevels = (step: number, levels: number): number =>
  Math.min(Math.max(0, Math.floor(Math.log2(step / (1 - LEVEL_TOLERANCE)))), levels);

/** Levels that the finer axis of a distorted picture may be finer than those of the other axis, so that no picture decodes far more than it shows. */
const DISTORTED_LEVELS = 2;

/** `discardedLevels` of a grid: those of its finer axis. */
export function gridLevels(grid: PixelGrid, levels: number): number {
  const [column, row] = [grid.step, rowStepOf(grid)].map((step) => discardedLevels(step, levels)) as [number, number];
  return Math.max(Math.min(column, row), Math.max(column, row) - DISTORTED_LEVELS);
}

/** The grid of samples of a resolution level, whose first lies at the centre of every 2^reduce-th pixel. `size`: of the file. */
export function levelGrid(image: Size, size: Size, reduce: number, part: Size & { x0: number; y0: number }) {
  const [across, down] = [image.width / size.width, image.height / size.height];
  const [step, rowStep] = [across * 2 ** reduce, down * 2 ** reduce];
  const left = part.x0 * step + (across - step) / 2;
  return { left, top: part.y0 * rowStep + (down - rowStep) / 2, step, rowStep, width: part.width, height: part.height };
}

/** Output pixels [from, to) of `count` whose centres lie inside [0, size) of the image. */
export function coveredPixels(start: number, step: number, count: number, size: number): { from: number; to: number } {
  const first = Math.ceil(-start / step - 0.5);
  const end = Math.ceil((size - start) / step - 0.5);
  const from = Math.min(Math.max(first, 0), count);
  return { from, to: Math.max(from, Math.min(end, count)) };
}

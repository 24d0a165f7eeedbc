// Parts of an image at a size, turned and mirrored: what the image interface of IIIF asks for.
import type { Orientation, PictureOfPart, Quality, Size } from '../../domain/iiif/image-request.ts';
import type { PixelGrid } from '../../domain/pixel-grid.ts';
import type { LayerPixels } from '../../imaging/compose.ts';

/** 256 times R, G, B: black and white. */
const BITONAL_PALETTE = Uint8Array.from({ length: 3 * 256 }, (_, i) => (i < 3 * 128 ? 0 : 255));

/** The palette of a picture, whose image has this one. */
function paletteFor(quality: Quality, own: Uint8Array | null): Uint8Array | null {
  if (quality === 'bitonal') return BITONAL_PALETTE;
  return quality === 'gray' ? null : own;
}

/** Whether a quarter turn exchanges the sides. */
const isSideways = ({ quarterTurns }: Orientation): boolean => quarterTurns % 2 === 1;

/** The size of the picture as it is sent. */
export function turnedSize({ size: { width, height }, orientation }: Pick<PictureOfPart, 'size' | 'orientation'>): Size {
  return isSideways(orientation) ? { width: height, height: width } : { width, height };
}

/** The grid of the picture as it is sent, of which strips are drawn: its rows count from the upper edge, and have the step of the finer axis. */
export function turnedGrid(cut: PictureOfPart): PixelGrid {
  const { step, rowStep = step } = sourceGrid(cut);
  return {
    left: 0,
    top: 0,
    ...(isSideways(cut.orientation) ? { step: rowStep, rowStep: step } : { step, rowStep }),
    ...turnedSize(cut),
  };
}

const sourceGrid = ({ region: { left, top, width, height }, size }: PictureOfPart): PixelGrid => ({
  left,
  top,
  step: width / size.width,
  rowStep: height / size.height,
  ...size,
});

/** The part of the picture, before it is turned, that becomes `rows` rows from `from` on. */
export function stripGrid(cut: PictureOfPart, from: number, rows: number): PixelGrid {
  const whole = sourceGrid(cut);
  const { isMirrored, quarterTurns } = cut.orientation;
  // The row from which the turned picture begins is the last one, or the last column, for half of the orientations.
  const isFromEnd = isSideways(cut.orientation) ? isMirrored === (quarterTurns === 1) : quarterTurns === 2;
  if (isSideways(cut.orientation)) {
    const column = isFromEnd ? whole.width - from - rows : from;
    return { ...whole, left: whole.left + column * whole.step, width: rows };
  }
  const row = isFromEnd ? whole.height - from - rows : from;
  return { ...whole, top: whole.top + row * whole.rowStep!, height: rows };
}

/** One byte a pixel in another orientation. */
function turnedBytes(bytes: Uint8Array, { width, height }: Size, { isMirrored, quarterTurns }: Orientation): Uint8Array {
  const [lastColumn, lastRow] = [width - 1, height - 1];
  /** Index of the byte that comes to a column and row. */
  const indexAt = (column: number, row: number): number => {
    const places = [[column, row] as const, [row, lastRow - column] as const, [lastColumn - column, lastRow - row] as const];
    const [x, y] = places[quarterTurns] ?? [lastColumn - row, column];
    return y * width + (isMirrored ? lastColumn - x : x);
  };
  const first = indexAt(0, 0);
  const [perColumn, perRow] = [indexAt(1, 0) - first, indexAt(0, 1) - first];
  const columns = quarterTurns % 2 === 1 ? height : width;
  const turned = new Uint8Array(bytes.length);
  for (let start = 0, from = first; start < turned.length; start += columns, from += perRow)
    for (let i = 0, at = from; i < columns; i++, at += perColumn) turned[start + i] = bytes[at]!;
  return turned;
}

/** A strip of a cut as it is sent: turned, and in the colours that are wanted. */
export function turnedStrip(layer: LayerPixels, { orientation, quality }: PictureOfPart): LayerPixels {
  const { samples, alpha, width, height } = layer;
  const size = turnedSize({ size: layer, orientation });
  const turn = (bytes: Uint8Array) => turnedBytes(bytes, { width, height }, orientation);
  const isUpright = orientation.quarterTurns === 0 && !orientation.isMirrored;
  const palette = paletteFor(quality, layer.palette);
  if (isUpright) return { ...layer, palette };
  const covered = { x0: 0, y0: 0, x1: size.width, y1: size.height };
  return { ...size, samples: turn(samples), alpha: alpha && turn(alpha), covered, palette };
}

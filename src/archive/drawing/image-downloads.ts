// Downloads of whole images. Those at usual sizes are rendered once per size and format, then stored in the archive.
import { WEBP_VERSION } from '../../picture/encode/webp.ts';
import { type PixelGrid, rowStepOf, TILE_SIZE } from '../../picture/grids/pixel-grid.ts';
import type { Orientation, PictureOfPart } from '../../picture/image-part.ts';
import type { ImageLayer } from '../../picture/layers.ts';
import { isPlain, operationQuery, operationsOf } from '../../picture/operations/operations.ts';
import type { ImagePicture } from '../../picture/picture.ts';
import type { LayerPixels } from '../../picture/raster/compose.ts';
import { RENDER_VERSION } from '../../picture/raster/render-version.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import { MEDIA_TYPES } from '../../platform/http/response.ts';
import { JOB_BYTES } from '../../platform/limits/memory.ts';
import { LOSSY_WEBP, PICTURE_COST } from '../../platform/limits/rendering.ts';
import { type Pace, UNTIMED } from '../../platform/ports/timing.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { Service } from '../../platform/util/service.ts';
import type { ArchivedImage, Size } from '../../sun/image.ts';
import { provenanceText, requestAddress } from '../../sun/provenance.ts';
import { imageOfLayer } from '../find-image.ts';
import type { ImageIndex } from '../image-index/d1-image-index.ts';
import { imageCopyKey } from '../keys.ts';
import { layerEncoder } from './formats/format.ts';
import { encoderBytes, type FileFormat, fileParameters, formatOf, type ImageType } from './formats/formats.ts';
import { isMaskedDownload, type LayerRenderer, stripsOf } from './layer-renderer.ts';
import { drawn } from './picture-cost.ts';

export interface DownloadSize extends Size {
  /** Image pixels per picture pixel, at least 1. */
  readonly step: number;
}

/** Longest side of a picture in pixels: the size of AIA and HMI images. */
const LONGEST_SIDE = 4096;

/** Number of picture pixels whose centre lies inside the image. */
const pixels = (side: number, step: number) => Math.max(1, Math.ceil(side / step - 0.5));

/** The size for a width in pixels, else a reduction factor (2 for half the width), within the image and LONGEST_SIDE, in its proportions. */
export function downloadSize(image: Size, requested: { width?: number | undefined; scale?: number | undefined }): DownloadSize {
  const width = requested.width ?? Math.trunc(image.width / Math.max(requested.scale ?? 1, 1));
  const step = Math.max(image.width / Math.max(width, 1), 1, Math.max(image.width, image.height) / LONGEST_SIDE);
  return { step, width: pixels(image.width, step), height: pixels(image.height, step) };
}

/** Widths of the pictures that viewers show by themselves: the cards of the explorer. */
const SHOWN_WIDTHS: readonly number[] = [160];

const isPowerOfTwo = (value: number) => Number.isInteger(Math.log2(value));

/** Whether the picture is stored. Other widths are drawn on each request, so that no client stores thousands of sizes of an image. */
const isStoredSize = ({ width, step }: DownloadSize): boolean =>
  isPowerOfTwo(width) || isPowerOfTwo(step) || SHOWN_WIDTHS.includes(width);

/** 256 times R, G, B: black and white. */
const BITONAL_PALETTE = Uint8Array.from({ length: 3 * 256 }, (_, i) => (i < 3 * 128 ? 0 : 255));

const isSideways = ({ quarterTurns }: Orientation): boolean => quarterTurns % 2 === 1;

/** The size of the picture as it is sent. */
const turnedSize = ({ size: { width, height }, orientation }: Pick<PictureOfPart, 'size' | 'orientation'>): Size =>
  isSideways(orientation) ? { width: height, height: width } : { width, height };

/** The grid of the picture as it is sent, of which strips are drawn: its rows count from the upper edge, and have the step of the finer axis. */
function turnedGrid(cut: PictureOfPart): PixelGrid {
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
function stripGrid(cut: PictureOfPart, from: number, rows: number): PixelGrid {
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

function turnedBytes(bytes: Uint8Array, { width, height }: Size, { isMirrored, quarterTurns }: Orientation): Uint8Array {
  const [lastColumn, lastRow] = [width - 1, height - 1];
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
function turnedStrip(layer: LayerPixels, { orientation, quality }: PictureOfPart): LayerPixels {
  const { samples, alpha, width, height } = layer;
  const size = turnedSize({ size: layer, orientation });
  const turn = (bytes: Uint8Array) => turnedBytes(bytes, { width, height }, orientation);
  const isUpright = orientation.quarterTurns === 0 && !orientation.isMirrored;
  const palette = quality === 'bitonal' ? BITONAL_PALETTE : quality === 'gray' ? null : layer.palette;
  if (isUpright) return { ...layer, palette };
  const covered = { x0: 0, y0: 0, x1: size.width, y1: size.height };
  return { ...size, samples: turn(samples), alpha: alpha && turn(alpha), covered, palette };
}

/** The file of a grid that is drawn in strips. @param note A text that the file keeps */
async function encoded(
  grid: PixelGrid,
  draw: (strip: PixelGrid) => Promise<LayerPixels>,
  { type, quality, isMasked, note }: FileFormat & { readonly isMasked: boolean; readonly note?: string },
  pace: Pace,
): Promise<Uint8Array> {
  let encoder: ReturnType<typeof layerEncoder> | undefined;
  for (const part of stripsOf(grid)) {
    const strip = await draw(part);
    encoder ??= layerEncoder(formatOf(type), { ...grid, palette: strip.palette, isMasked }, quality);
    await pace.measure('encode', () => encoder!.write(strip, (count) => pace.pause(count)));
  }
  return pace.measure('encode', () => encoder!.finish(note));
}

export class ImageFileRenderer extends Service<{ readonly layers: LayerRenderer }> {
  /** Renders the whole frame of the camera, not centred on the Sun. @throws Jp2Error for a damaged image, Failure `missing-file` */
  async render(layer: ImageLayer<ArchivedImage>, size: DownloadSize, { type, quality }: FileFormat, pace: Pace = UNTIMED) {
    const { image } = layer;
    const isMasked = isMaskedDownload(layer);
    const request = { id: image.id, width: size.width, ...fileParameters({ type, quality }), ...operationQuery(layer) };
    const note = await provenanceText(requestAddress('downloadImage', request), [image]);
    const draw = (grid: PixelGrid) => this.ports.layers.draw(layer, grid, 'download', pace, 'file');
    return encoded({ left: 0, top: 0, ...size }, draw, { type, quality, isMasked, note }, pace);
  }

  /** Renders a part of the frame of the camera. @throws as `render` */
  async cut(image: ArchivedImage, cut: PictureOfPart, type: ImageType, pace: Pace = UNTIMED): Promise<Uint8Array> {
    const layer = { image, reference: null };
    const isMasked = isMaskedDownload(layer);
    const whole = turnedGrid(cut);
    const draw = async ({ top, height }: PixelGrid) => {
      const grid = stripGrid(cut, Math.round(top / rowStepOf(whole)), height);
      return turnedStrip(await this.ports.layers.draw(layer, grid, 'download', pace, 'file'), cut);
    };
    return encoded(whole, draw, { type, isMasked }, pace);
  }
}

interface WholeImage extends FileFormat {
  readonly width?: number | undefined;
  /** Reduction factor; ignored when there is a width. */
  readonly scale?: number | undefined;
}

/** `bytes`: the file if this call rendered it; null if it was stored already, with `length` bytes. `etag`: strong, quoted. */
type ImageFile = { readonly image: ArchivedImage; readonly size: DownloadSize; readonly key: string; readonly etag: string } & (
  | { readonly bytes: Uint8Array; readonly length?: never }
  | { readonly bytes: null; readonly length: number }
);

const ETAG_DIGITS = 32;

export class ImageDownloadService extends Service<{
  readonly index: ImageIndex;
  readonly objects: ObjectStore;
  readonly imageFiles: Pick<ImageFileRenderer, 'render' | 'cut'>;
}> {
  /** @throws Failure `unknown-image`, `withdrawn`, `damaged-image`, `missing-file`, `busy`, or as `encoderBytes` */
  async file({ id, type, quality, ...request }: ImagePicture<WholeImage>, call: RenderCall): Promise<ImageFile> {
    const { index, objects, imageFiles } = this.ports;
    const image = await imageOfLayer({ index, stopwatch: call.stopwatch }, id, request);
    const size = downloadSize(image.geometry, request);
    const version = quality === undefined ? WEBP_VERSION : `q${quality}`;
    const key = imageCopyKey(RENDER_VERSION, image, { ...size, type, version: type === 'webp' ? version : undefined });
    const found = { image, size, key };
    const operations = operationsOf(request);
    // Operations and qualities have too many values for their pictures to be stored.
    const isStored =
      isStoredSize(size) &&
      isPlain(operations) &&
      (quality === undefined || (type === 'webp' && quality === LOSSY_WEBP.storedQuality));
    const stored = isStored ? await call.stopwatch.measure('read', () => objects.head(key)) : null;
    if (stored) return { ...found, etag: stored.etag, length: stored.size, bytes: null };
    const file = { type, quality };
    const bytes = await drawn({ ...size, layers: [operations], encoderBytes: encoderBytes(file, size) }, call, (pace) =>
      imageFiles.render({ ...operations, image, reference: null }, size, file, pace),
    );
    if (isStored) return { ...found, etag: (await objects.put(key, bytes, MEDIA_TYPES[type])).etag, bytes };
    return { ...found, etag: `"${(await sha256Hex(bytes)).slice(0, ETAG_DIGITS)}"`, bytes };
  }

  /** A part of an image. One of the size of a tile costs as much as a tile. It is kept in the edge cache alone. @throws Failure as `file` */
  async cut(image: ArchivedImage, cut: PictureOfPart, type: ImageType, call: RenderCall): Promise<Uint8Array> {
    const { imageFiles } = this.ports;
    const { width, height } = cut.size;
    if (width * height > TILE_SIZE ** 2) return drawn(cut.size, call, (pace) => imageFiles.cut(image, cut, type, pace));
    await call.admission.step(PICTURE_COST.tileMs);
    return call.admission.hold(JOB_BYTES.tile, () => imageFiles.cut(image, cut, type), { isShared: true });
  }
}

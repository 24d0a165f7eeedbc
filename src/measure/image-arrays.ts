// The values or bytes of a region of an image, or of all of it, as an array on the grid of its pixels or of blocks of them.
import { jp2Header } from '../archive/jp2-header.ts';
import type { ImageReader } from '../archive/reading/image-reader.ts';
import type { Jp2Header } from '../jp2/xml-header.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { MEASURING } from '../platform/limits/rendering.ts';
import type { ObjectStore } from '../platform/ports/objects.ts';
import { badParameter } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import { planeOf } from '../sun/coordinates/image-plane.ts';
import { onBlocks, type Shape, windowOf } from '../sun/coordinates/region.ts';
import type { ArchivedImage } from '../sun/image.ts';
import { type ConfirmedLaw, LevelCounter } from '../sun/laws/gate.ts';
import { type BlockGrid, type Wcs, wcsOf, wcsOfBlocks } from '../sun/wcs.ts';
import { type Blocks, blockValues, wholeBlocks } from './block-values.ts';
import { countingBytes, type ImageLaws } from './image-laws.ts';
import { type RegionRequest, regionOff, regionParameter, shapeOf } from './regions.ts';
import { noData, noLaw } from './values.ts';

interface ArrayRequest {
  /** Null: the whole image. */
  readonly region: RegionRequest | null;
  /** The side of the blocks as an exponent of 2. */
  readonly level: number;
  /** Bytes instead of values. */
  readonly isRaw: boolean;
  readonly mostValues: number;
}

export interface ImageArray {
  readonly width: number;
  readonly height: number;
  /** Row by row from the bottom: the first is the pixel 1, 1. */
  readonly samples: Float32Array | Uint8Array;
  readonly header: Jp2Header;
  readonly grid: BlockGrid;
  /** Coordinates of the array; null for an image without. */
  readonly wcs: Wcs | null;
  /** Null for bytes. */
  readonly confirmed: ConfirmedLaw | null;
  /** Pixels of the region at full resolution by what they are. */
  readonly pixels: { readonly measured: number; readonly below: number; readonly above: number; readonly noData: number };
}

const bytesOf = ({ isRaw }: Pick<ArrayRequest, 'isRaw'>): number => (isRaw ? 1 : Float32Array.BYTES_PER_ELEMENT);

/** The blocks of a request. @throws Failure `bad-parameter` where there are none, or too many */
function blocksOf(
  { width, height }: ArchivedImage['geometry'],
  { region, level, isRaw, mostValues }: ArrayRequest,
  shape: Shape | null,
): Blocks {
  const { factor, columns, rows } = wholeBlocks({ width, height }, level);
  if (columns === 0 || rows === 0) throw badParameter('level', `a level at which ${width} x ${height} pixels have blocks`, level);
  const placed = shape && onBlocks(shape, factor);
  const whole = { x0: 0, y0: 0, x1: columns, y1: rows };
  const window = placed ? windowOf(placed, { width: columns, height: rows }) : whole;
  if (!window) throw regionOff({ width, height }, region!, shape, factor);
  const values = (window.x1 - window.x0) * (window.y1 - window.y0);
  const most = Math.min(mostValues, MEASURING.arrayBytes / bytesOf({ isRaw }));
  if (values > most) {
    const fitting = level + Math.ceil(Math.log2(values / most) / 2);
    const sentence = `a level of ${fitting} or more, or a smaller region, of at most ${most} values in this format (this one has ${values})`;
    throw badParameter('level', sentence, level);
  }
  return { factor, columns, rows, window, shape: placed };
}

export class ImageArrays extends Service<{
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly laws: Pick<ImageLaws, 'of'>;
  readonly reader: Pick<ImageReader, 'open' | 'strips'>;
}> {
  /** The array of a region from the bottom row. @throws Failure `no-law`, `no-data`, `bad-parameter` for the region, or as `ImageLaws.of` */
  async array(image: ArchivedImage, request: ArrayRequest, call: RenderCall): Promise<ImageArray> {
    const { objects, laws, reader } = this.ports;
    const verdict = request.isRaw ? null : (await laws.of(image, call)).verdict;
    if (verdict && 'refusal' in verdict) throw noLaw(verdict.refusal);
    const header = await jp2Header({ objects, stopwatch: call.stopwatch }, image);
    const shape = request.region && shapeOf({ image, plane: planeOf(image, header) }, request.region);
    const blocks = blocksOf(image.geometry, request, shape);
    const confirmed = verdict?.confirmed ?? null;
    const { window, factor, rows } = blocks;
    const [width, height] = [window.x1 - window.x0, window.y1 - window.y0];
    const pixels = width * height * factor ** 2;
    const bytes = 2 * width * height * bytesOf(request) + countingBytes(pixels);
    const counter = new LevelCounter(image.geometry, confirmed?.disc ?? null, shape);
    await call.admission.admit('regions', pixels);
    const samples = await call.admission.hold(bytes, (pace) => blockValues(reader, image, { blocks, confirmed, counter }, pace));
    const { counts, outside } = counter.census;
    const countOf = (byte: number | null | undefined) => (typeof byte === 'number' ? counts[byte]! : 0);
    const { noDataByte, belowByte, aboveByte } = confirmed?.law ?? {};
    const [blank, below, above] = [countOf(noDataByte), countOf(belowByte), countOf(aboveByte)];
    const measured = counts.reduce((sum, count) => sum + count, 0) - blank - below - above;
    if (measured + below + above === 0) throw noData('in this region', regionParameter(request.region).name);
    const grid = { left: window.x0 * factor, below: (rows - window.y1) * factor, factor, width, height };
    const wcs = wcsOf(header.fits, image.sourceId);
    return {
      width,
      height,
      samples,
      header,
      grid,
      wcs: wcs && wcsOfBlocks(wcs, grid),
      confirmed,
      pixels: { measured, below, above, noData: outside + blank },
    };
  }
}

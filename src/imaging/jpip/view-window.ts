// What a JPIP view window asks of a codestream (ISO/IEC 15444-9, C.4): a resolution and a rectangle.
import type { JpipRequest } from '../../domain/jpip/request.ts';
import type { Jp2Index } from '../jp2/sidecar.ts';
import { ceilShift, intersect, type Rect } from '../jp2/structure.ts';

export type FrameSize = NonNullable<JpipRequest['frameSize']>;

export interface ViewWindow {
  readonly frameSize: FrameSize;
  readonly regionOffset: JpipRequest['regionOffset'];
  readonly regionSize: JpipRequest['regionSize'];
}

export interface ResolvedWindow {
  /** Resolution levels that are left away. */
  readonly reduce: number;
  /** On the reference grid at full resolution; empty where the region lies outside the image. */
  readonly window: Rect;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function sizeAt({ size }: Jp2Index, reduce: number): Size {
  return {
    width: ceilShift(size.x1, reduce) - ceilShift(size.x0, reduce),
    height: ceilShift(size.y1, reduce) - ceilShift(size.y0, reduce),
  };
}

const fitsIn = (inner: Size, outer: Size): boolean => inner.width <= outer.width && inner.height <= outer.height;

/** Levels to leave away so that the image is as near to `wanted` as its rounding says (C.4.2). */
export function chooseReduction(index: Jp2Index, wanted: FrameSize): number {
  const most = Math.max(...index.tiles.flatMap(({ components }) => components.map(({ coding }) => coding.levels)));
  const sizes = Array.from({ length: most + 1 }, (_, reduce) => sizeAt(index, reduce));
  if (wanted.rounding === 'round-down') {
    const fitting = sizes.findIndex((size) => fitsIn(size, wanted));
    return fitting < 0 ? most : fitting;
  }
  if (wanted.rounding === 'round-up')
    return Math.max(
      0,
      sizes.findLastIndex((size) => fitsIn(wanted, size)),
    );
  const distances = sizes.map(({ width, height }) => Math.abs(width * height - wanted.width * wanted.height));
  return distances.indexOf(Math.min(...distances));
}

/** [from, from + length) of a side of `asked` on the same side of `real` samples, grown to whole ones. */
function scaled(from: number, length: number, asked: number, real: number): [number, number] {
  return [Math.floor((from * real) / asked), Math.min(real, Math.ceil(((from + length) * real) / asked))];
}

/** The region that is asked for, on the size that is sent instead of the one asked for (C.4.3, C.4.4). */
export function resolveWindow(index: Jp2Index, { frameSize, regionOffset, regionSize }: ViewWindow): ResolvedWindow {
  const reduce = chooseReduction(index, frameSize);
  const { width, height } = sizeAt(index, reduce);
  const [x0, x1] = scaled(regionOffset.x, regionSize?.width ?? frameSize.width, frameSize.width, width);
  const [y0, y1] = scaled(regionOffset.y, regionSize?.height ?? frameSize.height, frameSize.height, height);
  const { size } = index;
  const [left, top] = [ceilShift(size.x0, reduce), ceilShift(size.y0, reduce)];
  const window = {
    x0: (left + x0) * 2 ** reduce,
    y0: (top + y0) * 2 ** reduce,
    x1: (left + x1) * 2 ** reduce,
    y1: (top + y1) * 2 ** reduce,
  };
  return { reduce, window: intersect(window, size) };
}

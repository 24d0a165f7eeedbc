// Resolves a JPIP view window (ISO/IEC 15444-9, C.4) to a resolution and a rectangle of a codestream.
import type { Size } from '../../sun/image.ts';
import type { Jp2Index } from '../sidecar.ts';
import { ceilShift, intersect, type Rect } from '../structure.ts';
import type { JpipRequest } from './request.ts';

type FrameSize = NonNullable<JpipRequest['frameSize']>;

interface ViewWindow {
  readonly frameSize: FrameSize;
  readonly regionOffset: JpipRequest['regionOffset'];
  readonly regionSize: JpipRequest['regionSize'];
}

export interface ResolvedWindow {
  readonly reduce: number;
  /** On the reference grid at full resolution; empty where the region lies outside the image. */
  readonly window: Rect;
}

const sizeAt = ({ size }: Jp2Index, reduce: number): Size => ({
  width: ceilShift(size.x1, reduce) - ceilShift(size.x0, reduce),
  height: ceilShift(size.y1, reduce) - ceilShift(size.y0, reduce),
});

const fitsIn = (inner: Size, outer: Size): boolean => inner.width <= outer.width && inner.height <= outer.height;

/** Levels to discard for the size nearest to `requested` in its rounding direction (C.4.2). */
export function chooseReduction(index: Jp2Index, requested: FrameSize): number {
  const most = Math.max(...index.tiles.flatMap(({ components }) => components.map(({ coding }) => coding.levels)));
  const sizes = Array.from({ length: most + 1 }, (_, reduce) => sizeAt(index, reduce));
  if (requested.rounding === 'round-down') {
    const fitting = sizes.findIndex((size) => fitsIn(size, requested));
    return fitting < 0 ? most : fitting;
  }
  if (requested.rounding === 'round-up')
    return Math.max(
      0,
      sizes.findLastIndex((size) => fitsIn(requested, size)),
    );
  const distances = sizes.map(({ width, height }) => Math.abs(width * height - requested.width * requested.height));
  return distances.indexOf(Math.min(...distances));
}

/** Scales [from, from + length) from a side of `requested` samples to one of `actual` samples, rounded outwards. */
const scaled = (from: number, length: number, requested: number, actual: number): [number, number] => [
  Math.floor((from * actual) / requested),
  Math.min(actual, Math.ceil(((from + length) * actual) / requested)),
];

/** Maps the requested region to the size that is sent, which may differ from the requested frame size (C.4.3, C.4.4). */
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

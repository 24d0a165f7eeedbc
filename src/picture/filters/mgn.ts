// MGN, multi-scale Gaussian normalisation (Morgan and Druckmüller 2014, Solar Physics 289, 2945) of the samples of a resolution level.
import { allocate, bytesAt, type CoreExports, copyIn, withCore } from '../../jp2/core/core.ts';
import type { Rect } from '../../jp2/structure.ts';
import type { Size } from '../../sun/image.ts';

/** Samples around a pixel on which its level depends. */
export const MGN_APRON = 240;

/** Samples along the sides of the cells, by which wide scales are sped up; those of the widest. */
const LARGEST_CELL = 16;
/** Standard deviation of each scale in samples, and the side of its cells. */
const SCALES = [
  { sigma: 1.25, side: 1 },
  { sigma: 2.5, side: 1 },
  { sigma: 5, side: 2 },
  { sigma: 10, side: 4 },
  { sigma: 20, side: 8 },
  { sigma: 40, side: 16 },
] as const;
/** Deviations at which Gaussians end; in the widest cells at six of them, within the apron. */
const TRUNCATION = 3;
const MOST_CELLS = { [LARGEST_CELL]: 6 } as Readonly<Record<number, number>>;
const GAMMA = 3.2;
/** Share of the brightness. */
const GLOBAL_SHARE = 0.7;

/** Side of the squares of samples that are filtered at once, which bounds the memory. */
const PIECE = 512;

/** Weights of a Gaussian of cells. Means of cells, and the lines between them, widen it too. */
function kernel(sigma: number, side: number): { readonly radius: number; readonly weights: Float32Array } {
  const own = side === 1 ? sigma : Math.sqrt(sigma * sigma - (side * side - 1) / 12 - (side * side - 1) / 6) / side;
  const radius = MOST_CELLS[side] ?? Math.floor(TRUNCATION * own + 0.5);
  const weights = Float64Array.from({ length: 2 * radius + 1 }, (_, i) => Math.exp(-((i - radius) ** 2) / (2 * own * own)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return { radius, weights: Float32Array.from(weights, (weight) => weight / sum) };
}

const KERNELS = SCALES.map(({ sigma, side }) => ({ side, ...kernel(sigma, side) }));
const LARGEST_RADIUS = Math.max(...KERNELS.map(({ radius }) => radius));
/** Brightness of the bytes. */
const BRIGHT = Float32Array.from({ length: 256 }, (_, byte) => GLOBAL_SHARE * (byte / 255) ** (1 / GAMMA));

interface LevelPart extends Rect {
  readonly samples: Uint8Array;
}

const down = (value: number, step: number) => Math.floor(value / step) * step;
const up = (value: number, step: number) => Math.ceil(value / step) * step;

/** Filters the samples of `inner`, of a part of a level of this size that has those around them. @throws Jp2Error (too-large) */
export function mgn(part: LevelPart, inner: Rect, level: Size): Uint8Array {
  const width = inner.x1 - inner.x0;
  const out = new Uint8Array(width * (inner.y1 - inner.y0));
  for (let y0 = inner.y0; y0 < inner.y1; y0 += PIECE)
    for (let x0 = inner.x0; x0 < inner.x1; x0 += PIECE) {
      const piece = { x0, y0, x1: Math.min(x0 + PIECE, inner.x1), y1: Math.min(y0 + PIECE, inner.y1) };
      const { bytes, stride, left } = withCore((core) => filteredPiece(core, part, piece, level));
      for (let y = y0; y < piece.y1; y++) {
        const from = (y - y0) * stride + x0 - left;
        out.set(bytes.subarray(from, from + piece.x1 - x0), (y - inner.y0) * width + x0 - inner.x0);
      }
    }
  return out;
}

/** A window of a part, whose edges repeat. */
function windowOf({ samples, ...part }: LevelPart, window: Rect): Uint8Array {
  const width = window.x1 - window.x0;
  const bytes = new Uint8Array(width * (window.y1 - window.y0));
  const [x0, x1] = [Math.max(part.x0, window.x0), Math.min(part.x1, window.x1)];
  for (let y = window.y0; y < window.y1; y++) {
    const from = (Math.min(Math.max(y, part.y0), part.y1 - 1) - part.y0) * (part.x1 - part.x0) - part.x0;
    const row = bytes.subarray((y - window.y0) * width, (y - window.y0 + 1) * width);
    row.fill(samples[from + x0]!, 0, x0 - window.x0);
    row.set(samples.subarray(from + x0, from + x1), x0 - window.x0);
    row.fill(samples[from + x1 - 1]!, x1 - window.x0);
  }
  return bytes;
}

function filteredPiece(core: CoreExports, part: LevelPart, piece: Rect, level: Size) {
  // Beyond a cell outside of the level all are the same.
  const before = (at: number) => Math.max(down(at - MGN_APRON, LARGEST_CELL), -LARGEST_CELL);
  const after = (at: number, size: number) => Math.min(up(at + MGN_APRON, LARGEST_CELL), up(size, LARGEST_CELL) + LARGEST_CELL);
  const window = {
    x0: before(piece.x0),
    y0: before(piece.y0),
    x1: after(piece.x1, level.width),
    y1: after(piece.y1, level.height),
  };
  const stride = window.x1 - window.x0;
  const bytes = copyIn(core, windowOf(part, window));
  // Pixels that are filtered: whole vectors of four.
  const [left, right] = [down(piece.x0, 4), up(piece.x1, 4)];
  const [columns, rows] = [right - left, piece.y1 - piece.y0];
  // Narrow scales need a narrow margin.
  const margin = up(2 * (LARGEST_RADIUS + 2), 4);
  const near = {
    x0: Math.max(left - margin, window.x0),
    y0: Math.max(piece.y0 - margin, window.y0),
    x1: Math.min(right + margin, window.x1),
    y1: Math.min(piece.y1 + margin, window.y1),
  };
  const cellsOf = ({ x0, y0, x1, y1 }: Rect, side: number) => ((x1 - x0) / side) * ((y1 - y0) / side);
  const most = Math.max(cellsOf(near, 1), cellsOf(window, 2));
  const [smooth, squares] = [allocate(core, 4 * most + 64), allocate(core, 4 * most + 64)];
  const scratch = allocate(core, 4 * (most + (2 * LARGEST_RADIUS + 3) * stride) + 1024);
  const sums = allocate(core, 4 * columns * rows);
  bytesAt(core, sums, 4 * columns * rows).fill(0);
  let [cells, cellSide] = [0, 0];
  for (const { side, radius, weights } of KERNELS) {
    const { x0, y0, x1, y1 } = side === 1 ? near : window;
    const [width, height] = [(x1 - x0) / side, (y1 - y0) / side];
    const at = bytes + (y0 - window.y0) * stride + x0 - window.x0;
    if (side !== cellSide) {
      const finer = cells;
      cells = allocate(core, 4 * width * height + 64);
      if (side > 2) core.halvePlane(finer, 2 * width, 2 * height, cells);
      else if (side === 1) core.widenPlane(at, stride, width, height, cells);
      else core.halveBytes(at, stride, 2 * width, 2 * height, cells);
      cellSide = side;
    }
    const image = [-x0, -y0, level.width - x0, level.height - y0] as const;
    const own = [left - x0, piece.y0 - y0, right - x0, piece.y1 - y0] as const;
    const from = [cells, width, height, side, copyIn(core, weights), radius] as const;
    core.addScale(at, stride, ...image, ...own, ...from, smooth, squares, scratch, sums);
  }
  const [levels, own] = [allocate(core, columns * rows), bytes + (piece.y0 - window.y0) * stride + left - window.x0];
  const bright = copyIn(core, BRIGHT);
  const share = (1 - GLOBAL_SHARE) / SCALES.length;
  for (let y = 0; y < rows; y++)
    core.mgnLevels(own + y * stride, sums + 4 * y * columns, bright, share, columns, levels + y * columns);
  return { bytes: bytesAt(core, levels, columns * rows).slice(), stride: columns, left };
}

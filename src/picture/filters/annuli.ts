// Annuli about the Sun's centre, radii in pixels of the full resolution: counts of the bytes in each give the tables of its filters.
import { deflateSync, inflateSync } from 'node:zlib';
import { bytesAt, copyIn, withCore } from '../../jp2/core/core.ts';
import { concatenated } from '../../platform/util/bytes.ts';
import type { Mask } from '../../sun/catalogue/datasource.ts';
import { eachBy, NodeTable, noPlaces } from '../../sun/coordinates/nodes.ts';
import type { ImageGeometry, Size } from '../../sun/image.ts';
import type { ByteWindow } from '../../sun/laws/gate.ts';
import type { ByteLaw } from '../../sun/laws/law.ts';
import { levelGrid, type PixelGrid, rowStepOf, sunCentre } from '../grids/pixel-grid.ts';
import { asFiled, edgeOf, type Turned } from '../grids/upright.ts';
import { ringAlpha, ringOf } from '../raster/mask.ts';

export const BYTES = 256;

/** Annuli of an image; one of at most `NARROW` pixels has annuli of a pixel. */
const ANNULI = 512;
const NARROW = 1024;
/** Pixels below which an annulus takes those of its neighbours: at least so many, and in squares of its width, 1000 for 4096 x 4096. */
const LEAST_PIXELS = { any: 200, ofWidth: 32 };
/** Ranks are stored by their arcsines of the root, in which the chance of an annulus spreads all of them alike. */
const RANK_STEPS = 255;
/** Means and deviations are stored in these steps of a level. */
const LEVEL_STEP = 1 / 256;

/** Annuli of one width. */
export interface Annuli {
  readonly rows: number;
  /** Inner radius of the first. */
  readonly from: number;
  readonly width: number;
}

export interface AnnulusStatistics extends Annuli {
  /** Mid-ranks of the 256 bytes of each annulus, as `rankAt` reads them. */
  readonly ranks: Uint8Array;
  readonly means: Float32Array;
  readonly deviations: Float32Array;
  /** Place of the median of the disc among the bytes: byte b reaches from b to b + 1. Of all unmasked pixels where none is on the disc. */
  readonly median: number;
  readonly law: ByteLaw | null;
}

/** Mid-rank of a byte of which an annulus has `count` pixels and `below` darker ones, from 0 to 1. */
export const midRank = (below: number, count: number, pixels: number): number => (below + count / 2) / pixels;

const RANKS = Float64Array.from({ length: RANK_STEPS + 1 }, (_, stored) => Math.sin((stored * Math.PI) / (2 * RANK_STEPS)) ** 2);
/** The rank that is stored as a number from 0 to 255. */
export const rankAt = (stored: number): number => RANKS[stored]!;
/** The first stored number whose rank passes. */
export const storedFrom = (passes: (rank: number) => boolean): number => RANKS.findIndex(passes);
const storedRank = (rank: number): number => Math.round((RANK_STEPS * 2 * Math.asin(Math.sqrt(rank))) / Math.PI);

/** Distances of the nearest and the farthest pixel of an image from the Sun's centre. */
function distancesOf(geometry: Placed, turned: Turned | null): readonly [nearest: number, farthest: number] {
  const { width, height } = geometry;
  const { x, y } = sunCentre(geometry);
  if (!turned)
    return [
      Math.hypot(Math.max(-x, 0, x - width), Math.max(-y, 0, y - height)),
      Math.hypot(Math.max(x, width - x), Math.max(y, height - y)),
    ];
  const edge = edgeOf(turned).map((place) => Math.hypot(place.x, place.y));
  const sun = turned.placing({ x: 0, y: 0 });
  const isInside = sun && Math.min(sun.x, turned.size.width - 1 - sun.x, sun.y, turned.size.height - 1 - sun.y) > -0.5;
  return [isInside ? 0 : Math.min(...edge), Math.max(...edge)];
}

type Placed = Pick<ImageGeometry, 'width' | 'height' | 'refPixelX' | 'refPixelY'>;

/** The annuli of an image, from the Sun's centre, or its nearest corner or side, to the farthest corner. */
export function annuliOf(geometry: Placed, turned: Turned | null = null): Annuli {
  const [from, farthest] = distancesOf(geometry, turned);
  const reach = farthest - from;
  const width = Math.max(geometry.width, geometry.height) <= NARROW ? 1 : reach / ANNULI;
  return { rows: Math.ceil(reach / width - 1e-6), from, width };
}

/** Squares of the distances of the pixels of a grid over a turned image from the Sun's centre, row by row in one array; of one that is not seen a large number. */
export function turnedSquares(grid: PixelGrid, geometry: Size, { seen, size }: Turned): (row: number) => Float64Array {
  const [across, down] = [size.width / geometry.width, size.height / geometry.height];
  const placing = (x: number, y: number) =>
    seen({ x: (grid.left + x * grid.step) * across - 0.5, y: (grid.top + y * rowStepOf(grid)) * down - 0.5 });
  const [nodes, places] = [new NodeTable(grid, eachBy(placing), { each: 1, pixels: 1 }), noPlaces(grid.width)];
  const squares = new Float64Array(grid.width);
  return (row) => {
    nodes.row(row + 0.5, places);
    for (let i = 0; i < squares.length; i++) {
      const square = places.x[i]! ** 2 + places.y[i]! ** 2;
      squares[i] = Number.isNaN(square) ? Number.MAX_VALUE : square;
    }
    return squares;
  };
}

interface CountedImage {
  readonly geometry: ImageGeometry;
  /** The file's, which differ from those of the geometry where its pixels are not square. */
  readonly size: Size;
  readonly turned: Turned | null;
  readonly mask: Mask | null;
  /** Whether exactly black pixels have no data. */
  readonly isBlackMasked: boolean;
  /** That the header names; null without one. */
  readonly law: ByteLaw | null;
}

/** Relative error of a distance in f32, at most, four times over. */
const F32_ERROR = 2 ** -20;

/** Runs of columns of a row that are fully visible. */
function* runsOf(visible: Uint8Array): Generator<readonly [from: number, to: number]> {
  for (let from = visible.indexOf(255); from >= 0; ) {
    let to = from;
    while (visible[to] === 255) to++;
    yield [from, to];
    from = visible.indexOf(255, to);
  }
}

export type AnnulusCounter = ReturnType<typeof annulusCounter>;

export function annulusCounter({ geometry, size, turned, mask, isBlackMasked, law }: CountedImage) {
  const annuli = annuliOf(geometry, turned);
  const { rows, from, width: annulus } = annuli;
  /** 256 counts of each annulus. */
  const counts = new Uint32Array(rows * BYTES);
  /** Squares of the outer radii. */
  const ends = Float64Array.from({ length: rows }, (_, i) => (i === rows - 1 ? Infinity : (from + (i + 1) * annulus) ** 2));
  const [centre, unit, first] = [sunCentre(geometry), annulus ** -2, from / annulus];
  const shape = [rows, first, (first + rows) * F32_ERROR] as const;
  return {
    counts,

    /** @param reduce Discarded resolution levels */
    add(strip: ByteWindow, reduce = 0): void {
      const { width, height, samples } = strip;
      const grid = levelGrid(geometry, size, reduce, strip);
      const [left, top] = [grid.left + grid.step / 2, grid.top + rowStepOf(grid) / 2];
      const ring = mask && ringOf(mask, turned ? asFiled(turned, geometry) : geometry);
      const alpha = ring && ringAlpha(ring, grid, { x0: 0, y0: 0, x1: width, y1: height });
      const rowOf = turned && turnedSquares(grid, geometry, turned);
      withCore((core) => {
        const [at, tables, outer] = [copyIn(core, samples), copyIn(core, counts), copyIn(core, ends)];
        const copied = (squares: Float64Array) => {
          const near = new Float32Array(Math.ceil(squares.length / 4) * 4);
          for (let i = 0; i < squares.length; i++) near[i] = squares[i]! * unit;
          return [copyIn(core, squares), copyIn(core, near)] as const;
        };
        const countRow = (row: number, [across, near]: readonly [number, number], down: number) => {
          const visible = alpha?.subarray(row * width, (row + 1) * width);
          const table = [down, down * unit, outer, ...shape, tables] as const;
          for (const [from, to] of visible ? runsOf(visible) : [[0, width] as const])
            core.countAnnuli(at + row * width + from, to - from, across + 8 * from, near + 4 * from, ...table);
        };
        const even = rowOf
          ? null
          : copied(Float64Array.from({ length: width }, (_, i) => (left + i * grid.step - centre.x) ** 2));
        for (let row = 0; row < height; row++) {
          const mark = core.mark();
          if (rowOf) countRow(row, copied(rowOf(row)), 0);
          else countRow(row, even!, (top + row * rowStepOf(grid) - centre.y) ** 2);
          core.release(mark);
        }
        counts.set(new Uint32Array(core.memory.buffer, tables, counts.length));
      });
      if (isBlackMasked) for (let row = 0; row < counts.length; row += BYTES) counts[row] = 0;
    },

    get statistics(): AnnulusStatistics {
      const within = Math.min(rows, Math.max(0, Math.floor((geometry.rsunPixels - from) / annulus)));
      const median = medianOf(bytesIn(counts, 0, within)) ?? medianOf(bytesIn(counts, 0, rows)) ?? 0;
      return { ...annuli, ...statisticsOf(counts, annuli), median, law };
    },
  };
}

function bytesIn(counts: Uint32Array, first: number, end: number): Float64Array {
  const bytes = new Float64Array(BYTES);
  for (let row = first, at = first * BYTES; row < end; row++)
    for (let byte = 0; byte < BYTES; byte++, at++) bytes[byte]! += counts[at]!;
  return bytes;
}

const sumOf = (bytes: ArrayLike<number>): number => {
  let sum = 0;
  for (let byte = 0; byte < BYTES; byte++) sum += bytes[byte]!;
  return sum;
};

function medianOf(bytes: Float64Array): number | null {
  const half = sumOf(bytes) / 2;
  let below = 0;
  for (let byte = 0; byte < BYTES; below += bytes[byte]!, byte++)
    if (half > 0 && below + bytes[byte]! >= half) return byte + (half - below) / bytes[byte]!;
  return null;
}

/** Ranks, means and deviations of annuli, each with as many of its neighbours as it needs. */
export function statisticsOf(counts: Uint32Array, { rows, width }: Pick<Annuli, 'rows' | 'width'>) {
  const [means, deviations, ranks] = [new Float32Array(rows), new Float32Array(rows), new Uint8Array(rows * BYTES)];
  const totals = Float64Array.from({ length: rows }, (_, row) => sumOf(counts.subarray(row * BYTES)));
  const least = Math.max(LEAST_PIXELS.any, Math.round(LEAST_PIXELS.ofWidth * width * width));
  for (let row = 0; row < rows; row++) {
    let [first, end, pixels] = [row, row + 1, totals[row]!];
    for (; pixels < least && (first > 0 || end < rows); first = Math.max(0, first - 1), end = Math.min(rows, end + 1))
      pixels += (first > 0 ? totals[first - 1]! : 0) + (end < rows ? totals[end]! : 0);
    if (pixels === 0) continue;
    const bytes = bytesIn(counts, first, end);
    let [below, sum, squares, rank] = [0, 0, 0, 0];
    for (let byte = 0; byte < BYTES; byte++) {
      const count = bytes[byte]!;
      // Bytes between others have one rank.
      if (count > 0 || byte === 0 || bytes[byte - 1]! > 0) rank = storedRank(midRank(below, count, pixels));
      ranks[row * BYTES + byte] = rank;
      below += count;
      sum += count * byte;
      squares += count * byte * byte;
    }
    const mean = sum / pixels;
    means[row] = quantised(mean);
    deviations[row] = quantised(Math.sqrt(Math.max(0, squares / pixels - mean * mean)));
  }
  return { means, deviations, ranks };
}

const quantised = (levels: number): number => Math.round(levels / LEVEL_STEP) * LEVEL_STEP;

const HEAD_BYTES = 4;
/** Bytes of an annulus in a file: the upper and the lower half of its mean and its deviation, and the changes of its ranks. */
const ROW_BYTES = 4 + BYTES;
const MOST_BYTES = 1 << 20;

/** The file of statistics: a head in JSON with its length before it, then planes of bytes, all compressed with a checksum. */
export function encodeStatistics({ rows, from, width, median, law, ...planes }: AnnulusStatistics): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify({ rows, from, width, median, law }));
  const length = new Uint8Array(HEAD_BYTES);
  new DataView(length.buffer).setUint32(0, head.length, true);
  const halves = [planes.means, planes.deviations].flatMap((levels) => {
    const steps = Array.from(levels, (level) => Math.min(level / LEVEL_STEP, 0xffff));
    return [Uint8Array.from(steps, (step) => step >> 8), Uint8Array.from(steps)];
  });
  const changes = planes.ranks.slice();
  for (let i = changes.length - 1; i > 0; i--) if (i % BYTES > 0) changes[i]! -= changes[i - 1]!;
  // A third of the time of the usual level, for 3 to 7 % more bytes.
  return deflateSync(concatenated([length, head, ...halves, changes]), { level: 4 });
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

export function decodeStatistics(file: Uint8Array): AnnulusStatistics | null {
  try {
    const bytes = inflateSync(file, { maxOutputLength: MOST_BYTES });
    const start = HEAD_BYTES + new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(HEAD_BYTES, start))) as Partial<AnnulusStatistics> | null;
    const { rows, from, width, median, law = null } = head ?? {};
    if (!isCount(rows) || !isCount(from) || !isCount(width) || width === 0 || !isCount(median)) return null;
    if (rows < 1 || bytes.length !== start + rows * ROW_BYTES) return null;
    const levels = (plane: number) =>
      Float32Array.from({ length: rows }, (_, i) => {
        const at = start + plane * rows + i;
        return (bytes[at]! * 256 + bytes[at + rows]!) * LEVEL_STEP;
      });
    const ranks = withCore((core) => {
      const at = copyIn(core, bytes.subarray(start + 4 * rows));
      core.addChanges(at, rows);
      return bytesAt(core, at, rows * BYTES).slice();
    });
    return { rows, from, width, median, law, means: levels(0), deviations: levels(2), ranks };
  } catch {
    return null;
  }
}

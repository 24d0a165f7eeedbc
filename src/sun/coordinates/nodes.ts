// The table of nodes of a map from a grid to an image: places are computed at every eighth cell, and interpolated between them where the map
// is nearly linear. Cut-outs and pictures read places from it.
import type { Size } from '../image.ts';

/** Where a point of a grid is in an image; null where it is not seen. Cell i of the grid covers [i, i + 1). */
export type Placing = (x: number, y: number) => { readonly x: number; readonly y: number } | null;

/** Replaces points, x and y of each in turn, by their places; not numbers where they are not seen. */
export type PlacingAll = (points: Float64Array) => void;

export const eachBy =
  (placing: Placing): PlacingAll =>
  (points) => {
    for (let i = 0; i < points.length; i += 2) {
      const place = placing(points[i]!, points[i + 1]!);
      points[i] = place?.x ?? Number.NaN;
      points[i + 1] = place?.y ?? Number.NaN;
    }
  };

/** Places in an image, not numbers for what it does not show. */
export type Places = { readonly x: Float64Array; readonly y: Float64Array };

export const noPlaces = (count: number): Places => ({
  x: new Float64Array(count).fill(Number.NaN),
  y: new Float64Array(count).fill(Number.NaN),
});

/** Places of a grid along the side of each cell, and the distance between them in pixels of the image. */
export type Sampling = { readonly each: number; readonly pixels: number };

/** Numbers that are kept for the next table: 1 MiB. */
const WORKING = 131_072;
let working = new Float64Array(0);

/** Room for numbers that are read before anything else takes them: kept from table to table, because movies make several for each frame. */
export function workingNumbers(count: number): Float64Array<ArrayBuffer> {
  if (count > WORKING) return new Float64Array(count);
  if (working.length < count) working = new Float64Array(count);
  return working.subarray(0, count);
}

/** Buffers that tables have given back, the last one first, for the next tables: movies make two of them for each frame. */
const returned: ArrayBuffer[] = [];
const MOST_RETURNED = 4;

/** A buffer of at least so many bytes, with any content. */
function takenBuffer(bytes: number): ArrayBuffer {
  const i = returned.findIndex(({ byteLength }) => byteLength >= bytes);
  // A power of two, so that the next table, which may have some cells more, fits as well.
  return i < 0 ? new ArrayBuffer(2 ** Math.ceil(Math.log2(bytes + 1))) : returned.splice(i, 1)[0]!;
}

function giveBack({ buffer }: Float64Array<ArrayBuffer> | Float32Array<ArrayBuffer>): void {
  if (buffer.byteLength > 8 * WORKING) return;
  returned.unshift(buffer);
  returned.length = Math.min(returned.length, MOST_RETURNED);
}

/** Places between nodes. */
const NODE = 8;
/** Error of a place that is interpolated between nodes, as a share of the distance between places, and at least of a pixel. */
const INTERPOLATED = 0.05;
/** Interpolation by the mean bend of a cell is off by at most an eighth of what the bends at its corners differ from it. */
const BEND_OF_ERROR = 8;
/** Nodes around the visible ones, from which the edge of the visible part is found. */
const MARGIN = 4;

/** Half the second differences of x and y in cells: from column to column, and from row to row. */
type Bends = { readonly [K in 'across' | 'down']: Places };

/** Places of an exact cell: ten to a row, of which the ninth is that of the far side, in nine rows of x and nine of y. */
const BLOCK = { columns: NODE + 2, axis: (NODE + 1) * (NODE + 2), size: 2 * (NODE + 1) * (NODE + 2) } as const;

/** What a table with a node each eighth cell is made of, as the core reads it. */
interface TableNumbers {
  readonly columns: number;
  readonly rows: number;
  /** Places of nodes, and bends across and down of the cells from them on: all of x, then all of y. */
  readonly numbers: Float64Array;
  /** Numbers of the blocks of exact cells, from 1; 0 for other cells. */
  readonly blocks: Int32Array;
  readonly places: Float32Array<ArrayBuffer>;
  readonly exactCells: number;
}

// Loops are functions outside of classes and closures, which V8 would compile again for each table.

/** Writes the points of rows from `left` to `right`, as many as there is room for. */
function writePoints(points: Float64Array, left: number, top: number, right: number): void {
  for (let y = top, k = 0; k < points.length; y++)
    for (let x = left; x < right; x++) {
      points[k++] = x;
      points[k++] = y;
    }
}

/** Writes the places of a cell to its block, `columns` to a row. */
function writePlaces(points: Float64Array, columns: number, places: Float32Array, block: number): void {
  for (let k = 0, from = block; k < points.length; from += BLOCK.columns)
    for (let at = from; at < from + columns; at++) {
      places[at] = points[k++]!;
      places[at + BLOCK.axis] = points[k++]!;
    }
}

function move(points: Float64Array, left: number, top: number): void {
  for (let i = 0; i < points.length; i += 2) {
    points[i]! += left;
    points[i + 1]! += top;
  }
}

/** Replaces points of nodes by the places that a table has of them, those of others by `place`. */
function lookUp(points: Float64Array, { x, y }: Places, cells: number, columns: number, place: PlacingAll): void {
  for (let i = 0; i < points.length; i += 2) {
    const column = points[i]! / cells;
    const node = (points[i + 1]! / cells) * columns + column;
    if (column >= columns || node >= x.length) {
      place(points.subarray(i, i + 2));
      continue;
    }
    points[i] = x[node]!;
    points[i + 1] = y[node]!;
  }
}

/** Second differences of values in the columns of nodes; of the first and last column, those beside it. */
function bendsAcross(values: Float64Array, columns: number, bends: Float64Array): void {
  for (let start = 0; start < values.length; start += columns) {
    const end = start + columns - 1;
    for (let i = start + 1; i < end; i++) bends[i] = values[i - 1]! - 2 * values[i]! + values[i + 1]!;
    bends[start] = bends[start + 1]!;
    bends[end] = bends[end - 1]!;
  }
}

/** As `bendsAcross`, in rows. */
function bendsDown(values: Float64Array, columns: number, bends: Float64Array): void {
  const last = values.length - columns;
  for (let i = columns; i < last; i++) bends[i] = values[i - columns]! - 2 * values[i]! + values[i + columns]!;
  bends.copyWithin(0, columns, 2 * columns);
  bends.copyWithin(last, last - columns, last);
}

/** Writes half the means of the bends at the corners of cells, and adds the greatest difference of a corner from its mean to `off`. */
function meanBends(bends: Float64Array, columns: number, means: Float64Array, off: Float64Array): void {
  for (let i = 0; i < bends.length - columns - 1; i++) {
    const a = bends[i]!;
    const b = bends[i + 1]!;
    const c = bends[i + columns]!;
    const d = bends[i + columns + 1]!;
    const mean = (a + b + c + d) / 4;
    means[i] = mean / 2;
    off[i]! += Math.max(Math.abs(a - mean), Math.abs(b - mean), Math.abs(c - mean), Math.abs(d - mean));
  }
}

/** Marks cells that are not off by at most `most`, those off by no number among them, if one of their nodes or of those beside them is seen. */
function findBent(off: Float64Array, most: number, x: Float64Array, columns: number, isBent: Uint8Array): void {
  const isSeen = new Uint8Array(x.length);
  for (let i = 0; i < x.length; i++) isSeen[i] = Number(x[i]! <= Infinity);
  for (let row = 0; row < off.length - columns; row += columns)
    for (let i = row; i < row + columns - 1; i++) {
      if (off[i]! <= most) continue;
      // What is seen may reach between nodes that are not, but not from as far as the nodes beside them.
      for (let up = -1; up < 3; up++)
        for (let at = i + up * columns - 1; at < i + up * columns + 3; at++) isBent[i]! |= isSeen[at]!;
    }
}

export class NodeTable {
  /** Replaces points of the grid by their places in the image. */
  readonly place: PlacingAll;
  readonly #sampling: Sampling;
  readonly #cells: number;
  readonly #columns: number;
  readonly #rows: number;
  #nodes: Places;
  #numbers = new Float64Array(0);
  #bends: Bends | null = null;
  /** 1 for a node from which places up to the next column and row are computed. */
  #isExact = new Uint8Array(0);
  #exact: Pick<TableNumbers, 'blocks' | 'places' | 'exactCells'> | null = null;

  /** @param extent Cells of the grid @param placeNodes As `place`, for nodes */
  constructor(extent: Size, place: PlacingAll, sampling: Sampling, placeNodes = place) {
    this.place = place;
    this.#sampling = sampling;
    this.#cells = Math.max(1, Math.floor(NODE / sampling.each));
    const nodesOf = (side: number) => Math.max(3, Math.ceil(side / this.#cells) + 1);
    this.#columns = nodesOf(extent.width);
    this.#rows = nodesOf(extent.height);
    const count = this.#columns * this.#rows;
    this.#nodes = { x: new Float64Array(count), y: new Float64Array(count) };
    const points = workingNumbers(2 * count);
    for (let row = 0, k = 0; row < this.#rows; row++)
      for (let column = 0; column < this.#columns; column++) {
        points[k++] = column * this.#cells;
        points[k++] = row * this.#cells;
      }
    placeNodes(points);
    for (let i = 0; i < count; i++) {
      this.#nodes.x[i] = points[2 * i]!;
      this.#nodes.y[i] = points[2 * i + 1]!;
    }
  }

  /** The table of a part of the grid that begins at a node. */
  from(left: number, top: number, extent: Size): NodeTable {
    const [cells, columns, whole] = [this.#cells, this.#columns, this.place];
    const place: PlacingAll = (points) => {
      move(points, left, top);
      whole(points);
    };
    const placeNodes: PlacingAll = (points) => {
      move(points, left, top);
      lookUp(points, this.#nodes, cells, columns, whole);
    };
    return new NodeTable(extent, place, this.#sampling, placeNodes);
  }

  get nodes(): Places {
    return this.#nodes;
  }

  /** The part of the grid in which something may be seen, from node to node: the nodes that are, with four around them, so that a table of it alone has the same places. */
  get seen(): { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number } {
    let [left, top, right, bottom] = [this.#columns, this.#rows, 0, 0];
    for (let row = 0, i = 0; row < this.#rows; row++)
      for (let column = 0; column < this.#columns; column++, i++) {
        if (Number.isNaN(this.#nodes.x[i]!)) continue;
        if (column < left) left = column;
        if (column > right) right = column;
        if (row < top) top = row;
        if (row > bottom) bottom = row;
      }
    const [from, to] = [
      (node: number) => Math.max(0, node - MARGIN) * this.#cells,
      (node: number) => (node + MARGIN) * this.#cells,
    ];
    return { x0: from(left), y0: from(top), x1: to(right), y1: to(bottom) };
  }

  /** The box of all places, edge cells included, and the largest distance between every second place. */
  get reach() {
    const { blocks, places } = this.table;
    const { x, y } = this.#nodes;
    let [left, top, right, bottom, apart] = [Infinity, Infinity, -Infinity, -Infinity, 0];
    const add = (x: number, y: number) => {
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    };
    for (let i = 0; i < x.length; i++) {
      add(x[i]!, y[i]!);
      const block = blocks[i]!;
      if (!block || !Number.isNaN(x[i]! + x[i + 1]! + x[i + this.#columns]! + x[i + this.#columns + 1]!)) continue;
      for (let down = 1; down < NODE; down += 2) {
        const from = (block - 1) * BLOCK.size + down * BLOCK.columns;
        for (let at = from + 1, before = 0; at < from + NODE; before = at, at += 2) {
          add(places[at]!, places[at + BLOCK.axis]!);
          if (!before) continue;
          const x = Math.abs(places[at]! - places[before]!);
          const y = Math.abs(places[at + BLOCK.axis]! - places[before + BLOCK.axis]!);
          if (x > apart) apart = x;
          if (y > apart) apart = y;
        }
      }
    }
    return { left, top, right, bottom, apart };
  }

  /** For a table with a node each eighth cell. */
  get table(): TableNumbers {
    this.#findBends();
    this.#exact ??= this.#findExact();
    return { columns: this.#columns, rows: this.#rows, numbers: this.#numbers, ...this.#exact };
  }

  /** Gives the memory back, for the next tables. Nothing may read this one afterwards. */
  release(): void {
    giveBack(this.#numbers);
    if (this.#exact) giveBack(this.#exact.places);
  }

  #findExact() {
    const [columns, rows, isExact] = [this.#columns, this.#rows, this.#isExact];
    const buffer = new Float64Array(2 * (NODE + 1) ** 2);
    const inner = buffer.subarray(0, 2 * NODE ** 2);
    const blocks = new Int32Array(isExact.length);
    let exactCells = 0;
    for (let i = 0; i < blocks.length; i++) if (isExact[i]) blocks[i] = ++exactCells;
    const places = new Float32Array(takenBuffer(4 * exactCells * BLOCK.size), 0, exactCells * BLOCK.size).fill(Number.NaN);
    for (let row = 0, i = 0, block = 0; row < rows; row++)
      for (let column = 0; column < columns; column++, i++) {
        if (!isExact[i]) continue;
        // The far side of a cell is the near one of the next, of the last alone its own.
        const [left, top] = [column * NODE, row * NODE];
        const [right, bottom] = [left + NODE + Number(column === columns - 2), top + NODE + Number(row === rows - 2)];
        const count = 2 * (right - left) * (bottom - top);
        const points = count === inner.length ? inner : buffer.subarray(0, count);
        writePoints(points, left, top, right);
        this.place(points);
        writePlaces(points, right - left, places, block);
        block += BLOCK.size;
      }
    return { blocks, places, exactCells };
  }

  /** Finds the bends of cells, once, and the cells whose bends differ too much, or are beside what is not seen. */
  #findBends(): Bends {
    if (this.#bends) return this.#bends;
    const columns = this.#columns;
    const { x, y } = this.#nodes;
    const count = x.length;
    const numbers = new Float64Array(takenBuffer(48 * count), 0, 6 * count).fill(Number.NaN);
    numbers.set(x);
    numbers.set(y, 3 * count);
    const part = (k: number, from: Float64Array<ArrayBuffer> = numbers) => from.subarray(k * count, (k + 1) * count);
    const found: Bends = { across: { x: part(1), y: part(4) }, down: { x: part(2), y: part(5) } };
    const isExact = new Uint8Array(count);
    const most = BEND_OF_ERROR * INTERPOLATED * Math.max(1, this.#sampling.pixels);
    const room = workingNumbers(2 * count);
    const [off, bends] = [part(0, room).fill(0), part(1, room)];
    for (const [direction, write] of [['across', bendsAcross] as const, ['down', bendsDown] as const])
      for (const axis of ['x', 'y'] as const) {
        write(this.#nodes[axis], columns, bends);
        meanBends(bends, columns, found[direction][axis], off);
      }
    findBent(off, most, x, columns, isExact);
    this.#numbers = numbers;
    this.#nodes = { x: part(0), y: part(3) };
    this.#bends = found;
    this.#isExact = isExact;
    return found;
  }

  /** Writes the places of all cells at `y` cells from the edge where rows begin, up to its end, those of each cell from the middle of the first sample on. */
  row(y: number, { x: xs, y: ys }: Places): void {
    const { x: nodesX, y: nodesY } = this.#nodes;
    const bends = this.#findBends();
    const [columns, cells, isExact, each] = [this.#columns, this.#cells, this.#isExact, this.#sampling.each];
    const row = Math.min(Math.floor(y / cells), this.#rows - 2);
    const v = y / cells - row;
    const start = 0.5 / each;
    const inCell = cells * each;
    const part = 1 / inCell;
    for (let from = 0, column = 0; from < xs.length; from += inCell, column++) {
      // Places at the far side are in the cell before it.
      const beyond = Math.max(0, column - (columns - 2));
      const low = row * columns + column - beyond;
      const end = Math.min(xs.length, from + inCell);
      if (isExact[low]) {
        const points = Float64Array.from({ length: 2 * (end - from) }, (_, k) =>
          k % 2 === 0 ? (from + k / 2) / each + start : y,
        );
        this.place(points);
        for (let i = from; i < end; i++) {
          xs[i] = points[2 * (i - from)]!;
          ys[i] = points[2 * (i - from) + 1]!;
        }
        continue;
      }
      // The place at the left side, and what the part of the width and its square add to it.
      const up = low + columns;
      const bendX = bends.across.x[low]!;
      const bendY = bends.across.y[low]!;
      const left = (1 - v) * nodesX[low]! + v * nodesX[up]!;
      const top = (1 - v) * nodesY[low]! + v * nodesY[up]!;
      const across = (1 - v) * nodesX[low + 1]! + v * nodesX[up + 1]! - left - bendX;
      const down = (1 - v) * nodesY[low + 1]! + v * nodesY[up + 1]! - top - bendY;
      const firstX = left - v * (1 - v) * bends.down.x[low]!;
      const firstY = top - v * (1 - v) * bends.down.y[low]!;
      for (let i = from, u = start / cells + beyond; i < end; i++, u += part) {
        xs[i] = firstX + u * (across + u * bendX);
        ys[i] = firstY + u * (down + u * bendY);
      }
    }
  }
}

// The table of nodes of a map from a grid to an image: places are computed at every eighth cell, and interpolated between them where the map
// is nearly linear. Cut-outs and pictures read places from it.

/** Where a point of a grid is in an image; null where it is not seen. Cell i of the grid covers [i, i + 1). */
export type Placing = (x: number, y: number) => { readonly x: number; readonly y: number } | null;

/** Places in an image, not numbers for what it does not show. */
export type Places<A extends Float32Array | Float64Array = Float64Array> = { readonly x: A; readonly y: A };

export const noPlaces = (count: number): Places => ({
  x: new Float64Array(count).fill(Number.NaN),
  y: new Float64Array(count).fill(Number.NaN),
});

/** Places of a grid along the side of each cell, and the distance between them in pixels of the image. */
export type Sampling = { readonly each: number; readonly pixels: number };

/** Places between nodes. */
const NODE = 8;
/** Error of a place that is interpolated between nodes, as a share of the distance between places, and at least of a pixel. */
const INTERPOLATED = 0.05;
/** Interpolation by the mean bend of a cell is off by at most an eighth of what the bends at its corners differ from it. */
const BEND_OF_ERROR = 8;
/** Nodes around those that are seen, which decide where what is seen ends. */
const MARGIN = 4;

/** Half the second differences of x and y in cells: from column to column, and from row to row. */
type Bends = { readonly [K in 'across' | 'down']: Places };

export class NodeTable {
  readonly #placing: Placing;
  readonly #sampling: Sampling;
  readonly #cells: number;
  readonly #columns: number;
  readonly #rows: number;
  readonly #nodes: Places;
  #bends: Bends | null = null;
  /** 1 for a node from which places up to the next column and row are computed. */
  #isExact = new Uint8Array(0);

  constructor({ width, height }: { readonly width: number; readonly height: number }, placing: Placing, sampling: Sampling) {
    this.#placing = placing;
    this.#sampling = sampling;
    this.#cells = Math.max(1, Math.floor(NODE / sampling.each));
    const nodesOf = (side: number) => Math.max(3, Math.ceil(side / this.#cells) + 1);
    this.#columns = nodesOf(width);
    this.#rows = nodesOf(height);
    const count = this.#columns * this.#rows;
    this.#nodes = noPlaces(count);
    for (let row = 0, i = 0; row < this.#rows; row++)
      for (let column = 0; column < this.#columns; column++, i++) {
        const place = placing(column * this.#cells, row * this.#cells);
        if (!place) continue;
        this.#nodes.x[i] = place.x;
        this.#nodes.y[i] = place.y;
      }
  }

  /** The place of a point of the grid, null where it is not seen. */
  at(x: number, y: number): ReturnType<Placing> {
    return this.#placing(x, y);
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

  /** The box of all places, also of those of cells in which what is seen ends, and the farthest that every second places there are apart. */
  get reach() {
    this.#findBends();
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
      if (!this.#isExact[i] || !Number.isNaN(x[i]! + x[i + 1]! + x[i + this.#columns]! + x[i + this.#columns + 1]!)) continue;
      const [column, row] = [(i % this.#columns) * this.#cells, Math.floor(i / this.#columns) * this.#cells];
      for (let down = 1; down < this.#cells; down += 2) {
        let before: ReturnType<Placing> = null;
        for (let across = 1; across < this.#cells; across += 2) {
          const place = this.#placing(column + across, row + down);
          if (place) add(place.x, place.y);
          if (place && before) apart = Math.max(apart, Math.abs(place.x - before.x), Math.abs(place.y - before.y));
          before = place;
        }
      }
    }
    return { left, top, right, bottom, apart };
  }

  /** Finds the bends of cells, once, and the cells whose bends differ too much, or are beside what is not seen. */
  #findBends(): Bends {
    if (this.#bends) return this.#bends;
    const [columns, rows] = [this.#columns, this.#rows];
    const inner = (at: number, count: number) => Math.min(Math.max(at, 1), count - 2);
    const { x, y } = this.#nodes;
    const found: Bends = { across: noPlaces(x.length), down: noPlaces(x.length) };
    const isExact = new Uint8Array(x.length);
    const most = BEND_OF_ERROR * INTERPOLATED * Math.max(1, this.#sampling.pixels);
    const off = new Float64Array(x.length);
    const ofNodes = { x: new Float64Array(x.length), y: new Float64Array(x.length) };
    for (const direction of ['across', 'down'] as const) {
      const step = direction === 'across' ? 1 : columns;
      for (let row = 0, i = 0; row < rows; row++)
        for (let column = 0; column < columns; column++, i++) {
          const at = step === 1 ? row * columns + inner(column, columns) : inner(row, rows) * columns + column;
          ofNodes.x[i] = x[at - step]! - 2 * x[at]! + x[at + step]!;
          ofNodes.y[i] = y[at - step]! - 2 * y[at]! + y[at + step]!;
        }
      for (const axis of ['x', 'y'] as const) {
        const [bends, means] = [ofNodes[axis], found[direction][axis]];
        for (let i = 0; i < bends.length - columns - 1; i++) {
          const [a, b, c, d] = [bends[i]!, bends[i + 1]!, bends[i + columns]!, bends[i + columns + 1]!];
          const mean = (a + b + c + d) / 4;
          means[i] = mean / 2;
          off[i]! += Math.max(Math.abs(a - mean), Math.abs(b - mean), Math.abs(c - mean), Math.abs(d - mean));
        }
      }
    }
    for (let row = 0; row < rows - 1; row++)
      for (let column = 0; column < columns - 1; column++) {
        const i = row * columns + column;
        const isBent = !(off[i]! <= most);
        // What is seen may reach between nodes that are not, but not from as far as the nodes beside them.
        for (let up = -1; isBent && up < 3; up++) {
          for (let at = i + up * columns - 1; at < i + up * columns + 3; at++) if (x[at]! <= Infinity) isExact[i] = 1;
        }
      }
    this.#bends = found;
    this.#isExact = isExact;
    return found;
  }

  /** Writes the places of all cells at `y` cells from the edge where rows begin, up to its end; of each cell those from `start` cells on. */
  row(y: number, { x: xs, y: ys }: Places<Float32Array | Float64Array>, start = 0.5 / this.#sampling.each): void {
    const { x: nodesX, y: nodesY } = this.#nodes;
    const bends = this.#findBends();
    const [columns, cells, isExact, each] = [this.#columns, this.#cells, this.#isExact, this.#sampling.each];
    const row = Math.min(Math.floor(y / cells), this.#rows - 2);
    const v = y / cells - row;
    const inCell = cells * each;
    const part = 1 / inCell;
    for (let from = 0, column = 0; from < xs.length; from += inCell, column++) {
      // Places at the far side are in the cell before it.
      const beyond = Math.max(0, column - (columns - 2));
      const low = row * columns + column - beyond;
      const end = Math.min(xs.length, from + inCell);
      if (isExact[low]) {
        for (let i = from; i < end; i++) {
          const place = this.#placing(i / each + start, y);
          xs[i] = place?.x ?? Number.NaN;
          ys[i] = place?.y ?? Number.NaN;
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

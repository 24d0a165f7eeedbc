// The table of nodes of a map from a grid to an image: places are computed at every eighth cell, and interpolated between them where the map
// is nearly linear. Cut-outs and pictures read places from it.

/** Where a point of a grid is in an image; null where it is not seen. Cell i of the grid covers [i, i + 1). */
export type Placing = (x: number, y: number) => { readonly x: number; readonly y: number } | null;

/** Places in an image, not numbers for what it does not show. */
export interface Places<A extends Float32Array | Float64Array = Float64Array> {
  readonly x: A;
  readonly y: A;
}

export const noPlaces = (count: number): Places => ({
  x: new Float64Array(count).fill(Number.NaN),
  y: new Float64Array(count).fill(Number.NaN),
});

/** Places of a grid along the side of each cell, and the distance between them in pixels of the image. `between`: places between nodes. */
export interface Sampling {
  readonly between?: number;
  readonly each: number;
  readonly pixels: number;
}

/** Places between nodes. */
const NODE = 8;
/** Error of a place that is interpolated between nodes, as a share of the distance between places, and at least of a pixel. */
const INTERPOLATED = 0.05;
/** Linear interpolation is off by at most an eighth of the second derivative times the square of the distance of the nodes. */
const BEND_OF_ERROR = 8;
/** Safety factor, because the second differences of neighbouring nodes stand for the derivative between them. */
const RESERVE = 1 / 2;

export class NodeTable {
  readonly #placing: Placing;
  readonly #sampling: Sampling;
  readonly #cells: number;
  readonly #columns: number;
  readonly #rows: number;
  readonly #nodes: Places;
  /** 1 for a node from which places up to the next column and row are computed. */
  readonly #isExact: Uint8Array;

  constructor({ width, height }: { readonly width: number; readonly height: number }, placing: Placing, sampling: Sampling) {
    this.#placing = placing;
    this.#sampling = sampling;
    this.#cells = Math.max(1, Math.floor((sampling.between ?? NODE) / sampling.each));
    const nodesOf = (side: number) => Math.max(3, Math.ceil(side / this.#cells) + 1);
    this.#columns = nodesOf(width);
    this.#rows = nodesOf(height);
    this.#nodes = noPlaces(this.#columns * this.#rows);
    for (let row = 0, i = 0; row < this.#rows; row++) {
      for (let column = 0; column < this.#columns; column++, i++) {
        const place = placing(column * this.#cells, row * this.#cells);
        if (!place) continue;
        this.#nodes.x[i] = place.x;
        this.#nodes.y[i] = place.y;
      }
    }
    this.#isExact = this.#exactNodes();
  }

  /** The place of a point of the grid, null where it is not seen. */
  at(x: number, y: number): ReturnType<Placing> {
    return this.#placing(x, y);
  }

  get nodes(): Places {
    return this.#nodes;
  }

  /** The box of all places, also of those of cells in which what is seen ends, and the farthest that two neighbours there are apart. */
  get reach() {
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
      for (let down = 0.5; down < this.#cells; down++) {
        let before: ReturnType<Placing> = null;
        for (let across = 0.5; across < this.#cells; across++) {
          const place = this.#placing(column + across, row + down);
          if (place) add(place.x, place.y);
          if (place && before) apart = Math.max(apart, Math.abs(place.x - before.x), Math.abs(place.y - before.y));
          before = place;
        }
      }
    }
    return { left, top, right, bottom, apart };
  }

  /**
   * Pixels of the image for a cell of the grid, ascending, where nodes are seen: to the next column, to the next row, and the root of the area
   * of a cell.
   */
  get steps(): { readonly across: Float64Array; readonly down: Float64Array; readonly both: Float64Array } {
    const { x, y } = this.#nodes;
    const [columns, cells] = [this.#columns, this.#cells];
    const most = (this.#rows - 1) * (columns - 1);
    const [across, down, both] = [new Float64Array(most), new Float64Array(most), new Float64Array(most)];
    let count = 0;
    // Every eighth place is enough to know how far it is to the next.
    const stride = Math.max(1, Math.floor(NODE / (cells * this.#sampling.each)));
    for (let row = 0; row < this.#rows - 1; row += stride) {
      for (let column = 0; column < columns - 1; column += stride) {
        const i = row * columns + column;
        const [a, b] = [(x[i + 1]! - x[i]!) / cells, (y[i + 1]! - y[i]!) / cells];
        const [c, d] = [(x[i + columns]! - x[i]!) / cells, (y[i + columns]! - y[i]!) / cells];
        const area = Math.abs(a * d - b * c);
        if (!(area > 0)) continue;
        across[count] = Math.sqrt(a * a + b * b);
        down[count] = Math.sqrt(c * c + d * d);
        both[count++] = Math.sqrt(area);
      }
    }
    const sorted = (values: Float64Array) => values.subarray(0, count).sort();
    return { across: sorted(across), down: sorted(down), both: sorted(both) };
  }

  #exactNodes(): Uint8Array {
    const columns = this.#columns;
    const inner = (at: number, count: number) => Math.min(Math.max(at, 1), count - 2);
    const bends = new Float64Array(this.#nodes.x.length);
    for (let row = 0, i = 0; row < this.#rows; row++) {
      for (let column = 0; column < columns; column++, i++) {
        const across = this.#bend(row * columns + inner(column, columns), 1);
        bends[i] = across + this.#bend(inner(row, this.#rows) * columns + column, columns);
      }
    }
    const most = RESERVE * BEND_OF_ERROR * INTERPOLATED * Math.max(1, this.#sampling.pixels);
    const { x } = this.#nodes;
    const isExact = new Uint8Array(bends.length);
    for (let row = 0; row < this.#rows - 1; row++) {
      for (let column = 0; column < columns - 1; column++) {
        const i = row * columns + column;
        const isBent = !(Math.max(bends[i]!, bends[i + 1]!, bends[i + columns]!, bends[i + columns + 1]!) <= most);
        // What is seen may reach between nodes that are not, but not from as far as the nodes beside them.
        for (let up = -1; isBent && up < 3; up++) {
          for (let at = i + up * columns - 1; at < i + up * columns + 3; at++) if (x[at]! <= Infinity) isExact[i] = 1;
        }
      }
    }
    return isExact;
  }

  /** Second difference around a node, in pixels; not a number beside one that is not seen. */
  #bend(i: number, step: number): number {
    const { x, y } = this.#nodes;
    const [across, down] = [x[i - step]! - 2 * x[i]! + x[i + step]!, y[i - step]! - 2 * y[i]! + y[i + step]!];
    return Math.sqrt(across * across + down * down);
  }

  /** Writes the places of all cells at `y` cells from the edge where rows begin, up to its end; of each cell those from `start` cells on. */
  row(y: number, { x: xs, y: ys }: Places<Float32Array | Float64Array>, start = 0.5 / this.#sampling.each): void {
    const { x: nodesX, y: nodesY } = this.#nodes;
    const [columns, cells, isExact, each] = [this.#columns, this.#cells, this.#isExact, this.#sampling.each];
    const row = Math.min(Math.floor(y / cells), this.#rows - 2);
    const v = y / cells - row;
    const inCell = cells * each;
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
      // The place at the left side, and what each part of the width adds to it.
      const up = low + columns;
      const left = (1 - v) * nodesX[low]! + v * nodesX[up]!;
      const top = (1 - v) * nodesY[low]! + v * nodesY[up]!;
      const across = (1 - v) * nodesX[low + 1]! + v * nodesX[up + 1]! - left;
      const down = (1 - v) * nodesY[low + 1]! + v * nodesY[up + 1]! - top;
      for (let i = from; i < end; i++) {
        const u = ((i - from) / each + start) / cells + beyond;
        xs[i] = left + u * across;
        ys[i] = top + u * down;
      }
    }
  }
}

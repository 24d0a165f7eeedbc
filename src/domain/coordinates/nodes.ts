// The table of nodes of a map from a grid to an image: places are computed at every eighth cell, and interpolated between them where the map
// is nearly linear. Cut-outs and pictures read places from it.

/** A place in an image. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** Where a point of a grid is in an image; null where it is not seen. Cell i of the grid covers [i, i + 1). */
export type Placing = (x: number, y: number) => Place | null;

/** Places in an image, not numbers for what it does not show. */
export interface Places<A extends Float32Array | Float64Array = Float64Array> {
  readonly x: A;
  readonly y: A;
}

export const noPlaces = (count: number): Places => ({
  x: new Float64Array(count).fill(Number.NaN),
  y: new Float64Array(count).fill(Number.NaN),
});

/** Places of a grid along the side of each cell, and the distance between them in pixels of the image. */
export interface Sampling {
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
  /** Cells between nodes. */
  readonly #cells: number;
  readonly #columns: number;
  readonly #rows: number;
  readonly #nodes: Places;
  /** 1 for a node from which places up to the next column and row are computed. */
  readonly #isExact: Uint8Array;

  constructor({ width, height }: { readonly width: number; readonly height: number }, placing: Placing, sampling: Sampling) {
    this.#placing = placing;
    this.#sampling = sampling;
    this.#cells = Math.max(1, Math.floor(NODE / sampling.each));
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

  /** The places of the nodes. */
  get nodes(): Places {
    return this.#nodes;
  }

  /**
   * Steps of the image for a cell at each node and its neighbours, not numbers beside one that is not seen: lengths of the columns of the
   * Jacobian, and the root of its determinant.
   */
  steps(): { readonly across: number; readonly down: number; readonly both: number }[] {
    const { x, y } = this.#nodes;
    const columns = this.#columns;
    return Array.from({ length: (this.#rows - 1) * (columns - 1) }, (_, i) => {
      const at = i + Math.floor(i / (columns - 1));
      const [a, b] = [(x[at + 1]! - x[at]!) / this.#cells, (y[at + 1]! - y[at]!) / this.#cells];
      const [c, d] = [(x[at + columns]! - x[at]!) / this.#cells, (y[at + columns]! - y[at]!) / this.#cells];
      return { across: Math.hypot(a, b), down: Math.hypot(c, d), both: Math.sqrt(Math.abs(a * d - b * c)) };
    });
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
    const isBent = (i: number) => !(bends[i]! <= most);
    return Uint8Array.from(bends, (_, i) => Number([i, i + 1, i + columns, i + columns + 1].some(isBent)));
  }

  /** Second difference around a node, in pixels; not a number beside one that is not seen. */
  #bend(i: number, step: number): number {
    const { x, y } = this.#nodes;
    return Math.hypot(x[i - step]! - 2 * x[i]! + x[i + step]!, y[i - step]! - 2 * y[i]! + y[i + step]!);
  }

  /** Writes the places of all cells at `y` cells from the edge where rows begin; of each cell those from `start` cells on. */
  row(y: number, { x: xs, y: ys }: Places<Float32Array | Float64Array>, start = 0.5 / this.#sampling.each): void {
    const { x: nodesX, y: nodesY } = this.#nodes;
    const [columns, cells, isExact, each] = [this.#columns, this.#cells, this.#isExact, this.#sampling.each];
    const row = Math.floor(y / cells);
    const v = y / cells - row;
    for (let i = 0; i < xs.length; i++) {
      const x = i / each + start;
      const column = Math.floor(x / cells);
      const low = row * columns + column;
      if (isExact[low]) {
        const place = this.#placing(x, y);
        xs[i] = place?.x ?? Number.NaN;
        ys[i] = place?.y ?? Number.NaN;
        continue;
      }
      const u = x / cells - column;
      const up = low + columns;
      xs[i] = (1 - v) * ((1 - u) * nodesX[low]! + u * nodesX[low + 1]!) + v * ((1 - u) * nodesX[up]! + u * nodesX[up + 1]!);
      ys[i] = (1 - v) * ((1 - u) * nodesY[low]! + u * nodesY[low + 1]!) + v * ((1 - u) * nodesY[up]! + u * nodesY[up + 1]!);
    }
  }
}

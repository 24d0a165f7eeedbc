// Pictures of an image through a table of nodes: samples of a resolution level at the places of output pixels.
import type { NodeTable } from '../domain/coordinates/nodes.ts';
import type { Size } from '../domain/image.ts';
import { discardedLevels } from '../domain/pixel-grid.ts';
import { allocate, bytesAt, withCore } from './core/core.ts';
import type { Rect } from './jp2/structure.ts';

/** How a table of nodes reads an image. */
export interface GatherPlan {
  /** Resolution levels to discard. */
  readonly reduce: number;
  /** Places of an output pixel along its sides, whose mean it is. */
  readonly across: number;
  readonly down: number;
  /** Samples of the level that are read; empty where the image shows nothing. */
  readonly window: Rect;
}

/** Share of the cells whose steps do not decide, because they are beside the limb. */
const FEW = 0.1;
/** The finest quarter of the cells has one sample for each output pixel. */
const FINE = 0.25;
/** Places along a side of an output pixel, at most, and samples by which it may be wider than one place. */
const PLACES = { most: 4, slack: 0.1 };
/** Cells between nodes: what is seen may begin so far from the next node that is seen. */
const NODE_CELLS = 8;

const rank = (sorted: Float64Array, share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

/**
 * The level, the places and the window of a table over an image, whose sample k is at place k.
 * @param step Pixels for an output pixel
 * @param slack Share of an output pixel that a sample of the level may have in width
 */
export function gatherPlan(table: NodeTable, size: Size, step: number, levels: number, slack = 1): GatherPlan {
  const { across, down, both } = table.steps;
  const reduce = discardedLevels(slack * (rank(both, FINE) ?? step), levels);
  const scale = 2 ** reduce;
  const placesOf = (lengths: Float64Array) =>
    Math.min(PLACES.most, Math.max(1, Math.ceil((rank(lengths, 1 - FEW) ?? step) / scale - PLACES.slack)));
  const { x, y } = table.nodes;
  const margin = x.some(Number.isNaN) ? NODE_CELLS * Math.max(step, across.at(-1) ?? 0, down.at(-1) ?? 0) : 1;
  const span = (places: Float64Array, side: number): readonly [number, number] => {
    let [least, most] = [Infinity, -Infinity];
    for (const place of places) {
      if (place < least) least = place;
      if (place > most) most = place;
    }
    const end = Math.ceil(side / scale);
    return [Math.max(0, Math.floor((least - margin) / scale)), Math.min(end, Math.floor((most + margin) / scale) + 2)];
  };
  const [[x0, x1], [y0, y1]] = [span(x, size.width), span(y, size.height)];
  return { reduce, across: placesOf(across), down: placesOf(down), window: { x0, y0, x1, y1 } };
}

/** Numbers of a row in the memory of the core. */
interface Floats {
  readonly at: number;
  readonly values: Float32Array;
}

/** Places of a row. */
interface Line {
  readonly x: Floats;
  readonly y: Floats;
}

/** Parts of a pixel at the edge of what is seen, along each side. */
const PARTS = 4;

/** Columns beside or below which what is seen ends, or begins: places that are not numbers are not seen. */
function edgeOf(line: Float32Array, above: Float32Array, below: Float32Array): number[] {
  const edge: number[] = [];
  for (let i = 0; i < line.length; i++) {
    const isOther = (beside = line[i]) => Number.isNaN(beside) !== Number.isNaN(line[i]);
    if (isOther(line[i - 1]) || isOther(line[i + 1]) || isOther(above[i]) || isOther(below[i])) edge.push(i);
  }
  return edge;
}

/**
 * The pixels of a grid from the samples of a plan's window.
 * @param size Of the image
 * @throws Jp2Error (too-large) when they do not fit the core's memory
 */
export function gather(
  samples: Uint8Array,
  { reduce, across, down, window }: GatherPlan,
  size: Size,
  table: NodeTable,
  grid: Size,
): { readonly samples: Uint8Array; readonly alpha: Uint8Array | null } {
  const [width, height] = [window.x1 - window.x0, window.y1 - window.y0];
  const { width: columns, height: rows } = grid;
  return withCore((core) => {
    const source = allocate(core, samples.length + width + 2);
    bytesAt(core, source, samples.length).set(samples);
    const count = Math.ceil(columns / 4) * 4;
    const addresses = Array.from({ length: 10 }, () => allocate(core, 4 * count));
    const [out, alpha] = [allocate(core, columns * rows), allocate(core, columns * rows)];
    const floats = (i: number): Floats => {
      const at = addresses[i]!;
      return { at, values: new Float32Array(core.memory.buffer, at, count).fill(Number.NaN) };
    };
    const [sums, counts, partSums, partCounts] = [floats(0), floats(1), floats(2), floats(3)];
    const [parts, ...rest] = [4, 6, 8].map((i): Line => ({ x: floats(i), y: floats(i + 1) }));
    let [line, next] = rest as [Line, Line];
    const add = ({ x, y }: Line, [to, seen]: readonly [Floats, Floats]) => {
      const { x0, y0 } = window;
      core.gather(source, width, height, x0, y0, 2 ** -reduce, size.width, size.height, x.at, y.at, count, to.at, seen.at);
    };
    const place = (line: Line, y: number, start: number) =>
      table.row(y, { x: line.x.values.subarray(0, columns), y: line.y.values.subarray(0, columns) }, start);
    // Where one place stands for a pixel, the edge of what is seen is smoothed, which needs the rows above and below.
    const isSmoothed = across * down === 1 && table.nodes.x.some(Number.isNaN);
    const above = new Float32Array(columns);
    if (isSmoothed) place(line, 0.5, 0.5);
    let whole = 0;
    for (let row = 0; row < rows; row++) {
      for (const { values } of [sums, counts]) values.fill(0);
      if (isSmoothed) {
        if (row + 1 < rows) place(next, row + 1.5, 0.5);
        add(line, [sums, counts]);
        const own = line.x.values.subarray(0, columns);
        const edge = edgeOf(own, row > 0 ? above : own, row + 1 < rows ? next.x.values : own);
        if (edge.length > 0) {
          for (const { values } of [partSums, partCounts]) values.fill(0);
          parts!.x.values.fill(Number.NaN);
          for (let part = 0; part < PARTS ** 2; part++) {
            for (const [i, column] of edge.entries()) {
              const at = table.at(column + ((part % PARTS) + 0.5) / PARTS, row + (Math.floor(part / PARTS) + 0.5) / PARTS);
              parts!.x.values[i] = at?.x ?? Number.NaN;
              parts!.y.values[i] = at?.y ?? Number.NaN;
            }
            add(parts!, [partSums, partCounts]);
          }
          for (const [i, column] of edge.entries()) {
            sums.values[column] = partSums.values[i]! / PARTS ** 2;
            counts.values[column] = partCounts.values[i]! / PARTS ** 2;
          }
        }
        above.set(own);
        [line, next] = [next, line];
      } else {
        for (let j = 0; j < down; j++) {
          for (let i = 0; i < across; i++) {
            place(line, row + (j + 0.5) / down, (i + 0.5) / across);
            add(line, [sums, counts]);
          }
        }
      }
      whole += core.gathered(sums.at, counts.at, columns, across * down, out + row * columns, alpha + row * columns);
    }
    const isWhole = whole === 255 * columns * rows;
    return {
      samples: bytesAt(core, out, columns * rows).slice(),
      alpha: isWhole ? null : bytesAt(core, alpha, columns * rows).slice(),
    };
  });
}

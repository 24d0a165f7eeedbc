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
/** Distances between neighbours at the edge of what is seen by which it may reach beyond them. */
const EDGE_REACH = 2;

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
  const { left, right, top, bottom, apart } = table.reach;
  const margin = Math.max(1, EDGE_REACH * apart);
  const span = (least: number, most: number, side: number): readonly [number, number] => {
    const end = Math.ceil(side / scale);
    return [Math.max(0, Math.floor((least - margin) / scale)), Math.min(end, Math.floor((most + margin) / scale) + 2)];
  };
  const [[x0, x1], [y0, y1]] = [span(left, right, size.width), span(top, bottom, size.height)];
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

/** Parts of the way across a pixel and down it. */
type Part = readonly [across: number, down: number];

/** The middles of parts of a pixel. */
const partsOf = (across: number, down: number): Part[] =>
  Array.from({ length: across * down }, (_, i) => [((i % across) + 0.5) / across, (Math.floor(i / across) + 0.5) / down]);

/** Writes the places that are parts of the way between four corners. */
function between(upper: Float32Array, lower: Float32Array, [u, v]: Part, to: Float32Array): void {
  const [a, b, c, d] = [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v];
  for (let i = 0; i < to.length - 1; i++) to[i] = a * upper[i]! + b * upper[i + 1]! + c * lower[i]! + d * lower[i + 1]!;
}

/** Columns of the pixels through which an edge of what is seen goes, by the corners above and below them. */
function edgeOf(upper: Float32Array, lower: Float32Array, columns: number): number[] {
  const edge: number[] = [];
  for (let i = 0; i < columns; i++) {
    const [a, b, c, d] = [upper[i]!, upper[i + 1]!, lower[i]!, lower[i + 1]!];
    if (!Number.isNaN(a + b + c + d)) continue;
    if (!(Number.isNaN(a) && Number.isNaN(b) && Number.isNaN(c) && Number.isNaN(d))) edge.push(i);
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
    const addresses = Array.from({ length: 10 }, () => allocate(core, 4 * (count + 4)));
    const [out, alpha] = [allocate(core, columns * rows), allocate(core, columns * rows)];
    const floats = (i: number): Floats => {
      const at = addresses[i]!;
      return { at, values: new Float32Array(core.memory.buffer, at, count + 4).fill(Number.NaN) };
    };
    const [sums, counts, partSums, partCounts] = [floats(0), floats(1), floats(2), floats(3)];
    const [parts, ...lines] = [4, 6, 8].map((i): Line => ({ x: floats(i), y: floats(i + 1) }));
    let [upper, lower] = lines as [Line, Line];
    const add = ({ x, y }: Line, [to, seen]: readonly [Floats, Floats]) => {
      const { x0, y0 } = window;
      core.gather(source, width, height, x0, y0, 2 ** -reduce, size.width, size.height, x.at, y.at, count, to.at, seen.at);
    };
    const place = ({ x, y }: Line, at: number, start: number, length: number) =>
      table.row(at, { x: x.values.subarray(0, length), y: y.values.subarray(0, length) }, start);
    // Several places of a pixel are between its corners; at the edge of what is seen each is found by itself.
    const isEdged = table.nodes.x.some(Number.isNaN);
    const isCornered = isEdged || across * down > 1;
    const shares = partsOf(across, down);
    const smooth = partsOf(PARTS, PARTS);
    if (isCornered) place(upper, 0, 0, columns + 1);
    let whole = 0;
    for (let row = 0; row < rows; row++) {
      for (const { values } of [sums, counts]) values.fill(0);
      if (isCornered) {
        place(lower, row + 1, 0, columns + 1);
        for (const [u, v] of shares) {
          for (const axis of ['x', 'y'] as const) between(upper[axis].values, lower[axis].values, [u, v], parts![axis].values);
          add(parts!, [sums, counts]);
        }
        const edge = isEdged ? edgeOf(upper.x.values, lower.x.values, columns) : [];
        if (edge.length > 0) {
          for (const { values } of [partSums, partCounts]) values.fill(0);
          parts!.x.values.fill(Number.NaN);
          for (const [u, v] of smooth) {
            for (const [i, column] of edge.entries()) {
              const at = table.at(column + u, row + v);
              parts!.x.values[i] = at?.x ?? Number.NaN;
              parts!.y.values[i] = at?.y ?? Number.NaN;
            }
            add(parts!, [partSums, partCounts]);
          }
          for (const [i, column] of edge.entries()) {
            sums.values[column] = (partSums.values[i]! * shares.length) / smooth.length;
            counts.values[column] = (partCounts.values[i]! * shares.length) / smooth.length;
          }
        }
        [upper, lower] = [lower, upper];
      } else {
        place(upper, row + 0.5, 0.5, columns);
        add(upper, [sums, counts]);
      }
      whole += core.gathered(sums.at, counts.at, columns, shares.length, out + row * columns, alpha + row * columns);
    }
    const isWhole = whole === 255 * columns * rows;
    return {
      samples: bytesAt(core, out, columns * rows).slice(),
      alpha: isWhole ? null : bytesAt(core, alpha, columns * rows).slice(),
    };
  });
}

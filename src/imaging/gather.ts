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

/** The level, the places and the window of a table over an image, whose sample k is at place k. @param step Pixels for an output pixel */
export function gatherPlan(table: NodeTable, size: Size, step: number, levels: number): GatherPlan {
  const { across, down, both } = table.steps;
  const reduce = discardedLevels(rank(both, FINE) ?? step, levels);
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

interface Gathered {
  readonly samples: Uint8Array;
  /** Null where all pixels are in the image. */
  readonly alpha: Uint8Array | null;
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
): Gathered {
  const [width, height] = [window.x1 - window.x0, window.y1 - window.y0];
  const { width: columns, height: rows } = grid;
  return withCore((core) => {
    const source = allocate(core, samples.length + width + 2);
    bytesAt(core, source, samples.length).set(samples);
    const count = Math.ceil(columns / 4) * 4;
    const [xs, ys, sums, counts] = Array.from({ length: 4 }, () => allocate(core, 4 * count)) as [number, number, number, number];
    const [out, alpha] = [allocate(core, columns * rows), allocate(core, columns * rows)];
    const floats = (at: number, length: number) => new Float32Array(core.memory.buffer, at, length);
    const places = { x: floats(xs, columns), y: floats(ys, columns) };
    for (const list of [xs, ys]) floats(list, count).fill(Number.NaN);
    const [sumsOfRow, countsOfRow] = [floats(sums, count), floats(counts, count)];
    let whole = 0;
    for (let row = 0; row < rows; row++) {
      sumsOfRow.fill(0);
      countsOfRow.fill(0);
      for (let j = 0; j < down; j++) {
        for (let i = 0; i < across; i++) {
          table.row(row + (j + 0.5) / down, places, (i + 0.5) / across);
          const { x0, y0 } = window;
          core.gather(source, width, height, x0, y0, 2 ** -reduce, size.width, size.height, xs, ys, count, sums, counts);
        }
      }
      whole += core.gathered(sums, counts, columns, across * down, out + row * columns, alpha + row * columns);
    }
    const isWhole = whole === 255 * columns * rows;
    return {
      samples: bytesAt(core, out, columns * rows).slice(),
      alpha: isWhole ? null : bytesAt(core, alpha, columns * rows).slice(),
    };
  });
}

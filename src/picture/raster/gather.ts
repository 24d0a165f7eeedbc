// Pictures of an image through a table of nodes: samples of a resolution level at the places of output pixels.
import { allocate, bytesAt, copyIn, withCore } from '../../jp2/core/core.ts';
import type { Rect } from '../../jp2/structure.ts';
import { type NodeTable, workingNumbers } from '../../sun/coordinates/nodes.ts';
import type { Size } from '../../sun/image.ts';
import { copyRows } from './resample.ts';

/** How a table of nodes reads an image: the samples of a level, none where it shows nothing. */
type GatherPlan = { readonly reduce: number; readonly window: Rect };

/** How a table reads an image of which so many levels are discarded, whose sample k is at place k. */
export function gatherPlan(table: NodeTable, size: Size, reduce: number): GatherPlan {
  const scale = 2 ** reduce;
  const { left, right, top, bottom, apart } = table.reach;
  const margin = Math.max(1, apart);
  const span = (least: number, most: number, side: number): readonly [number, number] => {
    const end = Math.ceil(side / scale);
    return [Math.max(0, Math.floor((least - margin) / scale)), Math.min(end, Math.floor((most + margin) / scale) + 2)];
  };
  const [[x0, x1], [y0, y1]] = [span(left, right, size.width), span(top, bottom, size.height)];
  return { reduce, window: { x0, y0, x1, y1 } };
}

/** Places in a pixel at the edge of what is seen, by its eighths: each column and each row has one. */
const EDGE_ROWS = [1, 4, 7, 2, 5, 0, 3, 6] as const;
const PARTS = EDGE_ROWS.length;

/** Levels of pixels, and how much is seen of each: rows of `stride`, of which the first begins at `at`. */
interface Target {
  readonly samples: Uint8Array;
  readonly alpha: Uint8Array;
  readonly at: number;
  readonly stride: number;
}

const targetOf = ({ width, height }: Size): Target => {
  const [samples, alpha] = [new Uint8Array(width * height), new Uint8Array(width * height)];
  return { samples, alpha, at: 0, stride: width };
};

/**
 * The pixels of a grid from the samples of a plan's window.
 * @param size Of the image
 * @param into Where they are written
 * @throws Jp2Error (too-large) when they do not fit the core's memory
 */
export function gather(
  samples: Uint8Array,
  { reduce, window }: GatherPlan,
  size: Size,
  table: NodeTable,
  grid: Size,
  into = targetOf(grid),
): Target {
  const { x0, y0 } = window;
  const width = window.x1 - x0;
  const { columns, rows, numbers, blocks, places, exactCells } = table.table;
  const pixels = grid.width * grid.height;
  return withCore((core) => {
    const source = allocate(core, samples.length + width + 2);
    bytesAt(core, source, samples.length).set(samples);
    const image = [source, width, window.y1 - y0, x0, y0, 2 ** -reduce, size.width, size.height] as const;
    const [numbersAt, blocksAt, placesAt] = [copyIn(core, numbers), copyIn(core, blocks), copyIn(core, places)];
    const nodes = [numbersAt, columns, rows, blocksAt, placesAt, grid.width, grid.height] as const;
    const [levelsAt, seenAt] = [allocate(core, pixels + 4), allocate(core, pixels + 4)];
    const edgesAt = allocate(core, 4 * 64 * exactCells);
    const scratch = allocate(core, 16 * (8 * columns + 8));
    const count = core.gatherTable(...image, ...nodes, scratch, levelsAt, seenAt, edgesAt);
    for (const [from, to] of [[levelsAt, into.samples] as const, [seenAt, into.alpha] as const]) {
      const rows = { bytes: bytesAt(core, from, pixels), stride: grid.width };
      copyRows(rows, { bytes: to.subarray(into.at), stride: into.stride }, grid.width, grid.height);
    }
    if (count === 0) return into;
    // At the edge of what is seen, each place is found by itself.
    const parts = PARTS * count;
    const [xyAt, partLevelsAt, partSeenAt] = [allocate(core, 8 * parts), allocate(core, parts), allocate(core, parts)];
    const edges = new Int32Array(core.memory.buffer, edgesAt, count);
    placeParts(edges, grid.width, table, new Float32Array(core.memory.buffer, xyAt, 2 * parts));
    core.gather(...image, xyAt, xyAt, 4 * parts, 0, parts, partLevelsAt, partSeenAt);
    joinParts(edges, grid.width, bytesAt(core, partLevelsAt, parts), bytesAt(core, partSeenAt, parts), into);
    return into;
  });
}

/** Writes the mean of what is seen of the parts of each pixel, and how much of it is seen. */
function joinParts(pixels: Int32Array, width: number, levels: Uint8Array, seen: Uint8Array, into: Target): void {
  for (let i = 0; i < pixels.length; i++) {
    let sum = 0;
    let places = 0;
    for (let k = PARTS * i; k < PARTS * (i + 1); k++) {
      if (seen[k] === 0) continue;
      sum += levels[k]!;
      places++;
    }
    const column = pixels[i]! % width;
    const at = into.at + ((pixels[i]! - column) / width) * into.stride + column;
    into.samples[at] = places && Math.round(sum / places);
    into.alpha[at] = Math.round((255 * places) / PARTS);
  }
}

/** Writes the places of the parts of pixels: all of x, then all of y. */
function placeParts(pixels: Int32Array, width: number, table: NodeTable, xy: Float32Array): void {
  const points = workingNumbers(xy.length);
  for (let i = 0, k = 0; i < pixels.length; i++) {
    const pixel = pixels[i]!;
    const column = pixel % width;
    const row = (pixel - column) / width;
    for (let part = 0; part < PARTS; part++) {
      points[k++] = column + (part + 0.5) / PARTS;
      points[k++] = row + (EDGE_ROWS[part]! + 0.5) / PARTS;
    }
  }
  table.place(points);
  const parts = xy.length / 2;
  for (let k = 0; k < parts; k++) {
    xy[k] = points[2 * k]!;
    xy[parts + k] = points[2 * k + 1]!;
  }
}

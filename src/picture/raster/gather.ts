// Pictures of an image through a table of nodes: samples of a resolution level at the places of output pixels.
import { allocate, bytesAt, withCore } from '../../jp2/core/core.ts';
import type { Rect } from '../../jp2/structure.ts';
import type { NodeTable } from '../../sun/coordinates/nodes.ts';
import type { Size } from '../../sun/image.ts';

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

/** Columns of the pixels through which an edge of what is seen goes, by the corners above and below them. */
function edgeOf(upper: Float32Array, lower: Float32Array, columns: number): number[] {
  const edge: number[] = [];
  const unseenAt = (i: number) => Number(Number.isNaN(upper[i]!)) + Number(Number.isNaN(lower[i]!));
  for (let i = 0, before = unseenAt(0), after = 0; i < columns; i++, before = after) {
    after = unseenAt(i + 1);
    if (before + after > 0 && before + after < 4) edge.push(i);
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
  { reduce, window }: GatherPlan,
  size: Size,
  table: NodeTable,
  grid: Size,
): { readonly samples: Uint8Array; readonly alpha: Uint8Array } {
  const { x0, y0 } = window;
  const width = window.x1 - x0;
  const { width: columns, height: rows } = grid;
  return withCore((core) => {
    const source = allocate(core, samples.length + width + 2);
    bytesAt(core, source, samples.length).set(samples);
    const count = Math.ceil(columns / 4) * 4;
    const [shown, parts] = [count + 4, PARTS * count];
    const at = [shown, shown, parts].map((places) => allocate(core, 8 * places));
    // Pixels of all rows, and behind them the parts of those at the edge in one row.
    const pixels = columns * rows;
    const all = pixels + PARTS * columns;
    const [levelsAt, seenAt] = [allocate(core, all + 4), allocate(core, all + 4)];
    const [upperRow, lowerRow, edgeRow] = [shown, shown, parts].map((places, i) => {
      const both = new Float32Array(core.memory.buffer, at[i]!, 2 * places).fill(Number.NaN);
      return { at: at[i]!, x: both.subarray(0, places), y: both.subarray(places) };
    }) as [Row, Row, Row];
    const draw = (upper: Row, lower: Row, next: number, places: number, from: number) => {
      const image = [source, width, window.y1 - y0, x0, y0, 2 ** -reduce, size.width, size.height] as const;
      core.gather(...image, upper.at, lower.at, upper.x.byteLength, next, places, levelsAt + from, seenAt + from);
    };
    const corners = (row: number, { x, y }: Row) =>
      table.row(row, { x: x.subarray(0, columns + 1), y: y.subarray(0, columns + 1) }, 0);
    const [levels, seen] = [bytesAt(core, levelsAt, all), bytesAt(core, seenAt, all)];
    const isEdged = table.nodes.x.some(Number.isNaN);
    let [upper, lower] = [upperRow, lowerRow];
    corners(0, upper);
    for (let row = 0; row < rows; row++) {
      corners(row + 1, lower);
      const from = row * columns;
      draw(upper, lower, 4, count, from);
      // At the edge of what is seen, each place is found by itself.
      const edge = isEdged ? edgeOf(upper.x, lower.x, columns) : [];
      for (const [i, column] of edge.entries())
        for (const [k, eighth] of EDGE_ROWS.entries()) {
          const place = table.at(column + (k + 0.5) / PARTS, row + (eighth + 0.5) / PARTS);
          edgeRow.x[PARTS * i + k] = place?.x ?? Number.NaN;
          edgeRow.y[PARTS * i + k] = place?.y ?? Number.NaN;
        }
      if (edge.length > 0) draw(edgeRow, edgeRow, 0, PARTS * edge.length, pixels);
      for (const [i, column] of edge.entries()) {
        let [sum, places] = [0, 0];
        for (let k = pixels + PARTS * i; k < pixels + PARTS * (i + 1); k++) {
          if (seen[k] === 0) continue;
          sum += levels[k]!;
          places++;
        }
        levels[from + column] = places && Math.round(sum / places);
        seen[from + column] = Math.round((255 * places) / PARTS);
      }
      [upper, lower] = [lower, upper];
    }
    return { samples: levels.slice(0, pixels), alpha: seen.slice(0, pixels) };
  });
}

/** Places of a row in the memory of the core: all x, then all y. */
type Row = { readonly at: number; readonly x: Float32Array; readonly y: Float32Array };

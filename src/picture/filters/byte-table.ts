// Tables of levels by annulus and byte.
import { bytesAt, copyIn, withCore } from '../../jp2/core/core.ts';
import type { ImageGeometry } from '../../sun/image.ts';
import { type Coverage, type PixelGrid, rowStepOf, sunCentre } from '../grids/pixel-grid.ts';
import type { Turned } from '../grids/upright.ts';
import { TABLE_HEAD, TABLE_SIDE } from '../moving-frame.ts';
import { type Annuli, type AnnulusStatistics, BYTES, rankAt, turnedSquares } from './annuli.ts';

export interface ByteTable extends Annuli {
  /** For each byte its levels from the inner annulus to the outer one. */
  readonly levels: Uint8Array;
}

/** Levels below which a filter fades to the levels themselves: four times the error of compression of most channels. */
const NOISE_LEVELS = 12;
const [LOW_RANK, HIGH_RANK] = [0.05, 0.95];

/**
 * How far a filter may spread the levels of an annulus, from 0 to 1, because it spreads noise too: `even` for all bytes by the range from the 5th
 * to the 95th percentile in noise levels; `dark` by the height above 0 where half of the annulus is 0, below the scale; both by the share of 0.
 */
function clarityOf({ ranks }: AnnulusStatistics, row: number): { readonly even: number; readonly dark: number } {
  let [low, high] = [-1, -1];
  for (let byte = 0; byte < BYTES; byte++) {
    const rank = rankAt(ranks[row * BYTES + byte]!);
    if (low < 0 && rank >= LOW_RANK) low = byte;
    if (rank <= HIGH_RANK) high = byte;
  }
  const range = Math.min(1, Math.max(0, high - low) / NOISE_LEVELS);
  // The mid-rank of byte 0 is half of its share.
  const dark = Math.min(1, 4 * rankAt(ranks[row * BYTES]!));
  return { even: (1 - dark) * range, dark };
}

/** A table whose levels before they are rounded are `levelOf`, but 0 for byte 0, which is below the scale of its image. */
export function byteTable(statistics: AnnulusStatistics, levelOf: (row: number, byte: number) => number): ByteTable {
  const { rows, from, width } = statistics;
  const levels = new Uint8Array(rows * BYTES);
  for (let row = 0; row < rows; row++) {
    const { even, dark } = clarityOf(statistics, row);
    for (let byte = 1; byte < BYTES; byte++) {
      const clarity = even + dark * Math.min(1, byte / NOISE_LEVELS);
      levels[byte * rows + row] = Math.floor(byte + clarity * (levelOf(row, byte) - byte) + 0.5);
    }
  }
  return { rows, from, width, levels };
}

/** A table for frames as a file has it: as the changes of the levels from byte to byte. @param scale Arcseconds per pixel */
export function frameTable({ rows, from, width, levels }: ByteTable, scale: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(TABLE_HEAD + TABLE_SIDE * BYTES);
  new Float32Array(file.buffer, 0, 2).set([from * scale, ((rows * width) / TABLE_SIDE) * scale]);
  for (let row = 0; row < TABLE_SIDE; row++) {
    const place = Math.min(Math.max(((row + 0.5) * rows) / TABLE_SIDE - 0.5, 0), rows - 1);
    const [inner, outer] = [Math.floor(place), Math.ceil(place)];
    for (let byte = 0, former = 0; byte < BYTES; byte++) {
      const [near, far] = [levels[byte * rows + inner]!, levels[byte * rows + outer]!];
      // Even levels take a quarter less than all of them, and differ by less than the loss of the frames.
      const level = 2 * Math.min(Math.round((near + (place - inner) * (far - near)) / 2), 127);
      file[TABLE_HEAD + row * TABLE_SIDE + byte] = level - former;
      former = level;
    }
  }
  return file;
}

/** Added to squares of distances. */
const NEXT = new Float32Array(1);

function squares(count: number, start: number, step: number, centre: number, unit: number): Float32Array {
  const all = new Float32Array(Math.ceil(count / 8) * 8);
  for (let i = 0; i < all.length; i++) {
    const distance = (start + (i + 0.5) * step - centre) / unit;
    // V8 calls a function for the power of 2, which gives the product too.
    all[i] = distance * distance;
  }
  return all;
}

/** Replaces the levels of the covered pixels by those of the two nearest annuli. `turned`: the grid is over the file of a turned image. */
export function applyTable(
  samples: Uint8Array,
  { rows, from, width, levels }: ByteTable,
  grid: PixelGrid,
  { y0, y1 }: Pick<Coverage, 'y0' | 'y1'>,
  geometry: Pick<ImageGeometry, 'width' | 'refPixelX' | 'refPixelY' | 'height'>,
  turned: Turned | null = null,
): void {
  const centre = sunCentre(geometry);
  const part = samples.subarray(y0 * grid.width, y1 * grid.width);
  const rowOf = turned && turnedSquares(grid, geometry, turned);
  withCore((core) => {
    const [at, table] = [copyIn(core, part), copyIn(core, levels)];
    const apply = (first: number, count: number, across: Float32Array, down: Float32Array) => {
      const [columns, lines] = [copyIn(core, across), copyIn(core, down)];
      core.applyAnnuli(at + first * grid.width, grid.width, count, columns, lines, table, rows, from / width + 0.5);
    };
    if (!rowOf) {
      const down = squares(grid.height, grid.top, rowStepOf(grid), centre.y, width);
      apply(0, y1 - y0, squares(grid.width, grid.left, grid.step, centre.x, width), down.subarray(y0));
    }
    for (let row = y0; rowOf && row < y1; row++) {
      const mark = core.mark();
      const own = rowOf(row);
      apply(
        row - y0,
        1,
        Float32Array.from({ length: Math.ceil(own.length / 8) * 8 }, (_, i) => (own[i] ?? 0) / width ** 2),
        NEXT,
      );
      core.release(mark);
    }
    part.set(bytesAt(core, at, part.length));
  });
}

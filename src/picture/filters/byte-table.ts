// Tables of levels by annulus and byte.
import { allocate, bytesAt, copyIn, withCore } from '../../jp2/core/core.ts';
import { firstPassing } from '../../platform/util/search.ts';
import type { ImageGeometry } from '../../sun/image.ts';
import { type Coverage, type PixelGrid, rowStepOf, sunCentre } from '../grids/pixel-grid.ts';
import type { Turned } from '../grids/upright.ts';
import { TABLE_HEAD, TABLE_SIDE } from '../moving-frame.ts';
import { type Annuli, type AnnulusStatistics, BYTES, rankAt, storedFrom, turnedSquares } from './annuli.ts';

export interface ByteTable extends Annuli {
  /** For each byte its levels from the inner annulus to the outer one. */
  readonly levels: Uint8Array;
}

/** Levels below which a filter fades to the levels themselves: four times the error of compression of most channels. */
const NOISE_LEVELS = 12;
/** Stored ranks of the 5th percentile, and of the first above the 95th. */
const [LOW_RANK, HIGH_RANK] = [storedFrom((rank) => rank >= 0.05), storedFrom((rank) => rank > 0.95)];

/** The first byte of an annulus with this stored rank or a higher one; their number where none has it. Ranks rise with the bytes. */
const firstByte = (ranks: Uint8Array, stored: number) => firstPassing(BYTES, (byte) => ranks[byte]! >= stored);

/**
 * How far a filter may spread the levels of an annulus, from 0 to 1, because it spreads noise too: first for all bytes, by the range from the 5th
 * to the 95th percentile in noise levels; then by the height above 0 where half of the annulus is 0, below the scale; both by the share of 0.
 */
function clarityOf(ranks: Uint8Array): readonly [even: number, dark: number] {
  const low = firstByte(ranks, LOW_RANK);
  const high = firstByte(ranks, HIGH_RANK) - 1;
  const range = Math.min(1, Math.max(0, high - (low < BYTES ? low : -1)) / NOISE_LEVELS);
  // The mid-rank of byte 0 is half of its share.
  const dark = Math.min(1, 4 * rankAt(ranks[0]!));
  return [(1 - dark) * range, dark];
}

/** Heights of the bytes above 0. */
const HEIGHTS = Float64Array.from({ length: BYTES }, (_, byte) => Math.min(1, byte / NOISE_LEVELS));

const ALL_BYTES = Uint8Array.from({ length: BYTES }, (_, byte) => byte);

/**
 * A table whose levels before they are rounded are `levels` of the bytes, but 0 for byte 0, which is below the scale of its image. `levels`: 256 for
 * all annuli or 256 of each. `codes`: 256 places of the bytes among the levels of each annulus, unless they are in order.
 */
export function byteTable(
  statistics: Annuli & Pick<AnnulusStatistics, 'ranks'>,
  levels: Float64Array,
  codes: Uint8Array = ALL_BYTES,
): ByteTable {
  const { rows, from, width, ranks } = statistics;
  const clarities = Float64Array.from(
    Array.from({ length: rows }, (_, row) => clarityOf(ranks.subarray(row * BYTES, (row + 1) * BYTES))).flat(),
  );
  return withCore((core) => {
    const table = allocate(core, rows * BYTES);
    const strides = [codes, levels].map(({ length, BYTES_PER_ELEMENT }) => (length > BYTES ? BYTES * BYTES_PER_ELEMENT : 0));
    const [places, all, shares, heights] = [codes, levels, clarities, HEIGHTS].map((array) => copyIn(core, array));
    core.makeTable(places!, strides[0]!, all!, strides[1]!, shares!, heights!, rows, table);
    return { rows, from, width, levels: bytesAt(core, table, rows * BYTES).slice() };
  });
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
    const apply = (first: number, count: number, across: number, down: number) =>
      core.applyAnnuli(at + first * grid.width, grid.width, count, across, down, table, rows, from / width + 0.5);
    const squares = (count: number, start: number, step: number, sun: number) => {
      const out = allocate(core, 4 * count + 32);
      core.squareDistances(count + 7, start, step, sun, width, out);
      return out;
    };
    if (!rowOf) {
      const down = squares(grid.height, grid.top, rowStepOf(grid), centre.y);
      apply(0, y1 - y0, squares(grid.width, grid.left, grid.step, centre.x), down + 4 * y0);
    }
    const nothing = rowOf ? copyIn(core, new Float32Array(1)) : 0;
    for (let row = y0; rowOf && row < y1; row++) {
      const mark = core.mark();
      const own = rowOf(row);
      const across = Float32Array.from({ length: Math.ceil(own.length / 8) * 8 }, (_, i) => (own[i] ?? 0) / width ** 2);
      apply(row - y0, 1, copyIn(core, across), nothing);
      core.release(mark);
    }
    part.set(bytesAt(core, at, part.length));
  });
}

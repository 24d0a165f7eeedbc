// A precinct during packet reading and code-block decoding: up to three subbands, each with its code-blocks and
// two tag trees (ISO/IEC 15444-1 B.6, B.7, B.10). Coordinates are in the subband of the tile-component.
import { allocZeroed } from './arena';
import { OUT_OF_MEMORY } from './status';
import { tagTreeNodes } from './tgt';

/** The bytes that one packet adds to one codeword segment of a code-block. */
@unmanaged
export class Piece {
  next: usize;
  /** Codestream offset of the first byte. */
  offset: u32;
  length: u32;
  passes: i32;
  /** Number of the codeword segment in its code-block, from 0. */
  segment: i32;
}

@unmanaged
export class Codeblock {
  x0: i32;
  y0: i32;
  x1: i32;
  y1: i32;
  /** Lblock of B.10.7.1, 3 at the start. */
  lblock: i32;
  /** Coding passes of all packets read so far. */
  passes: i32;
  zeroBitplanes: i32;
  included: bool;
  firstPiece: usize;
  lastPiece: usize;
}

@unmanaged
export class PrecinctBand {
  /** 0 LL, 1 HL, 2 LH, 3 HH. */
  orientation: i32;
  /** Mb (equation E-2) with the shift of a region of interest added. */
  bitplanes: i32;
  /** Code-blocks across and down. */
  columns: i32;
  rows: i32;
  codeblocks: usize;
  inclusionTree: usize;
  zeroBitplanesTree: usize;
}

/** The bands of a precinct follow it in memory. */
@unmanaged
export class Precinct {
  bandCount: i32;
}

const MOST_BANDS: usize = 3;

export function bandOf(precinct: Precinct, index: i32): PrecinctBand {
  return changetype<PrecinctBand>(changetype<usize>(precinct) + offsetof<Precinct>() + <usize>index * offsetof<PrecinctBand>());
}

export function codeblockOf(band: PrecinctBand, index: i32): Codeblock {
  return changetype<Codeblock>(band.codeblocks + <usize>index * offsetof<Codeblock>());
}

/** A new precinct without subbands; 0 when out of memory. */
export function openPrecinct(): usize {
  return allocZeroed(offsetof<Precinct>() + MOST_BANDS * offsetof<PrecinctBand>());
}

/**
 * Adds the part [x0,x1) x [y0,y1) of a subband, split into code-blocks of 2^log2Width x 2^log2Height anchored at 0. An empty
 * part has no code-blocks. At most three subbands, in the order of B.9 (LL, or HL, LH, HH). Coordinates are at most 2^30.
 * `bitplanes` is Mb (equation E-2) with the shift of a region of interest added. Returns 0 or a status.
 */
export function addBand(
  p: usize, orientation: i32, x0: i32, y0: i32, x1: i32, y1: i32, log2Width: i32, log2Height: i32, bitplanes: i32,
): i32 {
  const precinct = changetype<Precinct>(p);
  const band = bandOf(precinct, precinct.bandCount++);
  band.orientation = orientation;
  band.bitplanes = bitplanes;
  if (x1 <= x0 || y1 <= y0) return 0;

  const column0 = x0 >> log2Width;
  const row0 = y0 >> log2Height;
  band.columns = ((x1 - 1) >> log2Width) - column0 + 1;
  band.rows = ((y1 - 1) >> log2Height) - row0 + 1;
  const count = <i64>band.columns * <i64>band.rows;
  if (count > 1 << 22) return OUT_OF_MEMORY;
  const trees = <usize>tagTreeNodes(band.columns, band.rows) << 2;
  band.codeblocks = allocZeroed(<usize>count * offsetof<Codeblock>());
  band.inclusionTree = allocZeroed(trees);
  band.zeroBitplanesTree = allocZeroed(trees);
  if (!band.codeblocks || !band.inclusionTree || !band.zeroBitplanesTree) return OUT_OF_MEMORY;
  for (let row = 0, i = 0; row < band.rows; row++) {
    for (let column = 0; column < band.columns; column++, i++) {
      const block = codeblockOf(band, i);
      block.x0 = max(x0, (column0 + column) << log2Width);
      block.y0 = max(y0, (row0 + row) << log2Height);
      block.x1 = min(x1, (column0 + column + 1) << log2Width);
      block.y1 = min(y1, (row0 + row + 1) << log2Height);
      block.lblock = 3;
    }
  }
  return 0;
}

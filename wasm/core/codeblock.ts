// Decodes one code-block: assembles its codeword segments from the packets and runs the coding passes.
import { alloc, mark, release } from './arena';
import { bioOpen } from './bio';
import { CONTEXT_UNIFORM, mqDecode, mqOpen, mqResetContexts, SEGMENT_PADDING } from './mqc';
import { Codeblock, Piece, PrecinctBand } from './precinct';
import { BYTES_MISSING, OUT_OF_MEMORY } from './status';
import { cleanupPass, refinementPass, significancePass, t1Fits, t1Open } from './t1';
import { BYPASS, RESET, SEGMENTATION_SYMBOLS } from './t2';

/** One byte range of the codestream that is in memory. The table is sorted by `start`. */
@unmanaged
class Range {
  start: u32;
  length: u32;
  address: u32;
}

let ranges: usize = 0;
let rangeCount: i32 = 0;
let lastRange: i32 = 0;

/** Coded bytes of all code-blocks decoded so far, modulo 2^32: the measure of their cost. */
export let decodedBytes: u32 = 0;

/** Sets the table of byte ranges: `count` times codestream offset, length, address, each u32, sorted by offset. */
export function setRanges(table: usize, count: i32): void {
  ranges = table;
  rangeCount = count;
  lastRange = 0;
}

/** Address of [offset, offset + length), or 0 when no range contains all of it. */
function locate(offset: u32, length: u32): usize {
  for (let tried = 0; tried < rangeCount; tried++) {
    const range = changetype<Range>(ranges + <usize>lastRange * offsetof<Range>());
    if (offset >= range.start && <u64>offset + length <= <u64>range.start + range.length) return <usize>(range.address + (offset - range.start));
    if (++lastRange == rangeCount) lastRange = 0;
  }
  return 0;
}

/**
 * Decodes `block` of `band` into COEFFICIENTS; readPacket guarantees that its passes fit its bit-planes. Returns 1, 0 when
 * it has no coding passes, or a status below 0.
 */
export function decodeCodeblock(block: Codeblock, band: PrecinctBand, style: i32): i32 {
  if (block.passes == 0) return 0;
  const w = block.x1 - block.x0;
  const h = block.y1 - block.y0;
  let plane = band.bitplanes - block.zeroBitplanes;
  if (!t1Fits(w, h)) return OUT_OF_MEMORY;

  let total: u64 = 0;
  for (let q = block.firstPiece; q; q = changetype<Piece>(q).next) total += changetype<Piece>(q).length;
  if (total > 0x7fffffff) return BYTES_MISSING;
  decodedBytes += <u32>total;
  const before = mark();
  const bytes = alloc(<usize>total + SEGMENT_PADDING);
  if (!bytes) return OUT_OF_MEMORY;

  t1Open(w, h, band.orientation, style);
  mqResetContexts();
  // 0 significance propagation, 1 refinement, 2 cleanup.
  let kind = 2;
  let pass = 0;
  let q = block.firstPiece;
  while (q) {
    const segment = changetype<Piece>(q).segment;
    let passes = 0;
    let length: usize = 0;
    for (; q && changetype<Piece>(q).segment == segment; q = changetype<Piece>(q).next) {
      const piece = changetype<Piece>(q);
      passes += piece.passes;
      if (!piece.length) continue;
      const from = locate(piece.offset, piece.length);
      if (!from) {
        release(before);
        return BYTES_MISSING;
      }
      memory.copy(bytes + length, from, piece.length);
      length += piece.length;
    }
    const raw = (style & BYPASS) != 0 && pass >= 10 && kind != 2;
    // The encoder's termination assumes ones after the end.
    if (raw) bioOpen(bytes, bytes + length, 0xff);
    else mqOpen(bytes, length);
    for (let i = 0; i < passes; i++, pass++) {
      if (kind == 0) significancePass(plane, raw);
      else if (kind == 1) refinementPass(plane, raw);
      else {
        cleanupPass(plane);
        if (style & SEGMENTATION_SYMBOLS) for (let symbol = 0; symbol < 4; symbol++) mqDecode(CONTEXT_UNIFORM);
        plane--;
      }
      kind = kind == 2 ? 0 : kind + 1;
      if (style & RESET) mqResetContexts();
    }
  }
  release(before);
  return 1;
}

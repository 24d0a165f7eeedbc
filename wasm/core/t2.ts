// Packet headers (ISO/IEC 15444-1 B.10): which code-blocks a packet adds to, how many coding passes, and where their bytes are.
import { alloc } from './arena';
import { bioClose, bioOpen, bioOverrun, bit, bits } from './bio';
import { bandOf, Codeblock, codeblockOf, Piece, Precinct, PrecinctBand } from './precinct';
import { BAD_BITPLANES, BAD_LENGTH, BAD_PASSES, HEADER_TRUNCATED, OUT_OF_MEMORY, TOO_MANY_BITPLANES } from './status';
import { tagTreeDecode } from './tgt';

/** Code-block style bits of table A.19. */
export const BYPASS: i32 = 1;
export const RESET: i32 = 2;
export const TERMALL: i32 = 4;
export const VERTICALLY_CAUSAL: i32 = 8;
export const SEGMENTATION_SYMBOLS: i32 = 32;

/** No subband has so many bit-planes: 7 guard bits, exponent 31, ROI shift 255 (equation E-2, H.1). */
const BEYOND_ZERO_BITPLANES: i32 = 7 + 31 + 255;

/** Doubled magnitudes have 31 bits. */
const MOST_BITPLANES: i32 = 30;

/** First coding pass that bypasses the arithmetic coder, counted from 0 (table D.9). */
const FIRST_BYPASSED_PASS: i32 = 10;

/** Distance of two pieces in the arena: the size of one, rounded up as `alloc` does. */
const PIECE_STRIDE: usize = (offsetof<Piece>() + 15) & ~15;

/** Bytes of the body of the packet that `readPacket` read last. */
export let packetBodyLength: u32 = 0;

/** Number of coding passes (table B.4). */
function codingPasses(): i32 {
  if (!bit()) return 1;
  if (!bit()) return 2;
  let value = bits(2);
  if (value < 3) return 3 + <i32>value;
  value = bits(5);
  if (value < 31) return 6 + <i32>value;
  return 37 + <i32>bits(7);
}

/** Passes from `pass` to the end of its codeword segment, at most `remaining` (table D.8, D.9). */
function passesInSegment(pass: i32, remaining: i32, style: i32): i32 {
  if (style & TERMALL) return 1;
  if (!(style & BYPASS)) return remaining;
  if (pass < FIRST_BYPASSED_PASS) return min(remaining, FIRST_BYPASSED_PASS - pass);
  const raw = (pass - FIRST_BYPASSED_PASS) % 3;
  return raw == 2 ? 1 : min(remaining, 2 - raw);
}

/** Number of the codeword segment that holds coding pass `pass`. */
function segmentOf(pass: i32, style: i32): i32 {
  if (style & TERMALL) return pass;
  if (!(style & BYPASS) || pass < FIRST_BYPASSED_PASS) return 0;
  const past = pass - FIRST_BYPASSED_PASS;
  return 1 + (past / 3) * 2 + i32(past % 3 == 2);
}

function append(block: Codeblock, length: u32, passes: i32, segment: i32): bool {
  const at = alloc(offsetof<Piece>());
  if (!at) return false;
  const piece = changetype<Piece>(at);
  piece.next = 0;
  piece.length = length;
  piece.passes = passes;
  piece.segment = segment;
  if (block.lastPiece) changetype<Piece>(block.lastPiece).next = at;
  else block.firstPiece = at;
  block.lastPiece = at;
  return true;
}

/** Reads the entry of one code-block in a packet header. Returns 0 or a status. */
function readCodeblock(band: PrecinctBand, index: i32, layer: i32, style: i32): i32 {
  const block = codeblockOf(band, index);
  const x = index % band.columns;
  const y = index / band.columns;
  if (block.included) {
    if (!bit()) return 0;
  } else {
    if (tagTreeDecode(band.inclusionTree, band.columns, band.rows, x, y, layer + 1) < 0) return 0;
    // A node is known before its child is read, so that one call is equivalent to calls with rising thresholds.
    const zero = tagTreeDecode(band.zeroBitplanesTree, band.columns, band.rows, x, y, BEYOND_ZERO_BITPLANES);
    if (bioOverrun()) return HEADER_TRUNCATED;
    if (zero < 0 || zero >= band.bitplanes) return BAD_BITPLANES;
    if (band.bitplanes - zero > MOST_BITPLANES) return TOO_MANY_BITPLANES;
    block.included = true;
    block.zeroBitplanes = zero;
  }
  let passes = codingPasses();
  if (bioOverrun()) return HEADER_TRUNCATED;
  if (block.passes + passes > 3 * (band.bitplanes - block.zeroBitplanes) - 2) return BAD_PASSES;
  while (bit()) {
    if (++block.lblock > 32) return BAD_LENGTH;
  }
  while (passes > 0) {
    const count = passesInSegment(block.passes, passes, style);
    const lengthBits = block.lblock + 31 - clz(count);
    if (lengthBits > 32) return BAD_LENGTH;
    if (!append(block, bits(lengthBits), count, segmentOf(block.passes, style))) return OUT_OF_MEMORY;
    block.passes += count;
    passes -= count;
  }
  return bioOverrun() ? HEADER_TRUNCATED : 0;
}

/**
 * Reads the packet header of `layer` at [start, end), with its SOP and EPH marker segments, if any.
 * `offset` is the codestream offset of the header when the body follows it, or of the body when `packed`.
 * Returns the bytes of the header, or a status below 0; `packetBodyLength` has the bytes of the body.
 */
export function readPacket(p: usize, layer: i32, style: i32, start: usize, end: usize, offset: u32, packed: bool): i32 {
  let from = start;
  if (start + 6 <= end && load<u16>(start) == 0x91ff) from += 6;
  bioOpen(from, end, 0);
  const precinct = changetype<Precinct>(p);
  // Segments of this packet are contiguous in the arena, because nothing else is allocated meanwhile.
  const firstPiece = alloc(0);
  if (bit()) {
    for (let b = 0; b < precinct.bandCount; b++) {
      const band = bandOf(precinct, b);
      const count = band.columns * band.rows;
      for (let i = 0; i < count; i++) {
        const status = readCodeblock(band, i, layer, style);
        if (status < 0) return status;
      }
    }
  }
  if (bioOverrun()) return HEADER_TRUNCATED;
  let stop = bioClose();
  if (stop + 2 <= end && load<u16>(stop) == 0x92ff) stop += 2;

  const headerLength = <u32>(stop - start);
  let at: u64 = <u64>offset + (packed ? 0 : headerLength);
  const bodyStart = at;
  const lastPiece = alloc(0);
  for (let q = firstPiece; q < lastPiece; q += PIECE_STRIDE) {
    const piece = changetype<Piece>(q);
    piece.offset = <u32>at;
    at += piece.length;
  }
  if (at > 0xffffffff) return BAD_LENGTH;
  packetBodyLength = <u32>(at - bodyStart);
  return <i32>headerLength;
}

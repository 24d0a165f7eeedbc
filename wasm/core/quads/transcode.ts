// Transcodes a code-block of a precinct from the MQ code to the quad code, and checks that nothing is lost.
import { decodeCodeblock } from '../codeblock';
import { bandOf, codeblockOf, Precinct } from '../precinct';
import { dequantise } from '../quant';
import { BAD_QUADS, NOT_FOR_QUADS } from '../status';
import { decodeQuads } from './decode';
import { encodeQuads, quadBytes, quadFlags } from './encode';

/** Samples of the block from either code, with the step size 1. */
const SAMPLES: usize = memory.data(4096 * 4, 16);
const SAMPLES_AGAIN: usize = memory.data(4096 * 4, 16);

/**
 * Transcodes code-block `index` of subband `b` of precinct `p`. Returns the number of bytes at `quadBytes()`, 0 when no coding pass of the
 * block is in the codestream, or a status below 0: NOT_FOR_QUADS for magnitudes beyond the code, BAD_QUADS when the result differs.
 */
export function transcodeBlock(p: usize, b: i32, index: i32, style: i32): i32 {
  const band = bandOf(changetype<Precinct>(p), b);
  if (index < 0 || index >= band.columns * band.rows) return NOT_FOR_QUADS;
  const block = codeblockOf(band, index);
  const status = decodeCodeblock(block, band, style);
  if (status <= 0) return status;
  const w = block.x1 - block.x0;
  const h = block.y1 - block.y0;
  const length = encodeQuads(w, h, block.passes, band.bitplanes - block.zeroBitplanes);
  if (length == 0) return NOT_FOR_QUADS;
  const stride = <usize>w << 2;
  dequantise(w, 0, 0, w, h, SAMPLES, stride, false, 1);
  const decoded = decodeQuads(quadBytes(), length, w, h, quadFlags, 0, 0, w, h, SAMPLES_AGAIN, stride, false, 1);
  return decoded < 0 || memory.compare(SAMPLES, SAMPLES_AGAIN, stride * <usize>h) ? BAD_QUADS : length;
}

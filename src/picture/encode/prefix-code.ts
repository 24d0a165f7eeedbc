// Canonical prefix codes of bounded length (Huffman), as JPEG and lossless WebP use them.
import { allocate, bytesAt, copyIn, withCore } from '../../jp2/core/core.ts';

/**
 * Codes of at most 288 symbols with these counts, each below 2^23, in at most `longest` bits (16 or fewer): length << 16 | code, 0 for absent
 * symbols. A single symbol has one bit. `first`: which bit of a code is written first. The last of the rarest symbols gets one of the longest codes.
 */
export const prefixCodes = (counts: Uint32Array, longest: number, first: 'lowest' | 'highest'): Uint32Array =>
  withCore((core) => {
    const [from, codes] = [copyIn(core, counts), allocate(core, counts.byteLength)];
    core.prefixCode(from, counts.length, longest, Number(first === 'lowest'), codes);
    return new Uint32Array(bytesAt(core, codes, counts.byteLength).slice().buffer);
  });

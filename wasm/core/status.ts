// Status codes of the exports for streams that cannot be decoded. src/jp2/core/core.ts maps them to errors.

export const OUT_OF_MEMORY: i32 = -1;
/** A packet header runs past its bytes. */
export const HEADER_TRUNCATED: i32 = -2;
/** A codeword segment length or Lblock beyond 32 bits. */
export const BAD_LENGTH: i32 = -3;
/** As many zero bit-planes as the subband has bit-planes, or more. */
export const BAD_BITPLANES: i32 = -4;
/** A codeword segment lies outside the byte ranges of setRanges. */
export const BYTES_MISSING: i32 = -5;
/** More coding passes than the bit-planes of the code-block allow. */
export const BAD_PASSES: i32 = -6;
/** More than the 30 magnitude bit-planes that are supported. */
export const TOO_MANY_BITPLANES: i32 = -7;
/** A block of the quad code that is damaged. */
export const BAD_QUADS: i32 = -8;
/** A code-block that the quad code cannot hold. */
export const NOT_FOR_QUADS: i32 = -9;

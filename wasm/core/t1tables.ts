// Context look-ups of the coding passes (ISO/IEC 15444-1 D.3). Each entry is the byte offset of a context word in CONTEXTS.

/**
 * Zero coding, table D.1: 512 neighbourhoods for each of the four orientations. Bits of an index: 0 NW, 1 N, 2 NE, 3 W,
 * 4 unused, 5 E, 6 SW, 7 S, 8 SE.
 */
export const ZERO_CODING: usize = memory.data(4 * 512);

/**
 * Sign coding, tables D.2 and D.3: context offset | XOR bit. Bits of an index: 1 N, 3 W, 5 E, 7 S are significant; 0 W,
 * 4 N, 2 E, 6 S are negative.
 */
export const SIGN_CODING: usize = memory.data(256);

function zeroCodingContext(orientation: i32, f: i32): i32 {
  let h = ((f >> 3) & 1) + ((f >> 5) & 1);
  let v = ((f >> 1) & 1) + ((f >> 7) & 1);
  const d = (f & 1) + ((f >> 2) & 1) + ((f >> 6) & 1) + ((f >> 8) & 1);
  if (orientation == 3) {
    const hv = h + v;
    if (d >= 3) return 8;
    if (d == 2) return hv ? 7 : 6;
    return (d == 1 ? 3 : 0) + min(hv, 2);
  }
  if (orientation == 1) {
    const t = h;
    h = v;
    v = t;
  }
  if (h == 2) return 8;
  if (h == 1) return v ? 7 : d ? 6 : 5;
  return v == 2 ? 4 : v == 1 ? 3 : min(d, 2);
}

function signCodingEntry(f: i32): i32 {
  const west = f & 8 ? (f & 1 ? -1 : 1) : 0;
  const east = f & 32 ? (f & 4 ? -1 : 1) : 0;
  const north = f & 2 ? (f & 16 ? -1 : 1) : 0;
  const south = f & 128 ? (f & 64 ? -1 : 1) : 0;
  // Contributions of opposite neighbours (table D.2).
  let h = max(-1, min(1, west + east));
  let v = max(-1, min(1, north + south));
  const flip = i32(h < 0 || (h == 0 && v < 0));
  if (flip) {
    h = -h;
    v = -v;
  }
  const context = h == 0 ? 9 + v : 12 + v;
  return (context << 3) | flip;
}

for (let orientation = 0; orientation < 4; orientation++) {
  for (let f = 0; f < 512; f++) store<u8>(ZERO_CODING + (<usize>orientation << 9) + f, <u8>(zeroCodingContext(orientation, f) << 3));
}
for (let f = 0; f < 256; f++) store<u8>(SIGN_CODING + f, <u8>signCodingEntry(f));

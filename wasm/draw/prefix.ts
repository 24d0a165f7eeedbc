// Canonical prefix codes of bounded length (Huffman), as deflate, lossless WebP and JPEG use them.

/** Room for the symbols of one code. */
const MOST = 288;
/** Base-2 logarithm of the room for a symbol in a key of its count and itself. */
const SYMBOL_BITS = 9;
const SYMBOL_MASK = (1 << SYMBOL_BITS) - 1;

/** Digits by which keys are sorted: four have the 23 bits of a count. */
const DIGIT_BITS = 6;
const DIGIT_MASK = (1 << DIGIT_BITS) - 1;

const KEYS = memory.data(4 * MOST, 16);
const WEIGHTS = memory.data(4 * MOST, 16);
const PLACES = memory.data(4 << DIGIT_BITS, 16);
/** Numbers of codes, and the next code, of each length up to 31. */
const LENGTHS = memory.data(4 * 32, 16);
const NEXT = memory.data(4 * 32, 16);

@inline
function at(table: usize, index: i32): u32 {
  return load<u32>(table + (<usize>index << 2));
}

@inline
function set(table: usize, index: i32, value: u32): void {
  store<u32>(table + (<usize>index << 2), value);
}

@inline
export function increment(table: usize, index: u32): void {
  const place = table + (<usize>index << 2);
  store<u32>(place, load<u32>(place) + 1);
}

/** Sorts keys from one table to another by the digit at `shift`, and leaves the order of equal digits. */
function sortBy(shift: u32, from: usize, to: usize, used: i32): void {
  memory.fill(PLACES, 0, 4 << DIGIT_BITS);
  for (let i = 0; i < used; i++) increment(PLACES, (at(from, i) >> shift) & DIGIT_MASK);
  for (let digit = 0, place: u32 = 0; digit <= DIGIT_MASK; digit++) {
    const count = at(PLACES, digit);
    set(PLACES, digit, place);
    place += count;
  }
  for (let i = 0; i < used; i++) {
    const key = at(from, i);
    const digit = <i32>((key >> shift) & DIGIT_MASK);
    const place = at(PLACES, digit);
    set(PLACES, digit, place + 1);
    set(to, place, key);
  }
}

/** Keys of the symbols that occur, the rarest first, and of these the last: the last of the rarest gets one of the longest codes. @returns their number */
function sorted(counts: usize, symbols: i32): i32 {
  let used = 0;
  for (let symbol = symbols - 1; symbol >= 0; symbol--) {
    const count = at(counts, symbol);
    if (count) set(KEYS, used++, (count << SYMBOL_BITS) | (SYMBOL_MASK - symbol));
  }
  for (let shift = SYMBOL_BITS; shift < 32; shift += 2 * DIGIT_BITS) {
    sortBy(shift, KEYS, WEIGHTS, used);
    sortBy(shift + DIGIT_BITS, WEIGHTS, KEYS, used);
  }
  return used;
}

/** Numbers of codes of each length for `used` keys, two at least, by the method of Moffat and Katajainen (1995). */
function countLengths(used: i32): void {
  for (let i = 0; i < used; i++) set(WEIGHTS, i, at(KEYS, i) >> SYMBOL_BITS);
  let root = 0;
  let leaf = 0;
  for (let next = 0; next < used - 1; next++) {
    let sum: u32 = 0;
    for (let child = 0; child < 2; child++)
      if (leaf >= used || (root < next && at(WEIGHTS, root) < at(WEIGHTS, leaf))) {
        sum += at(WEIGHTS, root);
        set(WEIGHTS, root++, next);
      } else sum += at(WEIGHTS, leaf++);
    set(WEIGHTS, next, sum);
  }
  set(WEIGHTS, used - 2, 0);
  for (let next = used - 3; next >= 0; next--) set(WEIGHTS, next, at(WEIGHTS, <i32>at(WEIGHTS, next)) + 1);
  memory.fill(LENGTHS, 0, 4 * 32);
  root = used - 2;
  for (let places = 1, depth = 0; places > 0; depth++) {
    let inner = 0;
    for (; root >= 0 && at(WEIGHTS, root) == depth; root--) inner++;
    set(LENGTHS, min(depth, 31), at(LENGTHS, min(depth, 31)) + places - inner);
    places = 2 * inner;
  }
}

/** Shortens codes to `longest` bits by making others longer. */
function limitLengths(longest: i32): void {
  for (let length = longest + 1; length < 32; length++) set(LENGTHS, longest, at(LENGTHS, longest) + at(LENGTHS, length));
  let total: u32 = 0;
  for (let length = 1; length <= longest; length++) total += at(LENGTHS, length) << (longest - length);
  for (; total > <u32>1 << longest; total--) {
    set(LENGTHS, longest, at(LENGTHS, longest) - 1);
    let length = longest - 1;
    while (!at(LENGTHS, length)) length--;
    set(LENGTHS, length, at(LENGTHS, length) - 1);
    set(LENGTHS, length + 1, at(LENGTHS, length + 1) + 2);
  }
}

/** The lowest 16 bits from the last to the first. */
@inline
function reversed(bits: u32): u32 {
  bits = ((bits & 0x5555) << 1) | ((bits >> 1) & 0x5555);
  bits = ((bits & 0x3333) << 2) | ((bits >> 2) & 0x3333);
  bits = ((bits & 0x0f0f) << 4) | ((bits >> 4) & 0x0f0f);
  return ((bits & 0xff) << 8) | (bits >> 8);
}

/**
 * Code of each of at most 288 symbols in at most `longest` bits: length << 16 | code, 0 for one that does not occur. One alone has one bit.
 * `counts`, each below 2^23, and `codes` have four bytes a symbol. `turned`: the first bit of a code is its lowest, else its highest.
 */
export function prefixCode(counts: usize, symbols: i32, longest: i32, turned: i32, codes: usize): void {
  let used = sorted(counts, symbols);
  if (used > 1) {
    countLengths(used);
    limitLengths(longest);
  } else {
    memory.fill(LENGTHS, 0, 4 * 32);
    set(LENGTHS, 1, used);
  }
  memory.fill(codes, 0, <usize>symbols << 2);
  for (let length = 1, code: u32 = 0; length <= longest; length++) {
    set(NEXT, length, code);
    const count = at(LENGTHS, length);
    for (let i: u32 = 0; i < count; i++) set(codes, SYMBOL_MASK - (at(KEYS, --used) & SYMBOL_MASK), length << 16);
    code = (code + count) << 1;
  }
  for (let symbol = 0; symbol < symbols; symbol++) {
    const length = at(codes, symbol) >> 16;
    if (!length) continue;
    const code = at(NEXT, length);
    set(NEXT, length, code + 1);
    const bits = turned ? reversed(code) >> (16 - length) : code;
    set(codes, symbol, (length << 16) | bits);
  }
}

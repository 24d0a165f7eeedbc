// QR codes of addresses: bytes with the error correction M, which allows for 15 % of damage (ISO/IEC 18004). The libraries are three times as
// large, because they have all kinds of text and correction.

const numbers = (text: string) => text.split(' ').map(Number);
/** Codewords of the correction of a block, and blocks, of each version from 1 on. Versions from 22 on have 28 codewords. */
const CORRECTION = numbers('10 16 26 18 24 16 18 22 22 26 30 22 22 24 24 28 28 26 26 26 26');
const BLOCKS = numbers(
  '1 1 1 2 2 4 4 4 5 5 5 8 9 9 10 10 11 13 14 16 17 17 18 20 21 23 25 26 28 29 31 33 35 37 38 40 43 45 47 49',
);

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

/** Product in the field of 256 elements. */
const times = (a: number, b: number) =>
  range(8).reduce((product, i) => (product << 1) ^ ((product >> 7) * 0x11d) ^ (((b >> (7 - i)) & 1) * a), 0);

/** The codewords of Reed and Solomon that correct others. */
function correctionOf(data: readonly number[], count: number): number[] {
  const divisor = [...Array<number>(count - 1).fill(0), 1];
  for (let i = 0, root = 1; i < count; i += 1, root = times(root, 2))
    for (const j of range(count)) divisor[j] = times(divisor[j]!, root) ^ (divisor[j + 1] ?? 0);
  const divide = (rest: readonly number[], byte: number) =>
    divisor.map((factor, i) => times(factor, byte ^ rest[0]!) ^ (rest[i + 1] ?? 0));
  return data.reduce(divide, Array<number>(count).fill(0));
}

/** A number with the bits of a BCH code after it. */
const withCheck = (value: number, polynomial: number, bits: number) =>
  (value << bits) | range(bits).reduce((rest) => (rest << 1) ^ ((rest >> (bits - 1)) * polynomial), value);

/** The codewords of bytes, block by block in turns; null where a version has no room for them. */
function codewordsOf(bytes: Uint8Array, version: number, all: number): number[] | null {
  const [correction, blocks] = [CORRECTION[version - 1] ?? 28, BLOCKS[version - 1]!];
  const room = all - correction * blocks;
  const count = [bytes.length >> 8, bytes.length & 255].slice(version < 10 ? 1 : 0);
  if (bytes.length + count.length + 1 > room) return null;
  // The mode and the end have half a codeword each, so that all bytes lie across two.
  const halves = [4, ...[...count, ...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0];
  const words = range(halves.length / 2).map((i) => (halves[2 * i]! << 4) | halves[2 * i + 1]!);
  const data = [...words, ...range(room - words.length).map((i) => (i % 2 === 0 ? 0xec : 0x11))];
  const startOf = (block: number) => block * Math.floor(room / blocks) + Math.max(0, block - blocks + (room % blocks));
  const parts = range(blocks).map((i) => data.slice(startOf(i), startOf(i + 1)));
  const checks = parts.map((part) => correctionOf(part, correction));
  return [parts, checks].flatMap((lists) => range(room).flatMap((i) => lists.flatMap((list) => list[i] ?? [])));
}

/** The modules that every code of a version has, and null for those of the codewords. */
function patterns(version: number): (number | null)[][] {
  const size = 17 + 4 * version;
  const rows: (number | null)[][] = range(size).map(() => Array<null>(size).fill(null));
  const set = (x: number, y: number, dark: boolean | number) => {
    if (rows[y]?.[x] !== undefined) rows[y][x] = Number(dark);
  };
  const both = (x: number, y: number, dark: boolean | number) => {
    set(x, y, dark);
    set(y, x, dark);
  };
  const square = (atX: number, atY: number, reach: number, light: readonly number[]) => {
    const side = range(2 * reach + 1).map((i) => i - reach);
    for (const y of side) for (const x of side) set(atX + x, atY + y, !light.includes(Math.max(Math.abs(x), Math.abs(y))));
  };
  for (const i of range(size)) both(6, i, i % 2 === 0);
  const far = size - 4;
  square(3, 3, 4, [2, 4]);
  square(far, 3, 4, [2, 4]);
  square(3, far, 4, [2, 4]);
  const count = version > 1 ? Math.floor(version / 7) + 2 : 0;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const places = range(count).map((i) => (i === 0 ? 6 : far - 3 - (i - 1) * step));
  // The three corners have none.
  const isFree = (x: number, y: number) => Math.min(x, y) > 6 || (Math.max(x, y) > 6 && Math.max(x, y) < far - 3);
  for (const y of places) for (const x of places) if (isFree(x, y)) square(x, y, 2, [1]);
  const about = withCheck(version, 0x1f25, 12);
  for (const i of range(version < 7 ? 0 : 18)) both(size - 11 + (i % 3), Math.floor(i / 3), (about >> i) & 1);
  // Correction M and mask 0.
  const format = withCheck(0, 0x537, 10) ^ 0x5412;
  for (const i of range(15)) {
    const bit = (format >> i) & 1;
    set(8, i < 6 ? i : i < 8 ? i + 1 : size - 15 + i, bit);
    set(i < 8 ? size - 1 - i : i === 8 ? 7 : 14 - i, 8, bit);
  }
  set(8, size - 8, 1);
  return rows;
}

/** Rows of modules, 1 for a dark one, without the light margin of four modules. @throws RangeError for more than 2331 bytes */
export function qrCode(text: string): readonly (readonly number[])[] {
  const bytes = new TextEncoder().encode(text);
  for (const version of range(BLOCKS.length).map((i) => i + 1)) {
    const rows = patterns(version);
    const last = rows.length - 1;
    const places = range(last / 2).flatMap((pair) => {
      const right = last - 2 * pair - (last - 2 * pair <= 6 ? 1 : 0);
      return range(last + 1).flatMap((i) => [right, right - 1].map((x) => [x, pair % 2 === 0 ? last - i : i] as const));
    });
    const free = places.filter(([x, y]) => rows[y]![x] === null);
    const words = codewordsOf(bytes, version, Math.floor(free.length / 8));
    if (!words) continue;
    for (const [i, [x, y]] of free.entries()) rows[y]![x] = (((words[i >> 3] ?? 0) >> (7 - (i & 7))) ^ (x + y + 1)) & 1;
    return rows as number[][];
  }
  throw new RangeError('A QR code has at most 2331 bytes.');
}

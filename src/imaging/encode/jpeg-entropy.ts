// Entropy coding of baseline JPEG (ISO/IEC 10918-1, F.1.2) with Huffman tables made for the picture. Coefficients are kept
// as tokens until the end, or until there are so many that the tables can be made from those that there are.
import { canonicalCodes, codeLengths } from './prefix-code.ts';

const LONGEST_CODE = 16;

/** A token: the symbol in 8 bits, its table in the next 8, in the upper half the bits that follow the symbol. */
const TABLE_SHIFT = 8;
const EXTRA_SHIFT = 16;

const CHUNK_TOKENS = 1 << 16;
/** Tokens that wait for their tables: 16 MB, more than a frame of 4096 x 4096 needs at quality 80. */
const WAITING_CHUNKS = 64;
const CHUNK_BYTES = 1 << 18;

/** Room that the longest token needs at the end of a chunk of bytes: 16 + 11 bits and what waits, each byte stuffed. */
const BYTES_BEFORE_FLUSH = 16;

const END_OF_BLOCK = 0x00;
const SIXTEEN_ZEROS = 0xf0;

/** Symbols that baseline coding knows: sizes 0..11 of DC; runs 0..15 with sizes 1..10 of AC, and the two above. */
const DC_SYMBOLS = Array.from({ length: 12 }, (_, size) => size);
const AC_SYMBOLS = Array.from({ length: 256 }, (_, symbol) => symbol).filter((symbol) => {
  const size = symbol & 15;
  return (size >= 1 && size <= 10) || symbol === END_OF_BLOCK || symbol === SIXTEEN_ZEROS;
});

/** Symbols with their code lengths, by length and then symbol: what DHT says (B.2.4.2). */
export interface HuffmanTable {
  readonly isAc: boolean;
  readonly lengths: Uint8Array;
}

/** A table for `counts`. A last symbol that is never written takes the code of ones alone, which the format forbids. */
function makeTable(counts: Uint32Array, isAc: boolean): HuffmanTable & { codes: Uint16Array } {
  const lengths = codeLengths([...counts, 1], LONGEST_CODE);
  return { isAc, lengths: lengths.subarray(0, 256), codes: canonicalCodes(lengths) };
}

/** Blocks of quantised coefficients to entropy-coded bytes. Tables: DC and AC of luminance, then of chrominance. */
export class JpegEntropyCoder {
  readonly #counts: readonly Uint32Array[];
  #tables: readonly (HuffmanTable & { codes: Uint16Array })[] | null = null;
  readonly #waiting: Uint32Array[] = [];
  #tokens = new Uint32Array(CHUNK_TOKENS);
  #filled = 0;
  readonly #parts: Uint8Array[] = [];
  #bytes = new Uint8Array(CHUNK_BYTES);
  #at = 0;
  #pending = 0;
  #pendingBits = 0;

  /** `kinds`: 1 for luminance alone, 2 with chrominance. */
  constructor(kinds: 1 | 2) {
    this.#counts = Array.from({ length: kinds * 2 }, () => new Uint32Array(256));
  }

  /** Takes a block in zigzag order; `dcDifference` is its first coefficient less that of the block before of its component. */
  addBlock(zigzag: Int32Array, dcDifference: number, kind: 0 | 1): void {
    this.#addToken(kind * 2, 0, dcDifference);
    const table = kind * 2 + 1;
    let last = 63;
    while (last > 0 && zigzag[last] === 0) last--;
    let zeros = 0;
    for (let i = 1; i <= last; i++) {
      const value = zigzag[i] as number;
      if (value === 0) {
        zeros++;
        continue;
      }
      for (; zeros > 15; zeros -= 16) this.#addToken(table, 15, 0);
      this.#addToken(table, zeros, value);
      zeros = 0;
    }
    if (last < 63) this.#addToken(table, 0, 0);
    if (this.#filled > CHUNK_TOKENS - 128) this.#endChunk();
  }

  /** Symbol `run`/size (F.1.2.2) and the bits of `value` (F.1.2.1). */
  #addToken(table: number, run: number, value: number): void {
    const size = 32 - Math.clz32(Math.abs(value));
    const symbol = (run << 4) | size;
    const extra = value < 0 ? value + (1 << size) - 1 : value;
    this.#tokens[this.#filled++] = (extra << EXTRA_SHIFT) | (table << TABLE_SHIFT) | symbol;
    const counts = this.#counts[table] as Uint32Array;
    counts[symbol] = (counts[symbol] as number) + 1;
  }

  #endChunk(): void {
    const tokens = this.#tokens.subarray(0, this.#filled);
    this.#filled = 0;
    if (this.#tables) {
      this.#writeTokens(tokens, this.#tables);
      return;
    }
    this.#waiting.push(tokens);
    this.#tokens = new Uint32Array(CHUNK_TOKENS);
    if (this.#waiting.length === WAITING_CHUNKS) this.#fixTables(true);
  }

  /** Makes the tables and writes what waits for them; with `more` to come, every symbol gets a code. */
  #fixTables(more: boolean): readonly HuffmanTable[] {
    this.#tables = this.#counts.map((counts, i) => {
      const isAc = i % 2 === 1;
      if (more) for (const symbol of isAc ? AC_SYMBOLS : DC_SYMBOLS) counts[symbol] = (counts[symbol] as number) + 1;
      return makeTable(counts, isAc);
    });
    for (let tokens = this.#waiting.shift(); tokens; tokens = this.#waiting.shift()) this.#writeTokens(tokens, this.#tables);
    return this.#tables;
  }

  #writeTokens(tokens: Uint32Array, tables: readonly { lengths: Uint8Array; codes: Uint16Array }[]): void {
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i] as number;
      const symbol = token & 255;
      const { codes, lengths } = tables[(token >>> TABLE_SHIFT) & 255] as { lengths: Uint8Array; codes: Uint16Array };
      this.#writeBits(codes[symbol] as number, lengths[symbol] as number);
      this.#writeBits(token >>> EXTRA_SHIFT, symbol & 15);
    }
  }

  /** Bits from the most significant on, a zero byte behind each byte of ones (F.1.2.3). At most 16 bits. */
  #writeBits(value: number, count: number): void {
    this.#pending = (this.#pending << count) | value;
    this.#pendingBits += count;
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8;
      const byte = (this.#pending >>> this.#pendingBits) & 255;
      this.#bytes[this.#at++] = byte;
      if (byte === 0xff) this.#bytes[this.#at++] = 0;
    }
    if (this.#at > this.#bytes.length - BYTES_BEFORE_FLUSH) this.#endBytes();
  }

  #endBytes(): void {
    this.#parts.push(this.#bytes.subarray(0, this.#at));
    this.#bytes = new Uint8Array(CHUNK_BYTES);
    this.#at = 0;
  }

  /** The tables and the coded data, its last byte filled up with ones. */
  end(): { tables: readonly HuffmanTable[]; parts: readonly Uint8Array[] } {
    this.#endChunk();
    const tables = this.#tables ?? this.#fixTables(false);
    this.#writeBits(0x7f, 7);
    this.#pendingBits = 0;
    this.#endBytes();
    return { tables, parts: this.#parts };
  }
}

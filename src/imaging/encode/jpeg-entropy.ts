// Entropy coding of baseline JPEG (ISO/IEC 10918-1, F.1.2) with Huffman tables optimised for the picture. Coefficients are held as
// tokens until the end, or until there are enough of them to derive the tables from.
import { canonicalCodes, codeLengths } from './prefix-code.ts';

const LONGEST_CODE = 16;

/** A token: 8 bits of symbol, 8 bits of table number, and in the upper half the bits that follow the symbol. */
const TABLE_SHIFT = 8;
const EXTRA_SHIFT = 16;

const CHUNK_TOKENS = 1 << 16;
/** Chunks of tokens held until the tables exist: 16 MB, more than a frame of 4096 x 4096 needs at quality 80. */
const WAITING_CHUNKS = 64;
const CHUNK_BYTES = 1 << 18;

/** Room for the longest token at the end of a chunk: 16 + 11 bits and the pending bits, with every byte stuffed. */
const BYTES_BEFORE_FLUSH = 16;

const END_OF_BLOCK = 0x00;
const SIXTEEN_ZEROS = 0xf0;

/** Symbols of baseline coding: sizes 0..11 of DC; runs 0..15 with sizes 1..10 of AC, and the two above. */
const DC_SYMBOLS = Array.from({ length: 12 }, (_, size) => size);
const AC_SYMBOLS = Array.from({ length: 256 }, (_, symbol) => symbol).filter((symbol) => {
  const size = symbol & 15;
  return (size >= 1 && size <= 10) || symbol === END_OF_BLOCK || symbol === SIXTEEN_ZEROS;
});

/** Code lengths by symbol, from which DHT is written (B.2.4.2). */
export interface HuffmanTable {
  readonly isAc: boolean;
  readonly lengths: Uint8Array;
}

/** A table for `counts`. An extra symbol, never written, takes the code of all ones, which the format forbids. */
function makeTable(counts: Uint32Array, isAc: boolean): HuffmanTable & { codes: Uint16Array } {
  const lengths = codeLengths([...counts, 1], LONGEST_CODE);
  return { isAc, lengths: lengths.subarray(0, 256), codes: canonicalCodes(lengths) };
}

/** Codes blocks of quantised coefficients. Tables: DC and AC of luminance, then of chrominance. */
export class JpegEntropyCoder {
  readonly #counts: readonly Uint32Array[] = Array.from({ length: 4 }, () => new Uint32Array(256));
  #tables: readonly (HuffmanTable & { codes: Uint16Array })[] | null = null;
  readonly #waiting: Uint32Array[] = [];
  #tokens = new Uint32Array(CHUNK_TOKENS);
  #filled = 0;
  readonly #chunks: Uint8Array[] = [];
  #bytes = new Uint8Array(CHUNK_BYTES);
  #at = 0;
  #pending = 0;
  #pendingBits = 0;

  /** Codes a block in zigzag order. `dcDifference`: its DC coefficient minus that of the component's previous block. */
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

  /** Derives the tables and writes the waiting tokens. With `more` tokens to come, every symbol gets a code. */
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

  /** Writes at most 16 bits, most significant first, with a zero byte after each 0xff (F.1.2.3). */
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
    this.#chunks.push(this.#bytes.subarray(0, this.#at));
    this.#bytes = new Uint8Array(CHUNK_BYTES);
    this.#at = 0;
  }

  /** The tables and the coded data, whose last byte is padded with ones. */
  end(): { tables: readonly HuffmanTable[]; chunks: readonly Uint8Array[] } {
    this.#endChunk();
    const tables = this.#tables ?? this.#fixTables(false);
    this.#writeBits(0x7f, 7);
    this.#pendingBits = 0;
    this.#endBytes();
    return { tables, chunks: this.#chunks };
  }
}

// Entropy coding of baseline JPEG (ISO/IEC 10918-1, F.1.2) with Huffman tables optimised for the picture. Coefficients are held as
// tokens (wasm/draw/jpeg.ts) until the end, or until there are enough of them to derive the tables from.
import { allocate, bytesAt, copyIn, withCore } from '../core/core.ts';
import { canonicalCodes, codeLengths } from './prefix-code.ts';

const LONGEST_CODE = 16;

/** DC and AC of luminance, then of chrominance. */
const TABLES = 4;
const SYMBOLS = 256;

/** Tokens held until the tables exist: 16 MB, more than a frame of 4096 x 4096 needs at quality 80. */
const WAITING_TOKENS = 1 << 22;

/** Most bytes of a token: 16 + 11 bits and the pending ones, with every byte stuffed. */
const TOKEN_BYTES = 7;
const PENDING_BYTES = 8;

const END_OF_BLOCK = 0x00;
const SIXTEEN_ZEROS = 0xf0;

/** Symbols of baseline coding: sizes 0..11 of DC; runs 0..15 with sizes 1..10 of AC, and the two above. */
const DC_SYMBOLS = Array.from({ length: 12 }, (_, size) => size);
const AC_SYMBOLS = Array.from({ length: SYMBOLS }, (_, symbol) => symbol).filter((symbol) => {
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
  return { isAc, lengths: lengths.subarray(0, SYMBOLS), codes: canonicalCodes(lengths) };
}

/** Codes tokens with tables for all of them. */
export class JpegEntropyCoder {
  /** Occurrences of each symbol of each table; the tokens are counted where they are made. */
  readonly counts = new Uint32Array(TABLES * SYMBOLS);
  #tables: readonly HuffmanTable[] | null = null;
  /** Length << 16 | code, by table and symbol. */
  readonly #codes = new Uint32Array(TABLES * SYMBOLS);
  readonly #waiting: Uint32Array[] = [];
  #waitingTokens = 0;
  readonly #chunks: Uint8Array[] = [];
  /** Bits that are not a byte yet, and their number. */
  readonly #pending = new Uint32Array(2);

  /** Takes tokens, whose symbols are in `counts` already. */
  add(tokens: Uint32Array): void {
    if (this.#tables) {
      this.#write(tokens);
      return;
    }
    this.#waiting.push(tokens);
    this.#waitingTokens += tokens.length;
    if (this.#waitingTokens >= WAITING_TOKENS) this.#fixTables(true);
  }

  /** Derives the tables and writes the waiting tokens. With `more` tokens to come, every symbol gets a code. */
  #fixTables(more: boolean): readonly HuffmanTable[] {
    const tables = Array.from({ length: TABLES }, (_, i) => {
      const isAc = i % 2 === 1;
      const counts = this.counts.subarray(i * SYMBOLS, (i + 1) * SYMBOLS);
      if (more) for (const symbol of isAc ? AC_SYMBOLS : DC_SYMBOLS) counts[symbol] = (counts[symbol] as number) + 1;
      const { lengths, codes } = makeTable(counts, isAc);
      for (let symbol = 0; symbol < SYMBOLS; symbol++) {
        this.#codes[i * SYMBOLS + symbol] = ((lengths[symbol] as number) << 16) | (codes[symbol] as number);
      }
      return { isAc, lengths };
    });
    this.#tables = tables;
    for (let tokens = this.#waiting.shift(); tokens; tokens = this.#waiting.shift()) this.#write(tokens);
    return tables;
  }

  #write(tokens: Uint32Array): void {
    withCore((core) => {
      const [from, codes, pending] = [copyIn(core, tokens), copyIn(core, this.#codes), copyIn(core, this.#pending)];
      const out = allocate(core, tokens.length * TOKEN_BYTES + PENDING_BYTES);
      const bytes = core.jpegBits(from, tokens.length, codes, pending, out);
      this.#chunks.push(bytesAt(core, out, bytes).slice());
      this.#pending.set(new Uint32Array(core.memory.buffer, pending, 2));
    });
  }

  /** The tables and the coded data, whose last byte is padded with ones. */
  end(): { tables: readonly HuffmanTable[]; chunks: readonly Uint8Array[] } {
    const tables = this.#tables ?? this.#fixTables(false);
    const [bits = 0, held = 0] = this.#pending;
    if (held > 0) {
      const byte = ((bits << (8 - held)) | (0xff >> held)) & 0xff;
      this.#chunks.push(byte === 0xff ? Uint8Array.of(byte, 0) : Uint8Array.of(byte));
    }
    return { tables, chunks: this.#chunks };
  }
}

// Files of one array of float32 values or bytes: FITS (FITS Standard 4.0, sections 3, 4 and 7.1) and NPY (format 1.0 of numpy).
import { concatenated } from '../../util/bytes.ts';

/** A card of a header. Null: a keyword without a value. HISTORY and COMMENT have text of any length. */
export interface FitsCard {
  readonly keyword: string;
  readonly value: string | number | boolean | null;
}

/** Values row by row from the bottom: the first is the pixel 1, 1. */
export interface DataArray {
  readonly width: number;
  readonly height: number;
  readonly samples: Float32Array | Uint8Array;
}

const CARD_CHARACTERS = 80;
const BLOCK_BYTES = 2880;
/** Characters of a string between its quotes, and of a line of a commentary keyword. */
const STRING_CHARACTERS = 68;
const COMMENTARY_CHARACTERS = 72;
/** Width to which numbers are right-justified, up to column 30. */
const NUMBER_CHARACTERS = 20;
const COMMENTARY = ['HISTORY', 'COMMENT'];
const KEYWORD = /^[A-Z0-9_-]{1,8}$/;

/** The printable ASCII characters that headers can have. */
const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?');
const card = (text: string) => text.padEnd(CARD_CHARACTERS);

const pieces = (text: string, most: number): string[] => text.match(new RegExp(`.{1,${most}}`, 'g')) ?? [''];

/** Lines of a commentary keyword, broken at blanks where there are any. */
function commentary(keyword: string, text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const wrapped = printable(line).match(new RegExp(`.{1,${COMMENTARY_CHARACTERS}}(?:\\s+|$)|.{${COMMENTARY_CHARACTERS}}`, 'g'));
    return (wrapped ?? []).map((part) => card(`${keyword.padEnd(8)}${part.trimEnd()}`));
  });
}

/** A string over as many cards as it needs (section 4.2.1.2). */
function stringCards(keyword: string, text: string): string[] {
  // Each quote is written twice, and a piece may end with `&`.
  const parts = pieces(printable(text.replace(/\s*\r?\n\s*/g, ' ')), (STRING_CHARACTERS - 2) / 2);
  const joined: string[] = [];
  for (const part of parts.map((piece) => piece.replaceAll("'", "''"))) {
    const last = joined.at(-1);
    if (last !== undefined && last.length + part.length < STRING_CHARACTERS) joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined.map((part, i) => {
    const start = i === 0 ? `${keyword.padEnd(8)}= ` : 'CONTINUE  ';
    return card(`${start}'${(i < joined.length - 1 ? `${part}&` : part).padEnd(8)}'`);
  });
}

/** The lines of a card. A keyword that FITS does not have becomes a comment. */
function cardLines({ keyword, value }: FitsCard): string[] {
  if (COMMENTARY.includes(keyword)) return commentary(keyword, String(value ?? ''));
  if (!KEYWORD.test(keyword)) return commentary('COMMENT', `${keyword} = ${value ?? ''}`);
  const start = `${keyword.padEnd(8)}= `;
  if (value === null) return [card(start)];
  if (typeof value === 'string') return stringCards(keyword, value);
  const text = typeof value === 'boolean' ? (value ? 'T' : 'F') : String(value + 0).toUpperCase();
  return [card(start + text.padStart(NUMBER_CHARACTERS))];
}

const blocks = (bytes: number) => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;

/** The header of a unit, filled up to a whole block. */
function headerBytes(cards: readonly FitsCard[]): Uint8Array {
  const text = [...cards.flatMap(cardLines), card('END')].join('');
  return new TextEncoder().encode(text.padEnd(blocks(text.length)));
}

const arrayCards = (bits: -32 | 8, axes: readonly number[]): FitsCard[] => [
  { keyword: 'BITPIX', value: bits },
  { keyword: 'NAXIS', value: axes.length },
  ...axes.map((length, i) => ({ keyword: `NAXIS${i + 1}`, value: length })),
];

/** The header of a primary array of float32 or bytes, with the length of its axes, the fastest first. `cards`: those after the mandatory ones. */
export function arrayHeader(bits: -32 | 8, axes: readonly number[], cards: readonly FitsCard[]): Uint8Array {
  return headerBytes([{ keyword: 'SIMPLE', value: true }, ...arrayCards(bits, axes), ...cards]);
}

/** The header of an array as an extension (FITS Standard 4.0, section 7.1). */
export function imageHeader(name: string, bits: -32 | 8, axes: readonly number[], cards: readonly FitsCard[]): Uint8Array {
  return headerBytes([
    { keyword: 'XTENSION', value: 'IMAGE' },
    ...arrayCards(bits, axes),
    { keyword: 'PCOUNT', value: 0 },
    { keyword: 'GCOUNT', value: 1 },
    { keyword: 'EXTNAME', value: name },
    ...cards,
  ]);
}

/** Zeros after so many bytes of data, up to a whole block. */
export const dataPadding = (bytes: number): Uint8Array => new Uint8Array(blocks(bytes) - bytes);

export function bigEndian(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.byteLength);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < samples.length; i++) view.setFloat32(4 * i, samples[i]!);
  return bytes;
}

/** A FITS file. @param cards Those after the mandatory ones, whose keywords they must not have */
export function encodeFits({ width, height, samples }: DataArray, cards: readonly FitsCard[]): Uint8Array {
  const isOfBytes = samples instanceof Uint8Array;
  const header = arrayHeader(isOfBytes ? 8 : -32, [width, height], cards);
  const file = new Uint8Array(header.length + blocks(samples.byteLength));
  file.set(header);
  file.set(isOfBytes ? samples : bigEndian(samples), header.length);
  return file;
}

/** A column of a table: numbers as float64, null as NaN; whole numbers as int64, null as 0; or ASCII text. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'float' | 'whole' | 'text';
  readonly unit?: string;
  readonly values: readonly (number | string | null)[];
}

const NUMBER_BYTES = 8;

/** A binary table as an extension (FITS Standard 4.0, section 7.3). */
export function encodeTable(name: string, columns: readonly TableColumn[]): Uint8Array {
  const rows = columns[0]?.values.length ?? 0;
  const textBytes = (values: TableColumn['values']) => Math.max(1, ...values.map((value) => String(value ?? '').length));
  const widths = columns.map(({ type, values }) => (type === 'text' ? textBytes(values) : NUMBER_BYTES));
  const rowBytes = widths.reduce((sum, width) => sum + width, 0);
  const header = headerBytes([
    { keyword: 'XTENSION', value: 'BINTABLE' },
    { keyword: 'BITPIX', value: 8 },
    { keyword: 'NAXIS', value: 2 },
    { keyword: 'NAXIS1', value: rowBytes },
    { keyword: 'NAXIS2', value: rows },
    { keyword: 'PCOUNT', value: 0 },
    { keyword: 'GCOUNT', value: 1 },
    { keyword: 'TFIELDS', value: columns.length },
    ...columns.flatMap(({ name: title, type, unit }, i): FitsCard[] => [
      { keyword: `TTYPE${i + 1}`, value: title },
      { keyword: `TFORM${i + 1}`, value: type === 'text' ? `${widths[i]}A` : type === 'whole' ? 'K' : 'D' },
      ...(unit ? [{ keyword: `TUNIT${i + 1}`, value: unit }] : []),
      ...(type === 'whole' ? [{ keyword: `TNULL${i + 1}`, value: 0 }] : []),
    ]),
    { keyword: 'EXTNAME', value: name },
  ]);
  const bytes = new Uint8Array(header.length + blocks(rows * rowBytes));
  bytes.set(header);
  const view = new DataView(bytes.buffer);
  for (let row = 0, at = header.length; row < rows; row++) {
    for (const [i, { type, values }] of columns.entries()) {
      const value = values[row] ?? null;
      if (type === 'text') new TextEncoder().encodeInto(printable(String(value ?? '')), bytes.subarray(at, at + widths[i]!));
      else if (type === 'whole') view.setBigInt64(at, BigInt(value ?? 0));
      else view.setFloat64(at, value === null ? Number.NaN : Number(value));
      at += widths[i]!;
    }
  }
  return bytes;
}

/** The primary unit of a file that has extensions alone. */
export const emptyPrimary = (cards: readonly FitsCard[]): Uint8Array =>
  arrayHeader(8, [], [{ keyword: 'EXTEND', value: true }, ...cards]);

/** Alignment of the data of an NPY file. */
const NPY_ALIGNMENT = 64;
const NPY_PREFIX = 10;

/** The header of an NPY file, with the length of its axes, the slowest first. Values are little-endian, as in every isolate. */
export function npyHeader(type: '|u1' | '<f4', shape: readonly number[]): Uint8Array {
  const described = `{'descr': '${type}', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`;
  const start = Math.ceil((NPY_PREFIX + described.length + 1) / NPY_ALIGNMENT) * NPY_ALIGNMENT;
  const header = new Uint8Array(start);
  header.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  new DataView(header.buffer).setUint16(8, start - NPY_PREFIX, true);
  new TextEncoder().encodeInto(`${described.padEnd(start - NPY_PREFIX - 1)}\n`, header.subarray(NPY_PREFIX));
  return header;
}

/** Values as NPY has them. */
export const littleEndian = ({ buffer, byteOffset, byteLength }: DataArray['samples']): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

export function encodeNpy({ width, height, samples }: DataArray): Uint8Array {
  const header = npyHeader(samples instanceof Uint8Array ? '|u1' : '<f4', [height, width]);
  return concatenated([header, littleEndian(samples)]);
}

/** A file, or its first piece, with more lines of HISTORY in its header, broken at 72 characters. */
export function withHistory(file: Uint8Array, lines: readonly string[]): Uint8Array {
  const text = (at: number) => new TextDecoder().decode(file.subarray(at, at + CARD_CHARACTERS));
  let end = 0;
  while (text(end) !== card('END')) end += CARD_CHARACTERS;
  const added = lines
    .flatMap((line) => pieces(printable(line), COMMENTARY_CHARACTERS))
    .map((piece) => card(`HISTORY ${piece}`))
    .join('');
  const header = new TextDecoder().decode(file.subarray(0, end)) + added + card('END');
  return concatenated([
    new TextEncoder().encode(header.padEnd(blocks(header.length))),
    file.subarray(blocks(end + CARD_CHARACTERS)),
  ]);
}

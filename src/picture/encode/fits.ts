// Files of arrays of float32 values or bytes, and tables: FITS (FITS Standard 4.0, sections 3, 4 and 7.1) and NPY (format 1.0 of numpy).
import type { Column, TableRow } from './table.ts';

/** A card of a header. Null: a keyword without a value. HISTORY and COMMENT have text of any length. */
export interface FitsCard {
  readonly keyword: string;
  readonly value: string | number | boolean | null;
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

/** The header of a unit, filled up to a whole block. @param note Lines of a text as HISTORY at its end, broken at 72 characters */
function headerBytes(cards: readonly FitsCard[], note = ''): Uint8Array {
  const lines = note === '' ? [] : note.split('\n').flatMap((line) => pieces(printable(line), COMMENTARY_CHARACTERS));
  const text = [...cards.flatMap(cardLines), ...lines.map((line) => card(`HISTORY ${line}`)), card('END')].join('');
  return new TextEncoder().encode(text.padEnd(blocks(text.length)));
}

/** Values, or bytes, in the order of the axes. */
type Samples = Float32Array | Uint8Array;

/** An array: the length of its axes, the fastest first, and its values in pieces that may be made while they are sent. */
interface ArrayUnit {
  /** EXTNAME of an extension. Unset: the primary array. */
  readonly name?: string;
  readonly axes: readonly number[];
  /** Unset: of float32. */
  readonly isOfBytes?: boolean;
  /** Those after the mandatory ones, whose keywords they must not have. */
  readonly cards: readonly FitsCard[];
  pieces(): Iterable<Samples> | AsyncIterable<Samples>;
}

/** A product that is an array, and what FITS has beside it. */
export interface ArrayProduct extends ArrayUnit {
  readonly extensions?: readonly ArrayUnit[];
  /** Tables behind them, which are made when all values have been sent. */
  tables?(): Iterable<Uint8Array>;
}

export type ArrayFormat = 'fits' | 'npy';

/** The header of the primary array, or of an array as an extension (FITS Standard 4.0, section 7.1). */
function unitHeader({ name, isOfBytes, axes, cards }: Omit<ArrayUnit, 'pieces'>, note?: string): Uint8Array {
  const extension = [
    { keyword: 'PCOUNT', value: 0 },
    { keyword: 'GCOUNT', value: 1 },
    { keyword: 'EXTNAME', value: name ?? null },
  ];
  const all = [
    name === undefined ? { keyword: 'SIMPLE', value: true } : { keyword: 'XTENSION', value: 'IMAGE' },
    { keyword: 'BITPIX', value: isOfBytes ? 8 : -32 },
    { keyword: 'NAXIS', value: axes.length },
    ...axes.map((length, i) => ({ keyword: `NAXIS${i + 1}`, value: length })),
    ...(name === undefined ? [] : extension),
    ...cards,
  ];
  return headerBytes(all, note);
}

const productOf = (numbers: readonly number[]) => numbers.reduce((product, number) => product * number, 1);
const dataBytes = ({ axes, isOfBytes }: ArrayUnit) => productOf(axes) * (isOfBytes ? 1 : Float32Array.BYTES_PER_ELEMENT);

function bigEndian(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.byteLength);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < samples.length; i++) view.setFloat32(4 * i, samples[i]!);
  return bytes;
}

/** The units of a file, each with its header. @param note Text at the end of the first header of FITS, in lines */
const unitsOf = (format: ArrayFormat, array: ArrayProduct, note: string): { unit: ArrayUnit; header: Uint8Array }[] =>
  format === 'npy'
    ? [{ unit: array, header: npyHeader(array) }]
    : [array, ...(array.extensions ?? [])].map((unit, i) => ({ unit, header: unitHeader(unit, i === 0 ? note : '') }));

/** The file of an array in pieces. @param note As for its length */
export async function* arrayFile(format: ArrayFormat, array: ArrayProduct, note = ''): AsyncGenerator<Uint8Array> {
  const isFits = format === 'fits';
  for (const { unit, header } of unitsOf(format, array, note)) {
    yield header;
    for await (const samples of unit.pieces()) {
      if (isFits && samples instanceof Float32Array) yield bigEndian(samples);
      // As NPY has them, and every isolate.
      else yield new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    }
    if (isFits) yield new Uint8Array(blocks(dataBytes(unit)) - dataBytes(unit));
  }
  if (isFits) yield* array.tables?.() ?? [];
}

/** The length of the file of an array without tables. @param note Text at the end of the first header of FITS, in lines */
export const arrayFileBytes = (format: ArrayFormat, array: ArrayProduct, note = ''): number =>
  unitsOf(format, array, note).reduce(
    (sum, { unit, header }) => sum + header.length + (format === 'npy' ? dataBytes(unit) : blocks(dataBytes(unit))),
    0,
  );

const NUMBER_BYTES = 8;
/** Stands for null among whole numbers, of which ids of datasources begin at 0. */
const NO_NUMBER = -1;

/** A binary table as an extension (section 7.3): floats are float64, null as NaN; whole numbers from 0 int64; all other columns ASCII text. */
export function encodeTable(name: string, columns: readonly Column[], rows: readonly TableRow[]): Uint8Array {
  const textOf = (row: TableRow, column: string) => String(row[column] ?? '');
  const fields = columns.map((column) => {
    const { name: title, type } = column;
    if (type === 'float') return { ...column, width: NUMBER_BYTES, form: 'D' };
    if (type === 'whole') return { ...column, width: NUMBER_BYTES, form: 'K' };
    const width = Math.max(1, ...rows.map((row) => textOf(row, title).length));
    return { ...column, width, form: `${width}A` };
  });
  const rowBytes = fields.reduce((sum, { width }) => sum + width, 0);
  const header = headerBytes([
    { keyword: 'XTENSION', value: 'BINTABLE' },
    { keyword: 'BITPIX', value: 8 },
    { keyword: 'NAXIS', value: 2 },
    { keyword: 'NAXIS1', value: rowBytes },
    { keyword: 'NAXIS2', value: rows.length },
    { keyword: 'PCOUNT', value: 0 },
    { keyword: 'GCOUNT', value: 1 },
    { keyword: 'TFIELDS', value: fields.length },
    ...fields.flatMap(({ name: title, form, unit }, i): FitsCard[] => [
      { keyword: `TTYPE${i + 1}`, value: title },
      { keyword: `TFORM${i + 1}`, value: form },
      ...(unit ? [{ keyword: `TUNIT${i + 1}`, value: unit }] : []),
      ...(form === 'K' ? [{ keyword: `TNULL${i + 1}`, value: NO_NUMBER }] : []),
    ]),
    { keyword: 'EXTNAME', value: name },
  ]);
  const bytes = new Uint8Array(header.length + blocks(rows.length * rowBytes));
  bytes.set(header);
  const view = new DataView(bytes.buffer);
  let at = header.length;
  for (const row of rows) {
    for (const { name: title, form, width } of fields) {
      const value = row[title] ?? null;
      if (form === 'K') view.setBigInt64(at, BigInt(Number(value ?? NO_NUMBER)));
      else if (form === 'D') view.setFloat64(at, value === null ? Number.NaN : Number(value));
      else new TextEncoder().encodeInto(printable(textOf(row, title)), bytes.subarray(at, at + width));
      at += width;
    }
  }
  return bytes;
}

/** The primary unit of a file that has extensions alone. @param note As of `arrayFile` */
export const emptyPrimary = (cards: readonly FitsCard[], note: string): Uint8Array =>
  unitHeader({ isOfBytes: true, axes: [], cards: [{ keyword: 'EXTEND', value: true }, ...cards] }, note);

/** Alignment of the data of an NPY file. */
const NPY_ALIGNMENT = 64;
const NPY_PREFIX = 10;

/** The header of an NPY file, which has the length of the slowest axis first. */
function npyHeader({ axes, isOfBytes }: ArrayUnit): Uint8Array {
  const shape = axes.toReversed().join(', ');
  const described = `{'descr': '${isOfBytes ? '|u1' : '<f4'}', 'fortran_order': False, 'shape': (${shape}), }`;
  const start = Math.ceil((NPY_PREFIX + described.length + 1) / NPY_ALIGNMENT) * NPY_ALIGNMENT;
  const header = new Uint8Array(start);
  header.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  new DataView(header.buffer).setUint16(8, start - NPY_PREFIX, true);
  new TextEncoder().encodeInto(`${described.padEnd(start - NPY_PREFIX - 1)}\n`, header.subarray(NPY_PREFIX));
  return header;
}

// Files of one array of float32 values or bytes: FITS (FITS Standard 4.0, sections 3, 4 and 7.1) and NPY (format 1.0 of numpy).

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

/** The pieces of a text of at most so many characters. */
function pieces(text: string, most: number): string[] {
  return text.match(new RegExp(`.{1,${most}}`, 'g')) ?? [''];
}

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

/** A FITS file. @param cards Those after the mandatory ones, whose keywords they must not have */
export function encodeFits({ width, height, samples }: DataArray, cards: readonly FitsCard[]): Uint8Array {
  const mandatory: FitsCard[] = [
    { keyword: 'SIMPLE', value: true },
    { keyword: 'BITPIX', value: samples instanceof Uint8Array ? 8 : -32 },
    { keyword: 'NAXIS', value: 2 },
    { keyword: 'NAXIS1', value: width },
    { keyword: 'NAXIS2', value: height },
  ];
  const header = [...[...mandatory, ...cards].flatMap(cardLines), card('END')].join('');
  const start = blocks(header.length);
  const file = new Uint8Array(start + blocks(samples.byteLength));
  file.fill(0x20, 0, start);
  new TextEncoder().encodeInto(header, file);
  if (samples instanceof Uint8Array) {
    file.set(samples, start);
    return file;
  }
  const view = new DataView(file.buffer);
  for (let i = 0; i < samples.length; i++) view.setFloat32(start + 4 * i, samples[i]!);
  return file;
}

/** Alignment of the data of an NPY file. */
const NPY_ALIGNMENT = 64;
const NPY_PREFIX = 10;

/** An NPY file with an array of shape (height, width). Values are little-endian, as in every isolate. */
export function encodeNpy({ width, height, samples }: DataArray): Uint8Array {
  const type = samples instanceof Uint8Array ? '|u1' : '<f4';
  const described = `{'descr': '${type}', 'fortran_order': False, 'shape': (${height}, ${width}), }`;
  const start = Math.ceil((NPY_PREFIX + described.length + 1) / NPY_ALIGNMENT) * NPY_ALIGNMENT;
  const file = new Uint8Array(start + samples.byteLength);
  file.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  new DataView(file.buffer).setUint16(8, start - NPY_PREFIX, true);
  new TextEncoder().encodeInto(`${described.padEnd(start - NPY_PREFIX - 1)}\n`, file.subarray(NPY_PREFIX));
  file.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), start);
  return file;
}

// Boxes of JP2 files (ISO/IEC 15444-1 Annex I): read, tolerating the wrong box lengths of some archive files, and written.
import { concatenated } from '../platform/util/bytes.ts';
import { totalLength } from './byte-source.ts';
import { ByteReader } from './bytes.ts';
import { malformed } from './errors.ts';
import { decodeXmlText, metaRange } from './xml-header.ts';

/** Content of a box: file offsets [start, end). */
export type Box = { readonly type: string; readonly start: number; readonly end: number };

/** The contents of a JP2 file that the service uses. */
interface Jp2Boxes {
  readonly codestream: Box;
  /** The first XML or UUID box with a header; without one the first XML box, if there is any. */
  readonly xml: Box | null;
  /** The JP2 header box (jp2h), whole; null where there is none. */
  readonly header: Uint8Array | null;
  /** Colours of pclr and cmap: 256 times R, G, B; null where the file has no palette of three 8-bit columns. */
  readonly palette: Uint8Array | null;
}

/** Boxes read of a file; real files have fewer than ten. */
const MAX_BOXES = 256;

/** Bytes of LBox and TBox. */
export const BOX_HEADER_BYTES = 8;
/** With XLBox. */
export const LONG_BOX_HEADER_BYTES = 16;
/** A longer box has a long header. */
const LONGEST_SHORT_BOX = 0xffffffff;

/** Bytes of a JP2 header box, which has 850 with a palette. Longer ones are ignored. */
const MAX_HEADER_BOX_BYTES = 16_384;

/** SOC followed by SIZ: the start of a codestream. */
const SOC_SIZ = [0xff, 0x4f, 0xff, 0x51] as const;

/** Boxes of boxes in which JPX writers put XML. */
const SUPERBOXES = ['asoc', 'jp2h', 'jpch', 'jplh'];
const MAX_DEPTH = 4;

const UUID_BYTES = 16;

/** The boxes in [start, end), up to the first malformed one; none ends after `limit`, beyond `end` for the front of a file. */
export function walkBoxes(bytes: Uint8Array, start: number, end: number, limit = end): Box[] {
  const boxes: Box[] = [];
  const r = new ByteReader(bytes, 'JP2 boxes', start, end);
  while (r.left >= 8 && boxes.length < MAX_BOXES) {
    const from = r.position;
    let length = r.u32();
    const type = String.fromCharCode(...r.take(4));
    if (length === 1) {
      if (r.left < 8) return boxes;
      length = r.u64();
    } else if (length === 0) length = limit - from;
    if (length < r.position - from || from + length > limit) return boxes;
    boxes.push({ type, start: r.position, end: from + length });
    r.position = from + length;
  }
  return boxes;
}

const beginsCodestream = (bytes: Uint8Array, at: number): boolean => SOC_SIZ.every((byte, i) => bytes[at + i] === byte);

/** Fallback for a file without a usable jp2c box: from the first SOC to the end of the file. */
function scanForCodestream(bytes: Uint8Array): Box | null {
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1))
    if (beginsCodestream(bytes, at)) return { type: 'jp2c', start: at, end: bytes.length };
  return null;
}

/** XML and UUID boxes, those within other boxes among them, in the order of the file. */
const textBoxes = (bytes: Uint8Array, boxes: readonly Box[], depth = 0): Box[] =>
  boxes.flatMap((box) => {
    const { type, start, end } = box;
    if (type === 'xml ') return [box];
    if (type === 'uuid') return [{ type, start: Math.min(start + UUID_BYTES, end), end }];
    return depth < MAX_DEPTH && SUPERBOXES.includes(type) ? textBoxes(bytes, walkBoxes(bytes, start, end), depth + 1) : [];
  });

/** The first of the boxes that has a header; null without one. */
export const headerBox = (bytes: Uint8Array, boxes: readonly Box[]): Box | null =>
  textBoxes(bytes, boxes).find(({ start, end }) => metaRange(decodeXmlText(bytes.subarray(start, end)))) ?? null;

/** Fallback for a file whose box lengths are wrong: `<meta>` with its declaration, to the end of the bytes where it is not closed. */
export function scanForXml(bytes: Uint8Array): Box | null {
  const text = new TextDecoder('latin1').decode(bytes);
  const { start, end } = metaRange(text) ?? { start: text.search(/<meta[\s>]/), end: bytes.length };
  if (start < 0) return null;
  const declaration = text.lastIndexOf('<?xml', start);
  return { type: 'xml ', start: declaration >= 0 && text.indexOf('<', declaration + 1) === start ? declaration : start, end };
}

/** Maps the palette box (I.5.3.4) through the component mapping box (I.5.3.5) to 256 colours. */
function readPalette(bytes: Uint8Array, header: readonly Box[]): Uint8Array | null {
  const box = header.find(({ type }) => type === 'pclr');
  if (!box) return null;
  const r = new ByteReader(bytes, 'palette box', box.start, box.end);
  const entries = r.u16();
  const columns = r.u8();
  const depths = [...r.take(columns)];
  if (entries < 1 || entries > 1024) throw malformed(`The palette box has ${entries} entries instead of 1 to 1024.`);
  if (columns < 3 || depths.some((depth) => depth !== 7)) return null;
  const table = r.take(entries * columns);
  const colours = new Uint8Array(256 * 3);
  for (let i = 0; i < 256; i++) {
    const entry = Math.min(i, entries - 1) * columns;
    for (let c = 0; c < 3; c++) colours[i * 3 + c] = table[entry + mappedColumn(bytes, header, c)]!;
  }
  return colours;
}

/** Palette column that cmap assigns to `channel`; the channel number itself without a usable cmap. */
function mappedColumn(bytes: Uint8Array, header: readonly Box[], channel: number): number {
  const box = header.find(({ type }) => type === 'cmap');
  if (!box || box.end - box.start < (channel + 1) * 4) return channel;
  const column = bytes[box.start + channel * 4 + 3]!;
  return bytes[box.start + channel * 4 + 2] === 1 && column < 3 ? column : channel;
}

/**
 * Finds codestream, XML, header box and palette of a JP2 file, or of a bare codestream. Where box lengths are wrong, the codestream
 * and the XML are found by their first bytes.
 * @throws Jp2Error when there is no codestream
 */
export function readBoxes(bytes: Uint8Array): Jp2Boxes {
  if (beginsCodestream(bytes, 0))
    return { codestream: { type: 'jp2c', start: 0, end: bytes.length }, xml: null, header: null, palette: null };
  const top = walkBoxes(bytes, 0, bytes.length);
  const stated = top.find(({ type, start }) => type === 'jp2c' && beginsCodestream(bytes, start));
  // Boxes that do not lead to the end of the file after it: its length is too small.
  const isCut = stated !== undefined && stated === top.at(-1) && bytes.length - stated.end >= BOX_HEADER_BYTES;
  const codestream = stated ? { ...stated, end: isCut ? bytes.length : stated.end } : scanForCodestream(bytes);
  if (!codestream) throw malformed('The file has no JPEG 2000 codestream.');
  const firstXml = () => top.find(({ type }) => type === 'xml ') ?? null;
  const xml = headerBox(bytes, top) ?? (stated ? firstXml() : scanForXml(bytes.subarray(0, codestream.start)));
  const found = top.find(({ type, start, end }) => type === 'jp2h' && end - start <= MAX_HEADER_BOX_BYTES);
  // With a header of eight bytes, also where the file has the long form.
  const header = found ? box('jp2h', bytes.subarray(found.start, found.end)) : null;
  const palette = found ? readPalette(bytes, walkBoxes(bytes, found.start, found.end)) : null;
  return { codestream, xml, header, palette };
}

/** Writes a number from the byte `at` to that before `end`. */
function write(bytes: Uint8Array, at: number, end: number, value: number): Uint8Array {
  for (let i = end - 1, rest = value; i >= at; i--, rest = Math.floor(rest / 256)) bytes[i] = rest;
  return bytes;
}

export const u16 = (value: number): Uint8Array => write(new Uint8Array(2), 0, 2, value);
export const u32 = (value: number): Uint8Array => write(new Uint8Array(4), 0, 4, value);
export const u64 = (value: number): Uint8Array => write(new Uint8Array(8), 0, 8, value);

/** LBox, TBox and, where the length requires it, XLBox of a box with `contentBytes` of content. */
export function boxHeader(type: string, contentBytes: number): Uint8Array {
  const isLong = BOX_HEADER_BYTES + contentBytes > LONGEST_SHORT_BOX;
  const header = new Uint8Array(isLong ? LONG_BOX_HEADER_BYTES : BOX_HEADER_BYTES);
  const length = header.length + contentBytes;
  write(header, 0, 4, isLong ? 1 : length);
  for (let i = 0; i < 4; i++) header[4 + i] = type.charCodeAt(i);
  return isLong ? write(header, BOX_HEADER_BYTES, LONG_BOX_HEADER_BYTES, length) : header;
}

export const box = (type: string, ...content: readonly Uint8Array[]): Uint8Array =>
  concatenated([boxHeader(type, totalLength(content)), ...content]);

// Metrics of the overlay font: its characters and their widths. The font has no kerning and no ligatures, so the width of a text is
// the sum of the widths of its characters.
import { font } from '#overlay-assets';

export const FONT_FAMILY = 'DejaVu Sans';

/** Replaces every character that the font lacks. */
export const REPLACEMENT = '\ufffd';

/** Advance widths in ems by code point. */
type Advances = ReadonlyMap<number, number>;

/** Offsets of the tables of a TrueType file by tag. */
function tablesOf(file: DataView): ReadonlyMap<string, number> {
  const tables = new Map<string, number>();
  for (let i = 0, at = 12; i < file.getUint16(4); i++, at += 16) {
    const tag = String.fromCharCode(...[0, 1, 2, 3].map((k) => file.getUint8(at + k)));
    tables.set(tag, file.getUint32(at + 8));
  }
  return tables;
}

/** Glyph indexes by code point, from the `cmap` subtable of format 4: the Basic Multilingual Plane. */
function glyphsOf(file: DataView, cmap: number): ReadonlyMap<number, number> {
  const glyphs = new Map<number, number>();
  const subtables = Array.from({ length: file.getUint16(cmap + 2) }, (_, i) => cmap + file.getUint32(cmap + 8 + 8 * i));
  const table = subtables.find((at) => file.getUint16(at) === 4);
  if (table === undefined) throw new Error('The overlay font has no cmap subtable of format 4.');
  const segmentBytes = file.getUint16(table + 6);
  for (let at = table + 14; at < table + 14 + segmentBytes; at += 2) {
    const end = file.getUint16(at);
    const start = file.getUint16(at + segmentBytes + 2);
    const delta = file.getUint16(at + 2 * segmentBytes + 2);
    const rangeAt = at + 3 * segmentBytes + 2;
    const range = file.getUint16(rangeAt);
    for (let code = start; code <= end && code < 0xffff; code++) {
      const index = range === 0 ? code : file.getUint16(rangeAt + range + 2 * (code - start));
      const glyph = index === 0 ? 0 : (index + delta) & 0xffff;
      if (glyph !== 0) glyphs.set(code, glyph);
    }
  }
  return glyphs;
}

function readAdvances(bytes: Uint8Array): Advances {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tables = tablesOf(file);
  const unitsPerEm = file.getUint16(tables.get('head')! + 18);
  const metrics = file.getUint16(tables.get('hhea')! + 34);
  const advanceOf = (glyph: number) => file.getUint16(tables.get('hmtx')! + 4 * Math.min(glyph, metrics - 1)) / unitsPerEm;
  return new Map([...glyphsOf(file, tables.get('cmap')!)].map(([code, glyph]) => [code, advanceOf(glyph)]));
}

let advances: Advances | null = null;

function advanceOf(character: string): number | undefined {
  advances ??= readAdvances(font);
  return advances.get(character.codePointAt(0)!);
}

export function hasGlyph(character: string): boolean {
  return advanceOf(character) !== undefined;
}

/** Width of a text in pixels at a font size in pixels; characters that the font lacks count as the replacement character. */
export function textWidth(text: string, sizePx: number): number {
  let ems = 0;
  for (const character of text) ems += advanceOf(character) ?? advanceOf(REPLACEMENT) ?? 0;
  return ems * sizePx;
}

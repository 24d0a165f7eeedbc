// Text of overlays, which is inserted in no other way: measured, cleaned, bounded, escaped, outlined. The font has no kerning.
import { font } from '#overlay-assets';
import { escapeXml } from '../../../platform/util/markup.ts';
import { decimal, type TextStyle } from '../overlay.ts';

export const FONT_FAMILY = 'DejaVu Sans';

/** Replaces every character that the font lacks. */
export const REPLACEMENT = '\ufffd';

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

function readAdvances(): ReadonlyMap<number, number> {
  const file = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const tables = tablesOf(file);
  const unitsPerEm = file.getUint16(tables.get('head')! + 18);
  const metrics = file.getUint16(tables.get('hhea')! + 34);
  const advanceOf = (glyph: number) => file.getUint16(tables.get('hmtx')! + 4 * Math.min(glyph, metrics - 1)) / unitsPerEm;
  return new Map([...glyphsOf(file, tables.get('cmap')!)].map(([code, glyph]) => [code, advanceOf(glyph)]));
}

/** Advance widths in ems by code point. */
let advances: ReadonlyMap<number, number> | null = null;

function advanceOf(character: string): number | undefined {
  advances ??= readAdvances();
  return advances.get(character.codePointAt(0)!);
}

export const hasGlyph = (character: string): boolean => advanceOf(character) !== undefined;

/** Width of a text in pixels at a font size in pixels; characters that the font lacks count as the replacement character. */
export function textWidth(text: string, sizePx: number): number {
  let ems = 0;
  for (const character of text) ems += advanceOf(character) ?? advanceOf(REPLACEMENT) ?? 0;
  return ems * sizePx;
}

/** Characters of a line; longer ones are cut. Three times the length that fits beside a marker. */
const MAX_LINE_CHARACTERS = 80;

/** Lines of a label: the longest in use, flare probabilities, has six. */
const MAX_LINES = 8;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['deg', '°'],
  ['gt', '>'],
  ['lt', '<'],
  ['micro', 'µ'],
  ['nbsp', ' '],
  ['plusmn', '±'],
  ['quot', '"'],
  ['sup2', '²'],
  ['sup3', '³'],
  ['times', '×'],
  ['alpha', 'α'],
  ['beta', 'β'],
  ['gamma', 'γ'],
  ['delta', 'δ'],
]);

/** `&deg;`, `&#176;`, `&#xb0;`; `\u03b1`; and for Latin-1 and Greek also `u03b1`, which labels of active regions contain. */
const ESCAPE =
  /&(?:#(\d{1,6})|#[xX]([\da-fA-F]{1,5})|([A-Za-z]+\d?));|\\u([\da-fA-F]{4})|u(00[a-fA-F][\da-fA-F]|03[7-9a-fA-F][\da-fA-F])/g;

const decodeEscapes = (text: string): string =>
  text.replace(ESCAPE, (whole, base10?: string, hex?: string, name?: string, slashed?: string, bare?: string) => {
    if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? whole;
    const code = base10 === undefined ? Number.parseInt(hex ?? slashed ?? bare ?? '', 16) : Number(base10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : REPLACEMENT;
  });

/** One line of text for drawing: escapes decoded, control characters removed, blanks collapsed, unknown glyphs replaced, at most 80 long. */
export function cleanLine(text: string): string {
  const decoded = decodeEscapes(text.slice(0, 8 * MAX_LINE_CHARACTERS)).normalize('NFC');
  const plain = decoded.replace(/\s+/gu, ' ').replace(/\p{C}/gu, '').trim();
  const characters = Array.from(plain, (character) => (hasGlyph(character) ? character : REPLACEMENT));
  if (characters.length <= MAX_LINE_CHARACTERS) return characters.join('');
  return `${characters
    .slice(0, MAX_LINE_CHARACTERS - 1)
    .join('')
    .trimEnd()}…`;
}

/** The cleaned lines of a label without empty ones, at most 8. */
export function cleanLines(lines: readonly string[]): string[] {
  const cleaned = lines.slice(0, 4 * MAX_LINES).map(cleanLine);
  return cleaned.filter((line) => line !== '').slice(0, MAX_LINES);
}

/** An SVG text whose baseline starts at x, y. `line` must come from `cleanLine`. */
export function textElement(line: string, x: number, y: number, style: TextStyle): string {
  const { sizePx, fill = '#fff', outlinePx, outlineOpacity } = style;
  const outline =
    `stroke="#000" stroke-opacity="${decimal(outlineOpacity)}" stroke-width="${decimal(outlinePx)}"` +
    ' stroke-linejoin="round" paint-order="stroke"';
  return `<text x="${decimal(x)}" y="${decimal(y)}" font-size="${decimal(sizePx)}" fill="${fill}" ${outline}>${escapeXml(line)}</text>`;
}

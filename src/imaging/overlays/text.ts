// Text of overlays: cleaned, bounded, escaped and outlined. Overlays must not insert text in any other way.
import { escapeXml } from '../../util/markup.ts';
import { hasGlyph, REPLACEMENT } from './font.ts';
import { decimal } from './svg.ts';

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

function decodeEscapes(text: string): string {
  return text.replace(ESCAPE, (whole, base10?: string, hex?: string, name?: string, slashed?: string, bare?: string) => {
    if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? whole;
    const code = base10 === undefined ? Number.parseInt(hex ?? slashed ?? bare ?? '', 16) : Number(base10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : REPLACEMENT;
  });
}

/**
 * One line of text for drawing: escapes decoded, control and formatting characters removed, white space collapsed, characters that
 * the font lacks replaced, at most 80 characters.
 */
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

export interface TextStyle {
  readonly sizePx: number;
  readonly fill?: string;
  /** Width (pixels) and opacity of the black outline of the letters. */
  readonly outlinePx: number;
  readonly outlineOpacity: number;
}

/** An SVG text whose baseline starts at x, y. `line` must come from `cleanLine`. */
export function textElement(line: string, x: number, y: number, style: TextStyle): string {
  const { sizePx, fill = '#fff', outlinePx, outlineOpacity } = style;
  const outline =
    `stroke="#000" stroke-opacity="${decimal(outlineOpacity)}" stroke-width="${decimal(outlinePx)}"` +
    ' stroke-linejoin="round" paint-order="stroke"';
  return `<text x="${decimal(x)}" y="${decimal(y)}" font-size="${decimal(sizePx)}" fill="${fill}" ${outline}>${escapeXml(line)}</text>`;
}

// The one way by which text gets into an overlay: cleaned, bounded, escaped, outlined.
import { escapeXml } from '../../util/markup.ts';
import { hasGlyph, REPLACEMENT } from './font.ts';
import { decimal } from './svg.ts';

/** Characters of a line from which on it is cut: three times what fits beside a marker. */
const MAX_LINE_CHARACTERS = 80;

/** Lines of a label: the longest in use, probabilities of flares, has six. */
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

/** `&deg;`, `&#176;`, `&#xb0;`; `\u03b1`, and of Latin-1 and Greek also `u03b1`, as labels of active regions have them. */
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
 * One line of text as it is drawn: escapes decoded, control and formatting characters dropped, white space collapsed, characters
 * that the font lacks replaced, at most 80 characters.
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

/** The lines of a label, cleaned, without empty ones: at most 8. */
export function cleanLines(lines: readonly string[]): string[] {
  const cleaned = lines.slice(0, 4 * MAX_LINES).map(cleanLine);
  return cleaned.filter((line) => line !== '').slice(0, MAX_LINES);
}

export interface TextStyle {
  readonly sizePx: number;
  readonly fill?: string;
  /** Width in pixels and opacity of the black line around the letters. */
  readonly outlinePx: number;
  readonly outlineOpacity: number;
}

/** An SVG text with its baseline starting at x, y. `line` comes from cleanLine. */
export function textElement(line: string, x: number, y: number, style: TextStyle): string {
  const { sizePx, fill = '#fff', outlinePx, outlineOpacity } = style;
  const outline =
    `stroke="#000" stroke-opacity="${decimal(outlineOpacity)}" stroke-width="${decimal(outlinePx)}"` +
    ' stroke-linejoin="round" paint-order="stroke"';
  return `<text x="${decimal(x)}" y="${decimal(y)}" font-size="${decimal(sizePx)}" fill="${fill}" ${outline}>${escapeXml(line)}</text>`;
}

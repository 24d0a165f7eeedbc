import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  cleanLine,
  cleanLines,
  hasGlyph,
  REPLACEMENT,
  textElement,
  textWidth,
} from '../../../../src/picture/overlays/drawing/text.ts';
import { escapeXml } from '../../../../src/platform/util/markup.ts';
import { inkBox, rasterOf } from '../../../support/imaging/overlays.ts';
import { anyText } from '../../../support/system/any-text.ts';

const PLAIN = { sizePx: 20, outlinePx: 0, outlineOpacity: 0 };
const SIZE = { width: 240, height: 40 };
const drawn = (line: string) => rasterOf(textElement(line, 10, 28, PLAIN), SIZE);

it.each([
  ['u03b2u03b3u03b4', 'βγδ'],
  ['\\u03b1 \\u00b1', 'α ±'],
  ['5 u00b1 2 km u00b2', '5 ± 2 km ²'],
  ['Half Angle: 22&deg;', 'Half Angle: 22°'],
  ['&#176;&#xB5;&alpha;&plusmn;', '°µα±'],
  ['R&amp;D &lt;b&gt;', 'R&D <b>'],
  ['&amp;deg;', '&deg;'],
  ['&unknown; & alone', '&unknown; & alone'],
  ['A &constructor; &toString; &valueof;', 'A &constructor; &toString; &valueof;'],
  ['menu03 u1234', 'menu03 u1234'],
])('text of overlays decodes the escapes of event labels: %s', (escaped, text) => {
  expect(cleanLine(escaped)).toBe(text);
});

it('text of overlays loses control characters, replaces what the font lacks, and stops at 80 a line and 8 lines a label', () => {
  expect(cleanLine(' a\u0000\u001b[31m\u202eb\u200b \t\n c\ud83d ')).toBe('a[31mb c');
  expect(cleanLine('太陽 X1')).toBe(`${REPLACEMENT}${REPLACEMENT} X1`);
  expect(hasGlyph(REPLACEMENT)).toBe(true);
  expect(cleanLine('x'.repeat(81))).toBe(`${'x'.repeat(79)}…`);
  expect(cleanLine('x'.repeat(80))).toBe('x'.repeat(80));
  expect(cleanLines(['', ...'abcdefghij'])).toEqual([...'abcdefgh']);
});

it('text of overlays escapes markup', async () => {
  const attack = cleanLine('</text><rect width="240" height="40" fill="red"/><text>');
  expect(escapeXml(attack)).not.toMatch(/[<>"]/);
  expect(inkBox(await drawn(attack), (rgba) => rgba[0]! > 0 && rgba[1] === 0)).toBeNull();
});

it('text of overlays draws any input', async () => {
  await fc.assert(
    fc.asyncProperty(anyText(30), async (text) => {
      const line = cleanLine(text);
      const ink = inkBox(await drawn(line));
      expect((ink?.x ?? 10) + (ink?.width ?? 0)).toBeLessThanOrEqual(Math.min(240, 10 + textWidth(line, 20) + 3));
    }),
    { numRuns: 60 },
  );
});

/** A character that the font lacks, none, and what stands for the first. */
const otherGlyphs = Promise.all(['太', '', REPLACEMENT].map(drawn));

it.each([...'αβγδεωΔΩ°±µ²³×Å–—…↖→☉'])('the font of overlays draws %s with a glyph of its own', async (character) => {
  const glyph = await drawn(character);
  expect(hasGlyph(character)).toBe(true);
  expect(inkBox(glyph)).not.toBeNull();
  for (const other of await otherGlyphs) expect(glyph.pixels).not.toEqual(other.pixels);
});

it('the font of overlays makes a text as wide as the sum of its characters', async () => {
  const [left, both] = [inkBox(await drawn('H')), inkBox(await drawn('fiAVAToH'))];
  expect(textWidth('fiAVAToH', 20)).toBeCloseTo(
    [...'fiAVAToH'].reduce((sum, letter) => sum + textWidth(letter, 20), 0),
    9,
  );
  const lastH = both!.x + both!.width - (left!.x + left!.width);
  expect(Math.abs(lastH - textWidth('fiAVATo', 20))).toBeLessThanOrEqual(1);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jpeg } from '../../../../src/picture/encode/jpeg.ts';
import { indexedPng, rgbPng } from '../../../../src/picture/encode/png.ts';
import { prefixCodes } from '../../../../src/picture/encode/prefix-code.ts';
import { webp } from '../../../../src/picture/encode/webp.ts';
import { digestOf, digestOfOverlays, KNOWN_OVERLAYS, KNOWN_PICTURES } from '../../../support/imaging/known-pictures.ts';

it('a picture written in strips refuses more rows than it has, none, a fraction of a row, and other byte counts', async () => {
  const encoder = indexedPng(4, 3, null);
  await encoder.write(new Uint8Array(8), 2);
  await expect(encoder.write(new Uint8Array(8), 2)).rejects.toThrow('A strip of 2 rows does not fit: 1 rows are left.');
  for (const rows of [0, -1, 0.5, Number.NaN]) {
    await expect(indexedPng(4, 3, null).write(new Uint8Array(0), rows)).rejects.toThrow(`A strip of ${rows} rows does not fit`);
  }
  await expect(rgbPng(4, 3).write(new Uint8Array(8), 2)).rejects.toThrow('2 rows have 24 bytes, not 8.');
});

it('a picture written in strips cannot end before its last row, nor twice, nor have sides beyond its format', async () => {
  const encoder = indexedPng(4, 3, null);
  await encoder.write(new Uint8Array(8), 2);
  await expect(encoder.finish()).rejects.toThrow('Only 2 of 3 rows were written before the end.');
  await encoder.write(new Uint8Array(4), 1);
  await encoder.finish();
  await expect(encoder.finish()).rejects.toThrow('The picture was ended before.');
  for (const side of [0, -5, 1.5, 2 ** 31, Number.NaN]) {
    expect(() => indexedPng(side, 3, null)).toThrow(`Expected a whole number from 1 to 2147483647 for width, got ${side}.`);
  }
  expect(() => webp(16384, 1, null)).toThrow('Expected a whole number from 1 to 16383 for width, got 16384.');
  expect(() => jpeg(1, 65501)).toThrow('Expected a whole number from 1 to 65500 for height, got 65501.');
});

it('a known frame of overlays has the known digest', async () => {
  expect(await digestOfOverlays()).toBe(KNOWN_OVERLAYS);
});

it.each(KNOWN_PICTURES)('a known frame encodes $name to the known digest', async (picture) => {
  expect(await digestOf(picture)).toBe(picture.digest);
});

const codesOf = (counts: readonly number[], longest: number) => prefixCodes(Uint32Array.from(counts), longest, 'highest');
const lengthsOf = (counts: readonly number[], longest: number) => Array.from(codesOf(counts, longest), (code) => code >>> 16);
const kraftSum = (lengths: readonly number[]) => lengths.reduce((sum, length) => sum + (length ? 2 ** -length : 0), 0);

it('prefix codes have one bit for a symbol alone, and none for no symbol', () => {
  expect([lengthsOf([0, 7, 0], 15), lengthsOf([0, 0], 15)]).toEqual([
    [0, 1, 0],
    [0, 0],
  ]);
});

it('prefix codes stay within the longest length whatever the counts, leave no code unused, and take as few bits as Huffman where they may', () => {
  const counts = fc.array(
    fc.oneof(
      fc.constant(0),
      fc.double({ min: 0, max: 22.9, noNaN: true }).map((e) => Math.floor(2 ** e)),
    ),
    { minLength: 2, maxLength: 288 },
  );
  const property = fc.property(counts, fc.constantFrom(9, 15, 16), (drawn, longest) => {
    const lengths = lengthsOf(drawn, longest);
    const weights = drawn.filter((count) => count > 0).sort((a, b) => a - b);
    const bits = drawn.reduce((sum, count, i) => sum + count * lengths[i]!, 0);
    expect(lengths.filter((length) => length > 0).length).toBe(weights.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(longest);
    if (weights.length < 2) return;
    expect(kraftSum(lengths)).toBe(1);
    let least = 0;
    while (weights.length > 1) {
      const sum = weights.shift()! + weights.shift()!;
      least += sum;
      const at = weights.findIndex((weight) => weight >= sum);
      weights.splice(at < 0 ? weights.length : at, 0, sum);
    }
    if (Math.max(...lengths) < longest) expect(bits).toBe(least);
  });
  fc.assert(property, { numRuns: 300, seed: 8 });
});

it('prefix codes are canonical, shorter ones first and then by symbol, from either end', () => {
  const ends = (['highest', 'lowest'] as const).map((first) => prefixCodes(Uint32Array.of(2, 4, 1, 1), 15, first));
  expect(ends.map((codes) => Array.from(codes, (code) => code & 0xffff))).toEqual([
    [0b10, 0b0, 0b110, 0b111],
    [0b01, 0b0, 0b011, 0b111],
  ]);
});

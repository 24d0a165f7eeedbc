import fc from 'fast-check';
import { expect, it } from 'vitest';
import { prefixCodes } from '../../../../src/picture/encode/prefix-code.ts';

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

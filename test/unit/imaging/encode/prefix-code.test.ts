import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalCodes, codeLengths } from '../../../../src/picture/encode/prefix-code.ts';

const kraftSum = (lengths: Uint8Array) => lengths.reduce((sum, length) => sum + (length ? 2 ** -length : 0), 0);

it('prefix codes give frequent symbols short codes', () => {
  expect([...codeLengths([8, 4, 0, 2, 1, 1], 15)]).toEqual([1, 2, 0, 3, 4, 4]);
});

it('prefix codes stay within the longest length whatever the counts, and leave no code unused', () => {
  const counts = fc.array(
    fc.oneof(
      fc.constant(0),
      fc.double({ min: 0, max: 30, noNaN: true }).map((e) => Math.floor(2 ** e)),
    ),
    { minLength: 2, maxLength: 280 },
  );
  const property = fc.property(counts, fc.constantFrom(9, 15, 16), (drawn, longest) => {
    const lengths = codeLengths(drawn, longest);
    const used = drawn.filter((count) => count > 0).length;
    expect(lengths.filter((length) => length > 0).length).toBe(used);
    expect(lengths.every((length) => length <= longest)).toBe(true);
    if (used > 1) expect(kraftSum(lengths)).toBe(1);
  });
  fc.assert(property, { numRuns: 300, seed: 8 });
});

it('prefix codes limit a chain of Fibonacci counts, which would need 29 bits', () => {
  const counts = [1, 1];
  while (counts.length < 30) counts.push((counts.at(-1) as number) + (counts.at(-2) as number));
  expect(Math.max(...codeLengths(counts, 40))).toBe(29);
  const limited = codeLengths(counts, 15);
  expect(Math.max(...limited)).toBeLessThanOrEqual(15);
  expect(kraftSum(limited)).toBe(1);
});

it('prefix codes orders codes canonically: shorter first, then by symbol', () => {
  expect([...canonicalCodes(Uint8Array.of(2, 1, 3, 3))]).toEqual([0b10, 0b0, 0b110, 0b111]);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contentRange, requestedRange } from '../../../src/platform/http/response.ts';

it.each<[string | null, unknown]>([
  [null, 'whole'],
  ['Bytes= 5 - 6 ', { offset: 5, length: 2 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=100-200', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
  ['bytes=9-8', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=a-b', 'whole'],
  ['bytes=0-1,4-5', 'whole'],
  ['bytes=0-1.5', 'whole'],
  ['lines=0-1', 'whole'],
  ['bytes 0-1', 'whole'],
  ['bytes=- 6 ', { offset: 94, length: 6 }],
  ['bytes= 5 -', { offset: 5, length: 95 }],
])('requestedRange of 100 bytes reads %s as %o', (header, expected) => {
  expect(requestedRange(header, 100)).toEqual(expected);
});

it('requestedRange ignores ranges of more than 1000 characters, and satisfies none of an empty representation', () => {
  const blanks = (count: number) => ' '.repeat(count);
  expect(requestedRange(`bytes=${blanks(991)}0-4`, 100)).toEqual({ offset: 0, length: 5 });
  expect(requestedRange(`bytes=${blanks(992)}0-4`, 100)).toBe('whole');
  // In time that grows with the square of the length, this one takes hours.
  expect(requestedRange(`bytes=${blanks(10_000_000)}x`, 100)).toBe('whole');
  expect(requestedRange('bytes=0-0', 0)).toBe('unsatisfiable');
  expect(requestedRange('bytes=-5', 0)).toBe('unsatisfiable');
});

it('requestedRange lies inside the representation and equals slicing, for any bounds', () => {
  const bound = fc.option(fc.nat(300), { nil: '' as const });
  fc.assert(
    fc.property(bound, bound, fc.nat(200), (first, last, size) => {
      const bytes = Array.from({ length: size }, (_, i) => i);
      const range = requestedRange(`bytes=${first}-${last}`, size);
      const isRange = first === '' ? size > 0 && Number(last) > 0 : first < size && (last === '' || last >= first);
      expect(typeof range).toBe(isRange ? 'object' : 'string');
      if (typeof range === 'string') return;
      expect(range.length).toBeGreaterThan(0);
      const expected =
        first === '' ? bytes.slice(-Number(last)) : bytes.slice(Number(first), last === '' ? size : Number(last) + 1);
      expect(bytes.slice(range.offset, range.offset + range.length)).toEqual(expected);
      expect(contentRange(range, size)).toBe(`bytes ${expected[0]}-${expected.at(-1)}/${size}`);
    }),
  );
});

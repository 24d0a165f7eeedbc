import { describe, expect, it } from 'vitest';
import { concatenated, sameBytes } from '../../../src/util/bytes.ts';

describe('concatenated', () => {
  it('joins byte arrays in order', () => {
    expect(concatenated([Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(3)])).toEqual(Uint8Array.of(1, 2, 3));
  });
});

describe('sameBytes', () => {
  it('compares length and content', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    expect(sameBytes(bytes, Uint8Array.of(1, 2, 3))).toBe(true);
    expect(sameBytes(bytes, Uint8Array.of(1, 2, 4))).toBe(false);
    expect(sameBytes(bytes, bytes.subarray(0, 2))).toBe(false);
  });
});

import { expect, it } from 'vitest';
import { concatenated, jsonBytes, jsonOf, parsedJson, sameBytes } from '../../../src/platform/util/bytes.ts';

it('concatenated joins byte arrays in order', () => {
  expect(concatenated([Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(3)])).toEqual(Uint8Array.of(1, 2, 3));
});

it('sameBytes compares length and content', () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect(sameBytes(bytes, Uint8Array.of(1, 2, 3))).toBe(true);
  expect(sameBytes(bytes, Uint8Array.of(1, 2, 4))).toBe(false);
  expect(sameBytes(bytes, bytes.subarray(0, 2))).toBe(false);
});

it('JSON in UTF-8: jsonBytes and jsonOf write and read back a value, beyond ASCII too', () => {
  const value = { name: 'Å 171', counts: [1, 2] };
  expect(jsonBytes(value)).toEqual(new TextEncoder().encode('{"name":"Å 171","counts":[1,2]}'));
  expect(jsonOf(jsonBytes(value))).toEqual(value);
  expect(parsedJson(jsonBytes(value))).toEqual(value);
});

it('JSON in UTF-8: jsonOf throws and parsedJson returns undefined for other bytes', () => {
  const bytes = Uint8Array.of(0x7b, 0xff);
  expect(() => jsonOf(bytes)).toThrow(SyntaxError);
  expect(parsedJson(bytes)).toBeUndefined();
});

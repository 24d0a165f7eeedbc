import { expect, it } from 'vitest';
import {
  hex,
  hmacSha256Hex,
  isJsonObject,
  jsonBytes,
  jsonOf,
  parsedJson,
  sameBytes,
  sha256,
  sha256Hex,
} from '../../../src/platform/util/bytes.ts';

it('sameBytes compares length and content', () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect(sameBytes(bytes, Uint8Array.of(1, 2, 3))).toBe(true);
  expect(sameBytes(bytes, Uint8Array.of(1, 2, 4))).toBe(false);
  expect(sameBytes(bytes, bytes.subarray(0, 2))).toBe(false);
});

it('JSON in UTF-8 is written and read back, beyond ASCII too, and throws or is undefined for other bytes', () => {
  const value = { name: 'Å 171', counts: [1, 2] };
  expect(jsonBytes(value)).toEqual(new TextEncoder().encode('{"name":"Å 171","counts":[1,2]}'));
  expect(jsonOf(jsonBytes(value))).toEqual(value);
  expect(parsedJson(jsonBytes(value))).toEqual(value);
  const bytes = Uint8Array.of(0x7b, 0xff);
  expect(() => jsonOf(bytes)).toThrow(SyntaxError);
  expect(parsedJson(bytes)).toBeUndefined();
});

const bytesOf = (text: string) => new TextEncoder().encode(text);

it('JSON that may be malformed is parsed or undefined, with a byte order mark, and with invalid UTF-8 unless that is fatal', () => {
  for (const fatal of [false, true]) {
    expect(parsedJson(bytesOf('\ufeff{"a":1}'), { fatal })).toEqual({ a: 1 });
    expect(parsedJson(bytesOf('{"a"'), { fatal })).toBeUndefined();
  }
  const bytes = Uint8Array.of(0x22, 0xff, 0x22);
  expect(parsedJson(bytes, { fatal: true })).toBeUndefined();
  expect(parsedJson(bytes)).toBe('\ufffd');
});

it('isJsonObject accepts objects, and no list, null or text', () => {
  expect([{}, { a: 1 }].every(isJsonObject)).toBe(true);
  expect([[], null, undefined, 'a', 1, true].some(isJsonObject)).toBe(false);
});

it('digests give the SHA-256 of FIPS 180-4, appendix B.1, and the HMAC-SHA-256 of RFC 4231, test case 2', async () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(await sha256Hex('abc')).toBe(abc);
  expect(await sha256Hex(Uint8Array.of(0x61, 0x62, 0x63))).toBe(abc);
  expect(hex(await sha256('abc'))).toBe(abc);
  const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  expect(await hmacSha256Hex('Jefe', 'what do ya want for nothing?')).toBe(expected);
});

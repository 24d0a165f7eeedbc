import { expect, it } from 'vitest';
import { isJsonObject, parsedJson, strictlyParsedJson } from '../../../src/platform/util/bytes.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

it('JSON that may be malformed parses bytes with a byte order mark, and returns undefined for text that is no JSON', () => {
  for (const parse of [parsedJson, strictlyParsedJson]) {
    expect(parse(bytesOf('\ufeff{"a":1}'))).toEqual({ a: 1 });
    expect(parse(bytesOf('{"a"'))).toBeUndefined();
  }
});

it('JSON that may be malformed refuses invalid UTF-8 when it is strict, and replaces it otherwise', () => {
  const bytes = Uint8Array.of(0x22, 0xff, 0x22);
  expect(strictlyParsedJson(bytes)).toBeUndefined();
  expect(parsedJson(bytes)).toBe('\ufffd');
});

it('isJsonObject accepts objects, and no list, null or text', () => {
  expect([{}, { a: 1 }].every(isJsonObject)).toBe(true);
  expect([[], null, undefined, 'a', 1, true].some(isJsonObject)).toBe(false);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { askedPart } from '../../../src/platform/http/response.ts';

const TAKEN = { etag: '"abc"', lastModifiedMs: Date.UTC(2024, 0, 1, 0, 0, 0, 700) };
const JAN_1 = 'Mon, 01 Jan 2024 00:00:00 GMT';
const JAN_2 = 'Tue, 02 Jan 2024 00:00:00 GMT';
const BEFORE = 'Sun, 31 Dec 2023 23:59:59 GMT';
const partOf = (headers: Headers, validators: Parameters<typeof askedPart>[1]) =>
  askedPart(new Request('http://sun.test/', { headers }), validators, 100);
const isNotModified = (...given: Parameters<typeof partOf>) => partOf(...given) === 'unchanged';
function rangeApplies(headers: Headers, validators: Parameters<typeof askedPart>[1]) {
  headers.set('Range', 'bytes=0-4');
  return partOf(headers, validators) !== 'whole';
}

it.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ 'If-None-Match': '*' }, true],
  [{ 'If-None-Match': '"ABC"' }, false],
  [{ 'If-None-Match': 'abc' }, false],
  [{ 'If-Modified-Since': JAN_1 }, true],
  [{ 'If-Modified-Since': JAN_2 }, true],
  [{ 'If-Modified-Since': BEFORE }, false],
  [{ 'If-Modified-Since': 'yesterday' }, false],
  [{ 'If-None-Match': '"x"', 'If-Modified-Since': JAN_2 }, false],
])('isNotModified given %o, returns %s', (headers, good) => {
  expect(isNotModified(new Headers(headers), TAKEN)).toBe(good);
});

it('isNotModified ignores If-Modified-Since for a representation without a date', () => {
  expect(isNotModified(new Headers({ 'If-Modified-Since': JAN_2 }), { etag: '"abc"' })).toBe(false);
});

it('isNotModified finds the tag in any list that contains it', () => {
  const tag = fc.stringMatching(/^[!#-~]{0,12}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), tag), { maxLength: 6 }), tag, fc.boolean(), (others, own, weak) => {
      const others_ = others.filter(([, text]) => text !== own).map(([isWeak, text]) => `${isWeak ? 'W/' : ''}"${text}"`);
      const headers = (tags: string[]) => new Headers({ 'If-None-Match': tags.join(' , ') });
      const validators = { etag: `"${own}"` };
      expect(isNotModified(headers(others_), validators)).toBe(false);
      expect(isNotModified(headers([...others_, `${weak ? 'W/' : ''}"${own}"`, ...others_]), validators)).toBe(true);
    }),
  );
});

it.each<[string | null, boolean]>([
  [null, true],
  ['"abc"', true],
  ['W/"abc"', false],
  ['"x"', false],
  [JAN_1, true],
  [JAN_2, false],
  ['garbage', false],
])('rangeApplies given If-Range %s, returns %s', (ifRange, honoured) => {
  expect(rangeApplies(new Headers(ifRange === null ? {} : { 'If-Range': ifRange }), TAKEN)).toBe(honoured);
});

it('rangeApplies returns false for a date when the representation has none', () => {
  expect(rangeApplies(new Headers({ 'If-Range': JAN_1 }), { etag: '"abc"' })).toBe(false);
});

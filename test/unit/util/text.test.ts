import { expect, it } from 'vitest';
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from '../../../src/platform/util/bytes.ts';
import { decodeReferences, escapeXml } from '../../../src/platform/util/markup.ts';

/** Encoded with every symbol in which the two alphabets differ. */
const BYTES = Uint8Array.of(0xfb, 0xef, 0xff, 0xfe);

it('base64 uses padding and the standard alphabet, and no padding and an alphabet of its own for URLs', () => {
  expect(toBase64(BYTES)).toBe('++///g==');
  expect(fromBase64('++///g==')).toEqual(BYTES);
  expect(toBase64Url(BYTES)).toBe('--___g');
  expect(fromBase64Url('--___g')).toEqual(BYTES);
});

it('base64 rejects text of another alphabet or an impossible length for URLs, and encodes long arrays', () => {
  for (const text of ['++///g', '--___g==', 'abcde', 'a b']) expect(fromBase64Url(text)).toBeNull();
  const long = new Uint8Array(300_000).fill(7);
  expect(fromBase64(toBase64(long))).toEqual(long);
});

it('escaping replaces the five special characters of XML', () => {
  expect(escapeXml(`<a b="c">'&amp;`)).toBe('&lt;a b=&quot;c&quot;&gt;&apos;&amp;amp;');
});

it('decodeReferences decodes names of XML and numbers once, and leaves others', () => {
  expect(decodeReferences('&lt;a&#62;&#x41;&amp;amp;')).toBe('<a>A&amp;');
  expect(decodeReferences('&AMP; &nbsp; &#1114112; &#x110000; & &lt')).toBe('&AMP; &nbsp; &#1114112; &#x110000; & &lt');
});

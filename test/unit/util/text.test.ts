import { expect, it } from 'vitest';
import { fromBase64, toBase64 } from '../../../src/platform/util/bytes.ts';
import { decodeReferences, escapeXml } from '../../../src/platform/util/markup.ts';

const BYTES = Uint8Array.of(0xfb, 0xef, 0xff, 0xfe);

it('base64 uses padding and the standard alphabet, and encodes long arrays', () => {
  expect(toBase64(BYTES)).toBe('++///g==');
  expect(fromBase64('++///g==')).toEqual(BYTES);
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

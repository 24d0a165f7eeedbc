import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IMMUTABLE } from '../../../src/http/cache-policy.ts';
import { asScript } from '../../../src/http/jsonp.ts';
import { jsonReply, textReply, XML_TYPE } from '../../../src/http/representation.ts';

/** Runs the script as a page would, and gives what the function was called with. */
function called(script: Uint8Array): unknown {
  return new Function('source', 'let got; const back = (value) => { got = value; }; eval(source); return got;')(
    new TextDecoder().decode(script),
  );
}

test('any JSON value arrives at the function as it was', async () => {
  await fc.assert(
    // A script that says __proto__ means another thing than JSON does; no answer has such a key.
    fc.asyncProperty(
      fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__')),
      async (value) => {
        const answer = await jsonReply(value, { policy: IMMUTABLE });
        expect(JSON.stringify(called(asScript(answer, 'back').bytes))).toBe(JSON.stringify(value));
      },
    ),
  );
});

test('any XML arrives as one string without its line breaks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const document = `<meta>${text}\\' \u2028\n</meta>`;
      const answer = await textReply(XML_TYPE, document, { policy: IMMUTABLE });
      expect(called(asScript(answer, 'back').bytes)).toBe(document.replace(/[\r\n]/g, ''));
    }),
  );
});

test('XML that is passed as a JSON string keeps its line breaks', async () => {
  const document = `<rss>\n'"\\ \u2028</rss>\n`;
  const answer = { ...(await textReply(XML_TYPE, document, { policy: IMMUTABLE })), isJsonString: true };
  const { bytes } = asScript(answer, 'back');
  expect(called(bytes)).toBe(document);
  expect(JSON.parse(new TextDecoder().decode(bytes).slice('back('.length, -1))).toBe(document);
});

test('the ETag of a script is not that of the answer, nor of another callback', async () => {
  const answer = await jsonReply({ id: 1 }, { policy: IMMUTABLE });
  const tags = [answer, asScript(answer, 'a'), asScript(answer, 'b')].map(({ etag }) => etag);
  expect(new Set(tags).size).toBe(3);
  for (const tag of tags) expect(tag).toMatch(/^"[0-9a-z-]+"$/);
});

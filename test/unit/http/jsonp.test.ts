import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asScript } from '../../../src/platform/http/jsonp.ts';
import { IMMUTABLE, jsonReply, textReply, XML_TYPE } from '../../../src/platform/http/response.ts';

/** Runs the script as a page does, and returns the argument of the function. */
function called(script: Uint8Array): unknown {
  return new Function('source', 'let got; const back = (value) => { got = value; }; eval(source); return got;')(
    new TextDecoder().decode(script),
  );
}

it('asScript passes any JSON value unchanged', async () => {
  await fc.assert(
    // __proto__ means another thing in a script than in JSON; no response has such a key.
    fc.asyncProperty(
      fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__')),
      async (value) => {
        const response = await jsonReply(value, { policy: IMMUTABLE });
        expect(JSON.stringify(called(asScript(response, 'back').bytes))).toBe(JSON.stringify(value));
      },
    ),
  );
});

it('asScript passes any XML as one string without line breaks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const document = `<meta>${text}\\' \u2028\n</meta>`;
      const response = await textReply(XML_TYPE, document, { policy: IMMUTABLE });
      expect(called(asScript(response, 'back').bytes)).toBe(document.replace(/[\r\n]/g, ''));
    }),
  );
});

it('asScript keeps the line breaks of XML that is passed as a JSON string', async () => {
  const document = `<rss>\n'"\\ \u2028</rss>\n`;
  const response = { ...(await textReply(XML_TYPE, document, { policy: IMMUTABLE })), isJsonString: true };
  const { bytes } = asScript(response, 'back');
  expect(called(bytes)).toBe(document);
  expect(JSON.parse(new TextDecoder().decode(bytes).slice('back('.length, -1))).toBe(document);
});

it('asScript gives each callback an ETag of its own', async () => {
  const response = await jsonReply({ id: 1 }, { policy: IMMUTABLE });
  const tags = [response, asScript(response, 'a'), asScript(response, 'b')].map(({ etag }) => etag);
  expect(new Set(tags).size).toBe(3);
  for (const tag of tags) expect(tag).toMatch(/^"[0-9a-z-]+"$/);
});

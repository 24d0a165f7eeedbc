// JSONP: the answer as a script that calls a function of the page with it.
import type { BytesRepresentation } from './representation.ts';

/**
 * The original service keeps application/json here. Browsers refuse to run that type as a script when the answer says
 * nosniff, which every answer of ours does, so it is sent as what it is.
 */
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** Line separators that JSON allows and older JavaScript does not. */
function scriptSafe(text: string): string {
  return text.replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029');
}

/** XML goes in as one single-quoted string without line breaks. */
function quoted(text: string): string {
  const escaped = text
    .replace(/\\/g, '\\\\')
    .replace(/'/g, "\\'")
    .replace(/[\r\n]+/g, '');
  return `'${scriptSafe(escaped)}'`;
}

function argumentOf({ bytes, contentType, isJsonString }: BytesRepresentation): string {
  const text = new TextDecoder().decode(bytes);
  if (contentType.startsWith('application/json')) return scriptSafe(text);
  return isJsonString ? scriptSafe(JSON.stringify(text)) : quoted(text);
}

/** `callback(<JSON>)` without a semicolon, or `callback('<XML>')`. The ETag names the function too. */
export function asScript(representation: BytesRepresentation, callback: string): BytesRepresentation {
  return {
    ...representation,
    contentType: SCRIPT_TYPE,
    bytes: new TextEncoder().encode(`${callback}(${argumentOf(representation)})`),
    etag: `${representation.etag.slice(0, -1)}-${callback}"`,
  };
}

// JSONP: a response as a script that passes it to a function of the page.
import { type BytesRepresentation, NO_STORE } from './response.ts';

/** Browsers refuse to run application/json, which the original service sends, as a script under nosniff. */
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** Escapes the line separators that JSON allows inside strings and JavaScript before ES2019 does not. */
const scriptSafe = (text: string): string => text.replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029');

/** Text as one single-quoted string without line breaks, as the original service passes XML. */
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

/** `callback(<JSON>)` without a semicolon, or `callback('<XML>')`. The ETag, if there is one, includes the function name. */
export function asScript(representation: BytesRepresentation, callback: string): BytesRepresentation {
  return {
    ...representation,
    contentType: SCRIPT_TYPE,
    bytes: new TextEncoder().encode(`${callback}(${argumentOf(representation)})`),
    etag: representation.etag && `${representation.etag.slice(0, -1)}-${callback}"`,
  };
}

/** A failure as a script with status 200, because a browser runs no script of another status. */
export function failureScript(body: object, callback: string): Response {
  const script = `${callback}(${scriptSafe(JSON.stringify(body))})`;
  return new Response(script, { headers: { 'Content-Type': SCRIPT_TYPE, 'Cache-Control': NO_STORE } });
}

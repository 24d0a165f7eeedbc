// Escaping of text for markup, in elements and in quoted attributes, and character references in markup.

/** The named references of XML 1.0 (section 4.6). */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
const ESCAPED: ReadonlyMap<string, string> = new Map([...NAMED].map(([name, character]) => [character, `&${name};`]));

/** Marks of markup, and what is no character of XML (section 2.2), as control characters and halves of surrogate pairs. */
const UNSAFE = /[&<>"']|[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Text for XML 1.0 (section 2.4), SVG included. */
export const escapeXml = (text: string): string => text.replace(UNSAFE, (character) => ESCAPED.get(character) ?? '\ufffd');

/** Text for HTML. The apostrophe is numeric, because HTML 4 has no `&apos;`. */
export const escapeHtml = (text: string): string => escapeXml(text).replaceAll('&apos;', '&#39;');

export const LAST_CODE_POINT = 0x10ffff;

const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi;

/** Text of XML with its character references decoded, once. Unknown names and numbers stay. */
export const decodeReferences = (text: string): string =>
  text.replace(REFERENCE, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });

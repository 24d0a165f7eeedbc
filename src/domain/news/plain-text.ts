// Text out of the markup of feeds. What comes out is never markup again: whoever writes it escapes it.

/** What feeds use; others stay as they stand. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    hellip: '…',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    deg: '°',
    micro: 'µ',
    times: '×',
    copy: '©',
  }),
);

const LAST_CODE_POINT = 0x10ffff;
/** Elements whose content is no text. */
const SILENT = /^<(script|style|template|noscript|iframe)\b/i;
/** Elements that begin or end a line. */
const BLOCK = /^<\/?(p|br|div|li|ul|ol|h\d|t[rdh]|blockquote|hr|img|figure)\b/i;
const MARKUP = /[a-z/!?]/i;
/** Characters that XML 1.0 does not have (section 2.2). */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Entities of XML and the common ones of HTML as characters, once. */
export function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? entity;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : entity;
  });
}

/** Where the markup ends that begins at `from`: behind its last character, or at the end of the text. */
function endOfMarkup(html: string, from: number): number {
  const after = (mark: string, start: number) => {
    const at = html.indexOf(mark, start);
    return at < 0 ? html.length : at + mark.length;
  };
  if (html.startsWith('<!--', from)) return after('-->', from + 4);
  const silent = SILENT.exec(html.slice(from, from + 12))?.[1];
  if (silent === undefined) return after('>', from);
  const closing = new RegExp(`</${silent}\\b[^>]{0,99}>?`, 'ig');
  closing.lastIndex = from;
  return closing.exec(html) ? closing.lastIndex : html.length;
}

/** Tags, comments, scripts and styles taken off; the text between them stays as it stands. */
export function withoutMarkup(html: string): string {
  const parts: string[] = [];
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open < 0) return parts.join('') + html.slice(at);
    parts.push(html.slice(at, open));
    // A sign between numbers.
    const isMarkup = MARKUP.test(html[open + 1] ?? '');
    const end = isMarkup ? endOfMarkup(html, open) : open + 1;
    parts.push(isMarkup ? (BLOCK.test(html.slice(open, open + 14)) ? ' ' : '') : '<');
    at = end;
  }
  return parts.join('');
}

/** One line of at most so many characters, without what XML cannot hold. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = text.toWellFormed().replace(NO_XML, '').replace(/\s+/g, ' ').trim();
  return line.length <= maxCharacters
    ? line
    : `${line
        .slice(0, maxCharacters - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}

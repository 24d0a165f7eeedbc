// Conversion of feed markup to plain text. The result is text, not safe markup: it has to be escaped wherever it is written.
import { decodeReferences, xmlCharacter } from '../../util/markup.ts';

/** Names common in feeds beside those of XML; others are left unchanged. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
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

/** Elements whose content is not text. */
const NON_TEXT = /^<(script|style|template|noscript|iframe)\b/i;
/** Elements that start or end a line. */
const BLOCK = /^<\/?(p|br|div|li|ul|ol|h\d|t[rdh]|blockquote|hr|img|figure)\b/i;
const MARKUP = /[a-z/!?]/i;
/** Characters that XML 1.0 excludes (section 2.2). */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Decodes XML entities and common HTML ones, once. */
export function decodeEntities(text: string): string {
  return decodeReferences(text, (name) => xmlCharacter(name) ?? ENTITIES.get(name));
}

/** End (exclusive) of the markup that starts at `from`; the end of the text for unclosed markup. */
function endOfMarkup(html: string, from: number): number {
  const after = (mark: string, start: number) => {
    const at = html.indexOf(mark, start);
    return at < 0 ? html.length : at + mark.length;
  };
  if (html.startsWith('<!--', from)) return after('-->', from + 4);
  const nonText = NON_TEXT.exec(html.slice(from, from + 12))?.[1];
  if (nonText === undefined) return after('>', from);
  const closing = new RegExp(`</${nonText}\\b[^>]{0,99}>?`, 'ig');
  closing.lastIndex = from;
  return closing.exec(html) ? closing.lastIndex : html.length;
}

/** Removes tags, comments, scripts and styles. Entities are left unchanged. */
export function stripMarkup(html: string): string {
  const parts: string[] = [];
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (open < 0) return parts.join('') + html.slice(at);
    parts.push(html.slice(at, open));
    // Otherwise a less-than sign in running text.
    const isMarkup = MARKUP.test(html[open + 1] ?? '');
    const end = isMarkup ? endOfMarkup(html, open) : open + 1;
    parts.push(isMarkup ? (BLOCK.test(html.slice(open, open + 14)) ? ' ' : '') : '<');
    at = end;
  }
  return parts.join('');
}

/** Collapses white space, removes characters that XML excludes, and cuts the line to `maxCharacters`. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = text.toWellFormed().replace(NOT_XML, '').replace(/\s+/g, ' ').trim();
  if (line.length <= maxCharacters) return line;
  const cut = line.slice(0, maxCharacters - 1).toWellFormed();
  return `${cut.replace(/\ufffd$/, '')}…`;
}

// The XML box of an archive file, scanned, because much is not well-formed: `<fits>` keywords and `<helioviewer>` notes in `<meta>`.
import { decodeReferences, LAST_CODE_POINT } from '../platform/util/markup.ts';
import type { LawHeader } from '../sun/laws/law.ts';

export interface Jp2Header {
  /** From `<meta` to `</meta>`, repaired so that XML parsers accept it. */
  readonly meta: string;
  /** Trimmed text by FITS keyword in upper case; SunPy writes them in lower case. Keywords that are empty or occur twice are left out. */
  readonly fits: ReadonlyMap<string, string>;
  /** Notes of the producer by keyword, with the HV_ keywords that old files have in `<fits>`. */
  readonly helioviewer: ReadonlyMap<string, string>;
}

/** Longest accepted header, characters; real ones have up to 20 000. */
const MAX_LENGTH = 1_000_000;

const CLOSING = '</meta>';

/** An opening tag. The 4000 characters of attributes, besides quoted ones, bound the stack of the matcher. */
const OPENING_TAG = /<([A-Za-z_][\w.-]*)(?:\s(?:"[^"]*"|'[^']*'|[^"'<>]){0,4000})?>/y;

/** Encoding of a text by its first two bytes: the mark of UTF-16, or `<` with a zero. */
const UTF16: Readonly<Record<number, string>> = { 65534: 'utf-16le', 15360: 'utf-16le', 65279: 'utf-16be', 60: 'utf-16be' };

/** The decoder of an encoding that a declaration names; null for a name that is not known. */
function decoderOf(label: string | undefined): TextDecoder | null {
  try {
    return label ? new TextDecoder(label) : null;
  } catch {
    return null;
  }
}

/** Text of the box: UTF-16 by its first bytes, UTF-8 where it is valid, else the encoding that it declares, else Latin-1. */
export function decodeXmlText(bytes: Uint8Array): string {
  const utf16 = UTF16[(bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)];
  if (utf16) return new TextDecoder(utf16).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    const latin1 = new TextDecoder('windows-1252');
    const declared = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/.exec(latin1.decode(bytes.subarray(0, 200)))?.[1];
    return (declared?.toLowerCase() === 'utf-8' ? latin1 : (decoderOf(declared) ?? latin1)).decode(bytes);
  }
}

/** Place of `<meta>` with a `<fits>` in a text, which may have other elements of that name; null without one. */
export function metaRange(text: string): { readonly start: number; readonly end: number } | null {
  const fits = text.search(/<fits[\s>]/);
  const start = [...text.slice(0, Math.max(0, fits)).matchAll(/<meta[\s>]/g)].at(-1)?.index;
  const closing = start === undefined ? -1 : text.indexOf(CLOSING, start);
  return start === undefined || closing < fits ? null : { start, end: closing + CLOSING.length };
}

/** Char of XML 1.0: a code point that is allowed in documents. */
function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code <= LAST_CODE_POINT);
}

/** Repairs defects of old headers: comparison signs between spaces, bare ampersands, control characters. */
function repair(meta: string): string {
  return (
    meta
      .replace(/(?<= )<(?= )/g, '&lt;')
      .replace(/(?<= )>(?= )/g, '&gt;')
      .replace(/&(?!(?:#\d+|#x[\da-f]+|amp|lt|gt|quot|apos);)/gi, '&amp;')
      .replace(/&#(?:(\d{1,7})|x([\da-f]{1,6}));/gi, (whole, decimal, hex) =>
        isXmlCharacter(decimal ? Number(decimal) : Number.parseInt(hex, 16)) ? whole : '',
      )
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML forbids
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
  );
}

/** Content of the first element `name`, to the end of `text` when it is not closed; null without such an element. */
function contentOf(text: string, name: string): string | null {
  const opening = new RegExp(`<${name}(?:\\s[^<>]*)?>`).exec(text);
  if (!opening) return null;
  const start = opening.index + opening[0].length;
  const end = text.indexOf(`</${name}>`, start);
  return text.slice(start, end < 0 ? undefined : end);
}

/** Visits every element whose closing tag is the next one after its opening tag, in one pass. */
function forEachElement(text: string, visit: (name: string, value: string) => void): void {
  let nextClosing = text.indexOf('</');
  let at = text.indexOf('<');
  while (at >= 0 && nextClosing >= 0) {
    OPENING_TAG.lastIndex = at;
    const opening = OPENING_TAG.exec(text);
    let resume = at + 1;
    if (opening) {
      const [tag, name] = opening;
      const start = at + tag.length;
      if (nextClosing < start) nextClosing = text.indexOf('</', start);
      if (nextClosing >= 0 && text.startsWith(`${name}>`, nextClosing + 2)) {
        visit(name!, text.slice(start, nextClosing));
        resume = nextClosing + 2;
      } else {
        resume = start;
      }
    }
    at = text.indexOf('<', resume);
  }
}

function readKeywords(content: string): Map<string, string> {
  const values = new Map<string, string>();
  forEachElement(content, (name, value) => {
    const keyword = name.toUpperCase();
    values.set(keyword, values.has(keyword) ? '' : decodeReferences(value).trim());
  });
  for (const [name, value] of values) if (value === '') values.delete(name);
  return values;
}

/** Reads the text of an XML box; null when it is too long or has no `<meta>` with a `<fits>`. */
export function parseXmlHeader(text: string): Jp2Header | null {
  if (text.length > MAX_LENGTH) return null;
  const range = metaRange(text);
  if (!range) return null;
  const meta = repair(text.slice(range.start, range.end));
  const fitsContent = contentOf(meta, 'fits');
  if (fitsContent === null) return null;
  const fits = readKeywords(fitsContent);
  const own = readKeywords(contentOf(meta, 'helioviewer') ?? '');
  const amongFits = [...fits].filter(([name]) => name.startsWith('HV_'));
  return { meta, fits, helioviewer: new Map([...amongFits, ...own]) };
}

/** The text of every element of this name in a header, in its order: some keywords occur twice. */
export function textsOf({ meta }: Pick<Jp2Header, 'meta'>, keyword: string): string[] {
  const texts: string[] = [];
  forEachElement(meta, (name, value) => {
    if (name.toUpperCase() === keyword) texts.push(decodeReferences(value).trim());
  });
  return texts;
}

/** The XML document that getJP2Header returns. */
export const headerDocument = (header: Jp2Header): string => `<?xml version="1.0" encoding="utf-8"?>\n${header.meta}`;

/** Characters of the comments of a header that are read; real ones have 1000. */
const COMMENT_CHARACTERS = 20_000;

export const lawHeader = (header: Jp2Header): LawHeader => ({
  keywords: new Map([...header.fits, ...header.helioviewer]),
  comment: textsOf(header, 'HV_COMMENT').join('\n').slice(0, COMMENT_CHARACTERS),
  isQuicklook: textsOf(header, 'HV_QUICKLOOK').some((text) => /^true$/i.test(text)),
});

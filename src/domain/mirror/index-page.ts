// Index pages of a folder, as Apache, nginx and other servers write them: the links are read, and nothing else of the markup.

import { decodeReferences, xmlCharacter } from '../../util/markup.ts';
import { percentDecoded } from '../../util/url.ts';
import { isVersionFolder } from '../archive/keys.ts';

const PARENT = '..';
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const ANCHOR = /<a(?=[\s/])/gi;
/** An attribute with its value (HTML, 13.1.2.3), from where the last one ended. */
const ATTRIBUTE = /[\s/]*([^\s=>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/y;
/** A character reference, which HTML also accepts without its semicolon and in upper case. */
const REFERENCE = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));?/gi;

/** Text of an attribute with its character references resolved (HTML, 13.2.5.72, the ones that occur in addresses). */
const unescaped = (text: string) => decodeReferences(text, (name) => xmlCharacter(name.toLowerCase()), REFERENCE);

/** Decoded segment of a path; null for an invalid escape, and for a segment that would leave the folder. */
function segmentOf(text: string): string | null {
  const segment = percentDecoded(text);
  return segment === null || ['', '.', '..'].includes(segment) || /[/\\\0]/.test(segment) ? null : segment;
}

/** Addresses of the links of a page. Each tag is read once, so that the time is in proportion to the length of any text. */
function* addresses(html: string): Generator<string> {
  const anchors = new RegExp(ANCHOR);
  const attributes = new RegExp(ATTRIBUTE);
  while (anchors.test(html)) {
    attributes.lastIndex = anchors.lastIndex;
    for (let found = attributes.exec(html); found; found = attributes.exec(html)) {
      anchors.lastIndex = attributes.lastIndex;
      if (found[1]!.toLowerCase() === 'href') yield unescaped(found[2] ?? found[3] ?? found[4] ?? '').trim();
    }
  }
}

/** What a folder has by its paths below it, without repetition, in ascending order. */
export interface FolderIndex {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

const OPENED = /<html[\s>]/i;
const CLOSED = /<\/html\s*>/i;

/**
 * Entries directly below the folder of an index page, by its links, and files in folders of versions (`isVersionFolder`) there. Links to other sites, to other orders of the list (`?C=M`) and deeper into
 * the tree are left out. Null for a page that is cut off, and for one that links neither to something in its folder nor to the folder
 * itself or its parent, as the page of a login.
 * @param folder Address of the folder, with a slash at its end
 */
export function readIndexPage(html: string, folder: URL): FolderIndex | null {
  if (OPENED.test(html) && !CLOSED.test(html)) return null;
  const parent = new URL(PARENT, folder).pathname;
  const folders = new Set<string>();
  const files = new Set<string>();
  let isIndex = false;
  for (const address of addresses(html.replace(COMMENT, ''))) {
    const target = URL.parse(address, folder.href);
    if (!target || target.origin !== folder.origin) continue;
    isIndex ||= target.pathname === folder.pathname || target.pathname === parent;
    if (target.search !== '' || !target.pathname.startsWith(folder.pathname)) continue;
    const segments = target.pathname.slice(folder.pathname.length).split('/');
    const isFolder = segments.at(-1) === '' && segments.length > 1;
    const names = (isFolder ? segments.slice(0, -1) : segments).map(segmentOf);
    const isBelow = names.length === 1 || (names.length === 2 && !isFolder && isVersionFolder(names[0] ?? ''));
    if (isBelow && !names.includes(null)) (isFolder ? folders : files).add(names.join('/'));
  }
  if (!isIndex && folders.size + files.size === 0) return null;
  return { folders: [...folders].sort(), files: [...files].sort() };
}

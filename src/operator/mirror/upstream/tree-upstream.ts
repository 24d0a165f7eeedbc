// An archive as folders with index pages, in the original layout: `<instrument>/<yyyy>/<mm>/<dd>/<leaf>/<file>`.
import { Parser } from 'htmlparser2';
import { isVersionFolder, keyedName } from '../../../archive/keys.ts';
import { MIRROR_LATE_MS, MIRROR_REQUESTS, TREE_DIRECT_DAYS } from '../../../platform/limits/mirror.ts';
import { sha256Hex } from '../../../platform/util/bytes.ts';
import { DAY_MS } from '../../../platform/util/durations.ts';
import { when } from '../../../platform/util/errors.ts';
import { percentDecoded } from '../../../platform/util/url.ts';
import { archiveDirectory, type DataSource, isSourceGroup } from '../../../sun/catalogue/datasource.ts';
import { allSources, findSource } from '../../../sun/catalogue/sources.ts';
import { dayMs, dayStart, fileNameTime } from '../../../sun/time.ts';
import { MirrorError, type UpstreamFile, type UpstreamPage, type UpstreamQuery } from '../ports.ts';
import { MirrorUpstream } from './polite-client.ts';

const PARENT = '..';

/** Decoded segment of a path; null for an invalid escape, and for a segment that would leave the folder. */
function segmentOf(text: string): string | null {
  const segment = percentDecoded(text);
  return segment === null || ['', '.', '..'].includes(segment) || /[/\\\0]/.test(segment) ? null : segment;
}

/** Keeps no open elements: the parser would search them for each tag. */
class TagParser extends Parser {
  protected override isVoidElement(): boolean {
    return true;
  }
}

/** Addresses of the links of a page. */
function addresses(html: string): string[] {
  const found: string[] = [];
  const onopentag = (name: string, { href }: Readonly<Record<string, string>>) => {
    if (name === 'a' && href !== undefined) found.push(href.trim());
  };
  new TagParser({ onopentag }).end(html);
  return found;
}

/** Contents of a folder by their paths below it, without repetition, in ascending order. */
type FolderIndex = { readonly folders: readonly string[]; readonly files: readonly string[] };

const OPENED = /<html[\s>]/i;
const CLOSED = /<\/html\s*>/i;

/**
 * Entries directly below the folder of an index page, and files in folders of versions (`isVersionFolder`) there, without links to other sites,
 * to other orders (`?C=M`) and deeper. Null for a page that is cut off, and for one without a link into or around its folder, as of a login.
 * @param folder Address with a slash at its end
 */
export function readIndexPage(html: string, folder: URL): FolderIndex | null {
  if (OPENED.test(html) && !CLOSED.test(html)) return null;
  const parent = new URL(PARENT, folder).pathname;
  const folders = new Set<string>();
  const files = new Set<string>();
  let isIndex = false;
  for (const address of addresses(html)) {
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

/** Pages in sequence that may fail before the upstream counts as failing. */
const FAILURES = 3;

const JP2 = /\.jp2$/i;
const EMPTY: FolderIndex = { folders: [], files: [] };
const UNCHANGED = 'unchanged';

/** Validators by which a changed page is recognised. Many servers give index pages neither a tag nor a date. */
interface PageVersion {
  readonly etag?: string | undefined;
  readonly modified?: string | undefined;
  readonly sha256: string;
}

/** An archive by the address of the folder that has those of the instruments. */
export class TreeUpstream extends MirrorUpstream {
  readonly lateMs = MIRROR_LATE_MS.tree;

  async sources(): Promise<readonly number[]> {
    const { folders } = await this.#folder(this.ports.root);
    const found = allSources.filter((source) => !isSourceGroup(source) && folders.includes(source.archiveDirectory));
    if (found.length > 0) return found.map(({ id }) => id);
    throw new MirrorError('absent', `${this.address} has no folder of an instrument, such as AIA/. Check the address.`);
  }

  async *pages(query: UpstreamQuery): AsyncGenerator<UpstreamPage> {
    const source = findSource(query.sourceId)!;
    let failures = 0;
    let isThere = false;
    for await (const startMs of this.#days(source, query)) {
      try {
        const page = await this.#page(source, startMs, query);
        if (!isThere && page.version === null) await this.#expectFolder(source);
        isThere = true;
        yield page;
        failures = 0;
      } catch (error) {
        failures += 1;
        if (!(error instanceof MirrorError) || ['busy', 'absent'].includes(error.problem) || failures >= FAILURES) throw error;
        isThere = true;
        yield { ...pageOf(this.#dayFolder(source, startMs), startMs), failure: error.message };
      }
    }
    if (!isThere) await this.#expectFolder(source);
  }

  /** Tells an archive without images of a source from a wrong address. @throws MirrorError where no instrument has a folder */
  async #expectFolder({ archiveDirectory: instrument }: DataSource): Promise<void> {
    const found = await this.#index(this.#below(this.ports.root, instrument), null);
    if (found !== UNCHANGED && found.version === null) await this.sources();
  }

  /** Starts of the days from `fromMs` to `toMs`; those that have a folder, when there are many. */
  async *#days({ archiveDirectory: instrument }: DataSource, { fromMs, toMs }: UpstreamQuery): AsyncGenerator<number> {
    const firstMs = dayStart(fromMs);
    if (toMs - firstMs <= TREE_DIRECT_DAYS * DAY_MS) {
      for (let startMs = firstMs; startMs <= toMs; startMs += DAY_MS) yield startMs;
      return;
    }
    const top = this.#below(this.ports.root, instrument);
    const isWithin = (startMs: number, endMs: number) => endMs > firstMs && startMs <= toMs;
    for (const year of numbersOf(await this.#folder(top), /^\d{4}$/)) {
      if (!isWithin(Date.UTC(year, 0), Date.UTC(year + 1, 0))) continue;
      const inYear = this.#below(top, String(year));
      for (const month of numbersOf(await this.#folder(inYear), /^\d\d$/)) {
        if (!isWithin(Date.UTC(year, month - 1), Date.UTC(year, month))) continue;
        const inMonth = this.#below(inYear, String(month).padStart(2, '0'));
        for (const day of numbersOf(await this.#folder(inMonth), /^\d\d$/)) {
          const startMs = dayMs(year, month, day);
          if (startMs !== null && isWithin(startMs, startMs + DAY_MS)) yield startMs;
        }
      }
    }
  }

  async #page(source: DataSource, startMs: number, { known }: UpstreamQuery): Promise<UpstreamPage> {
    const folder = this.#dayFolder(source, startMs);
    const page = pageOf(folder, startMs);
    const text = await known(page.key);
    const earlier: PageVersion | null = text === null ? null : JSON.parse(text);
    const found = await this.#index(folder, earlier);
    if (found === UNCHANGED) return { ...page, version: text, isUnchanged: true };
    const files = found.index.files.filter((path) => JP2.test(path)).map((path) => this.#file(folder, path, startMs));
    return { ...page, version: found.version, files: files.sort((a, b) => a.atMs - b.atMs) };
  }

  #file(folder: URL, path: string, startMs: number): UpstreamFile {
    const address = new URL(path.split('/').map(encodeURIComponent).join('/'), folder).href;
    const fileName = keyedName(path);
    return { fileName, address, atMs: fileNameTime(fileName) ?? startMs };
  }

  #dayFolder(source: DataSource, startMs: number): URL {
    return this.#below(this.ports.root, ...archiveDirectory(source, startMs, '').split('/'));
  }

  #below(folder: URL, ...segments: readonly string[]): URL {
    return new URL(`${segments.map(encodeURIComponent).join('/')}/`, folder);
  }

  async #folder(folder: URL): Promise<FolderIndex> {
    const found = await this.#index(folder, null);
    return found === UNCHANGED ? EMPTY : found.index;
  }

  #index(folder: URL, earlier: PageVersion | null) {
    const read = async (bytes: Uint8Array, headers: Headers) => {
      const index = readIndexPage(new TextDecoder().decode(bytes), folder);
      if (!index) throw new MirrorError('failing', 'The folder has no complete index page.');
      const sha256 = await sha256Hex(bytes);
      const [etag, modified] = [headers.get('ETag') ?? undefined, headers.get('Last-Modified') ?? undefined];
      const version: PageVersion = { etag, modified, sha256 };
      return sha256 === earlier?.sha256 ? UNCHANGED : { index, version: JSON.stringify(version) };
    };
    const headers = {
      ...(earlier?.etag === undefined ? {} : { 'If-None-Match': earlier.etag }),
      ...(earlier?.modified === undefined ? {} : { 'If-Modified-Since': earlier.modified }),
    };
    return this.ports.client
      .get(folder, { accept: 'text/html', maxBytes: MIRROR_REQUESTS.pageBytes, read, headers, unchanged: UNCHANGED })
      .catch(when(MirrorError, ({ problem }) => (problem === 'absent' ? { index: EMPTY, version: null } : undefined)));
  }
}

function pageOf(folder: URL, startMs: number): UpstreamPage {
  const span = { fromMs: startMs, toMs: startMs + DAY_MS - 1 };
  return { key: folder.href, version: null, isUnchanged: false, failure: null, files: [], span };
}

const numbersOf = ({ folders }: FolderIndex, form: RegExp) => folders.filter((name) => form.test(name)).map(Number);

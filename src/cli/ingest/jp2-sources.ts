// The files of an ingest: on disk, in folders, at http addresses, in a list on standard input. They are found while they are sent.
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { UPLOAD } from '../../platform/limits/images.ts';
import { boundedBody } from '../../platform/util/bytes.ts';
import { percentDecoded } from '../../platform/util/url.ts';
import { downloaded } from '../command.ts';

const STANDARD_INPUT = '-';

/** Codes of a folder that other programs have removed, or replaced by a file, since it was listed. */
const VANISHED: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

export interface Jp2Source {
  /** Path or address. */
  readonly label: string;
  readonly fileName: string;
  /** Whether reading costs more than a look-up of the name at the service. */
  readonly remote: boolean;
  /** Text that changes with the content; null for a file that does not exist. */
  version(): Promise<string | null>;
  /** The whole file. @throws TooLargeError above the upload limit */
  read(): Promise<Uint8Array>;
}

export class TooLargeError extends Error {
  constructor() {
    super(`The file has more than ${UPLOAD.bodyBytes} bytes, the most of an upload.`);
  }
}

/** Files, those below folders, http addresses, and for `-` the paths and addresses in the lines of `input`. @throws Error for a missing path */
export async function* findSources(paths: readonly string[], input: NodeJS.ReadableStream): AsyncGenerator<Jp2Source> {
  for (const path of paths)
    if (path !== STANDARD_INPUT && !isAddress(path) && !(await stat(path).catch(() => null)))
      throw new Error(`Expected a file, a folder or an http address for PATH, got ${path}.`);
  for (const path of new Set(paths)) {
    if (path === STANDARD_INPUT) {
      for await (const line of createInterface({ input })) if (line.trim() !== '') yield* sourcesOf(line.trim());
    } else yield* sourcesOf(path);
  }
}

const isAddress = (path: string) => /^https?:\/\//.test(path);

async function* sourcesOf(path: string): AsyncGenerator<Jp2Source> {
  if (isAddress(path)) yield download(path);
  else if ((await stat(path).catch(() => null))?.isDirectory()) yield* filesBelow(path);
  else yield fileSource(path);
}

/**
 * The .jp2 files below a folder, in the order of their names; one folder at a time is in memory. A folder that vanishes has none. Links to files
 * are followed, those to folders are not, because they may lead back.
 */
export async function* filesBelow(folder: string): AsyncGenerator<Jp2Source> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (!VANISHED.includes(error.code)) throw error;
    return [];
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.name.endsWith('.jp2') && (entry.isFile() || (await isLinkToFile(entry, path)))) yield fileSource(path);
  }
}

const isLinkToFile = async (entry: Dirent, path: string): Promise<boolean> =>
  entry.isSymbolicLink() && ((await stat(path).catch(() => null))?.isFile() ?? false);

export const fileSource = (path: string): Jp2Source => ({
  label: resolve(path),
  fileName: basename(path),
  remote: false,
  async version() {
    const found = await stat(path).catch(() => null);
    return found && `${found.size} ${found.mtimeMs}`;
  },
  async read() {
    if ((await stat(path)).size > UPLOAD.bodyBytes) throw new TooLargeError();
    return readFile(path);
  },
});

/** A file at an address, whose content is expected to stay. */
const download = (address: string): Jp2Source => ({
  label: address,
  fileName: fileNameOf(address),
  remote: true,
  version: async () => 'at its address',
  async read() {
    const bytes = await boundedBody((await downloaded(address)).body, { maxBytes: UPLOAD.bodyBytes });
    if (!bytes) throw new TooLargeError();
    return bytes;
  },
});

/** The last part of the path of an address; that part as it is written when its escapes are not valid. */
function fileNameOf(address: string): string {
  const name = basename(URL.canParse(address) ? new URL(address).pathname : address);
  return percentDecoded(name) ?? name;
}

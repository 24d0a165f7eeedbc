// The files of an ingest: on disk, in folders, at http addresses.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { UPLOAD } from '../../config/limits/images.ts';
import { boundedBody } from '../../util/bounded-body.ts';

const DOWNLOAD_TIMEOUT_MS = 120_000;

export interface Jp2Source {
  /** Path or address. */
  readonly label: string;
  readonly fileName: string;
  /** Whether reading costs more than a look-up of the name at the service. */
  readonly remote: boolean;
  /**
   * The whole file.
   * @throws TooLargeError above the upload limit
   */
  read(): Promise<Uint8Array>;
}

export class TooLargeError extends Error {
  constructor() {
    super(`Expected at most ${UPLOAD.bodyBytes} bytes for the file, got more.`);
  }
}

/** Files, all .jp2 files below folders, and http(s) addresses of single files; in order, without duplicates. */
export async function findSources(paths: readonly string[]): Promise<Jp2Source[]> {
  const found = (await Promise.all(paths.map(sourcesOf))).flat();
  return [...new Map(found.map((source) => [source.label, source])).values()];
}

async function sourcesOf(path: string): Promise<Jp2Source[]> {
  if (/^https?:\/\//.test(path)) return [download(path)];
  const info = await stat(path).catch(() => null);
  if (!info) throw new Error(`Expected a file, a folder or an http address, got ${path}.`);
  if (!info.isDirectory()) return [fileSource(path)];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jp2'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map(fileSource);
}

/** A file on disk. */
export function fileSource(path: string): Jp2Source {
  return {
    label: path,
    fileName: basename(path),
    remote: false,
    async read() {
      if ((await stat(path)).size > UPLOAD.bodyBytes) throw new TooLargeError();
      return readFile(path);
    },
  };
}

function download(address: string): Jp2Source {
  return {
    label: address,
    fileName: decodeURIComponent(basename(new URL(address).pathname)),
    remote: true,
    async read() {
      const response = await fetch(address, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
      if (!response.ok) throw new Error(`Expected a file at ${address}, got status ${response.status}.`);
      const bytes = await boundedBody(response.body, { maxBytes: UPLOAD.bodyBytes });
      if (!bytes) throw new TooLargeError();
      return bytes;
    },
  };
}

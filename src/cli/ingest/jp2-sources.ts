// The files that an ingest is about: on disk, in folders, behind http addresses.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { UPLOAD } from '../../config/limits/images.ts';
import { boundedBody } from '../../util/bounded-body.ts';

const DOWNLOAD_TIMEOUT_MS = 120_000;

export interface Jp2Source {
  /** As the user named it. */
  readonly label: string;
  readonly fileName: string;
  /** True when reading costs more than asking the service whether it has a file of this name. */
  readonly remote: boolean;
  /** The whole file. Throws TooLargeError for one that no upload may have. */
  read(): Promise<Uint8Array>;
}

export class TooLargeError extends Error {
  constructor() {
    super(`Expected at most ${UPLOAD.bodyBytes} bytes for the file, got more.`);
  }
}

/** Files as they are, folders with every .jp2 below them, http(s) addresses of one file each; each once, in order. */
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
      const answer = await fetch(address, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
      if (!answer.ok) throw new Error(`Expected a file at ${address}, got status ${answer.status}.`);
      const bytes = await boundedBody(answer.body, { maxBytes: UPLOAD.bodyBytes });
      if (!bytes) throw new TooLargeError();
      return bytes;
    },
  };
}

// The disk of movie workers in memory, below a path of its own: `node:fs` outside it is as it was.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export const DISK = '/disk-of-a-world';
let files = new Map<string, Uint8Array<ArrayBuffer>>();
let folders = 0;

/** An empty disk. */
export function formatDisk(): void {
  files = new Map();
  folders = 0;
}

const missing = (path: string) =>
  Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' });

function fileAt(path: string): Uint8Array<ArrayBuffer> {
  const found = files.get(path);
  if (!found) throw missing(path);
  return found;
}

const bytesOf = (content: string | Uint8Array) =>
  new Uint8Array(typeof content === 'string' ? new TextEncoder().encode(content) : content.slice());

const own = {
  mkdir: async () => undefined,
  mkdtemp: async (prefix: string) => `${prefix}${++folders}`,
  writeFile: async (path: string, content: string | Uint8Array) => void files.set(path, bytesOf(content)),
  readFile: async (path: string, encoding?: string) => {
    const bytes = fileAt(path);
    return encoding === undefined ? Buffer.from(bytes) : new TextDecoder().decode(bytes);
  },
  rm: async (path: string) => {
    for (const name of [...files.keys()]) if (name === path || name.startsWith(`${path}/`)) files.delete(name);
  },
};

for (const [name, ours] of Object.entries(own)) {
  const theirs: unknown = Reflect.get(fs.promises, name);
  const either = (path: unknown, ...given: unknown[]) =>
    Reflect.apply((String(path).startsWith(DISK) ? ours : theirs) as never, fs.promises, [path, ...given]);
  Reflect.set(fs.promises, name, either);
}
const { openAsBlob } = fs;
fs.openAsBlob = async (path, options) =>
  String(path).startsWith(DISK) ? (blobOf(fileAt(String(path))) as unknown as Blob) : openAsBlob(path, options);
syncBuiltinESMExports();

/** A blob that is read without a thread. */
export const blobOf = (bytes: Uint8Array<ArrayBuffer>) => ({
  size: bytes.length,
  slice: (from: number, to: number) => blobOf(bytes.slice(from, to)),
  arrayBuffer: async () => bytes.slice().buffer,
});

// The JP2 files of sample shots in build/test, so that a shot is drawn and encoded once for all test files and runs.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { archivePath, imageFile } from '../../demo/image-file.ts';
import type { Shot } from '../../demo/instruments/instrument.ts';
import { useSampleMaps } from './sample-maps.ts';

const root = resolve(import.meta.dirname, '../..');
/** All that the files depend on besides the version of Node: the code that draws them, and the packages. */
const SOURCES = ['demo', 'src/sun', 'src/platform/util', 'package-lock.json'];
const PREFIX = 'sample-files-';

let known: string | undefined;

function filesOf(source: string): string[] {
  if (source.endsWith('.json')) return [source];
  const names = readdirSync(join(root, source), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.\w+$/.test(name)).map((name) => join(source, name));
}

/** The folder of this version of the code. Removes those of others. */
function cacheFolder(): string {
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(process.version);
  for (const file of SOURCES.flatMap(filesOf).sort()) hash.update(file).update(readFileSync(join(root, file)));
  const parent = join(root, 'build', 'test');
  const name = PREFIX + hash.digest('hex').slice(0, 16);
  mkdirSync(join(parent, name), { recursive: true });
  for (const other of readdirSync(parent)) {
    if (other.startsWith(PREFIX) && other !== name) rmSync(join(parent, other), { recursive: true, force: true });
  }
  known = join(parent, name);
  return known;
}

function fileAt(path: string): Uint8Array | null {
  try {
    return new Uint8Array(readFileSync(path));
  } catch {
    return null;
  }
}

/** The JP2 file of a shot, as `imageFile` of the sample makes it. */
export async function sampleFile(shot: Shot): Promise<Uint8Array> {
  const path = join(cacheFolder(), `${shot.sourceId}-${shot.timeMs}-${shot.size}.jp2`);
  const stored = fileAt(path);
  if (stored) return stored;
  useSampleMaps();
  const made = await imageFile(shot);
  // A temporary name and a rename, so that another process never reads an incomplete file.
  writeFileSync(`${path}.${process.pid}`, made);
  renameSync(`${path}.${process.pid}`, path);
  return made;
}

/** `isTurned`: the header states a roll of 9 degrees. */
export type TestShot = Shot & { readonly isTurned?: boolean };

const turned = (jp2: Uint8Array) => Buffer.from(Buffer.from(jp2).toString('latin1').replace('<CROTA>0', '<CROTA>9'), 'latin1');

/** Writes the files of shots below a folder, with the paths of the archive: the paths in order. */
export async function writeSampleFiles(shots: readonly TestShot[], folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const { isTurned, ...shot } of shots) {
    const path = join(folder, archivePath(shot));
    mkdirSync(dirname(path), { recursive: true });
    const jp2 = await sampleFile(shot);
    writeFileSync(path, isTurned ? turned(jp2) : jp2);
    paths.push(path);
  }
  return paths.sort();
}

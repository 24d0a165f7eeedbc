// The noise maps of the sample Sun in a file, so that one test file of a run computes them (seconds) and the others read them.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { mapMemory, sphereMaps } from '../../demo/sun/sphere-maps.ts';

const root = resolve(import.meta.dirname, '../..');
/** All that the maps depend on besides the version of Node. */
const SOURCES = ['sphere-maps.ts', 'noise.ts'];

let ready = false;

/** Makes this process use the maps of `build/test`, which are computed and written if they are missing. */
export function useSampleMaps(): void {
  if (ready) return;
  ready = true;
  const hash = createHash('sha256').update(process.version);
  for (const source of SOURCES) hash.update(readFileSync(resolve(root, 'demo/sun', source)));
  const file = resolve(root, 'build/test', `sphere-maps-${hash.digest('hex').slice(0, 16)}`);
  const memory = mapMemory();
  if (existsSync(file)) {
    new Uint8Array(memory).set(readFileSync(file));
    return;
  }
  sphereMaps();
  mkdirSync(resolve(root, 'build/test'), { recursive: true });
  // A temporary name and a rename, so that another process never reads an incomplete file.
  writeFileSync(`${file}.${process.pid}`, new Uint8Array(memory));
  renameSync(`${file}.${process.pid}`, file);
}

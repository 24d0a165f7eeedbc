// Builds the decoder core when its sources are newer than what was built.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';
import { projectRoot } from './settings.ts';

const modifiedAt = async (path: string) => (await stat(path).catch(() => null))?.mtimeMs ?? 0;

async function isStale(): Promise<boolean> {
  const sources = await readdir(join(projectRoot, 'wasm'), { recursive: true, withFileTypes: true });
  const files = sources.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const newest = Math.max(...(await Promise.all([...files, join(projectRoot, 'package-lock.json')].map(modifiedAt))));
  return (await modifiedAt(join(projectRoot, 'build', 'core.wasm'))) < newest;
}

/** Throws with what the compiler said when it refuses the sources. */
export async function buildCoreIfStale(say: (line: string) => void): Promise<void> {
  if (!(await isStale())) return;
  say('building the decoder core');
  await run('wasm/build.ts');
}

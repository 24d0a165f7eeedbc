// The artefacts in build/, which are never committed: the decoder core, the font of the overlays, the pages and the movie worker.
import { readdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot, run, runProgram } from '../command.ts';

interface Artefact {
  readonly name: string;
  readonly file: string;
  readonly builder: string;
  /** Files and folders beside the builder; the artefact is stale when anything in them is newer. */
  readonly sources: readonly string[];
}

/** Everything below src/ that runs in the Worker, parts of which are in the pages and in the movie worker as well. */
const SERVICE = readdirSync(join(projectRoot, 'src'))
  .filter((name) => !['cli', 'explorer'].includes(name))
  .map((name) => `src/${name}`);

const CORE: Artefact = { name: 'the decoder core', file: 'build/core.wasm', builder: 'wasm/build.ts', sources: ['wasm'] };
const FONT: Artefact = {
  name: 'the font of the overlays',
  file: 'build/overlay-font.ttf',
  builder: 'src/cli/build/overlay-font.ts',
  sources: [],
};
const PAGES: Artefact = {
  name: 'the pages',
  file: 'build/web/index.html',
  builder: 'src/cli/build/web.ts',
  sources: ['src/explorer', 'clients/typescript/core.ts', ...SERVICE, 'src/cli/build/service-members.ts'],
};

/** Built after the others, of which they are made. */
const COMPOSED: readonly Artefact[] = [
  {
    name: 'the movie worker',
    file: 'build/movie/main.mjs',
    builder: 'src/cli/build/movie-worker.ts',
    sources: [CORE.file, FONT.file, 'containers/movie', ...SERVICE],
  },
  {
    name: 'the Worker',
    file: 'build/local/worker.json',
    builder: 'src/cli/build/worker.ts',
    sources: [CORE.file, FONT.file, 'wrangler.toml', ...SERVICE],
  },
];

const modifiedAt = async (path: string) => (await stat(path).catch(() => null))?.mtimeMs ?? 0;

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function buildStale({ name, file, builder, sources }: Artefact, say: (line: string) => void): Promise<void> {
  const files = await Promise.all([builder, ...sources].map((source) => filesOf(join(projectRoot, source))));
  const inputs = [...files.flat(), join(projectRoot, 'package-lock.json')];
  const newest = Math.max(...(await Promise.all(inputs.map(modifiedAt))));
  if ((await modifiedAt(join(projectRoot, file))) >= newest) return;
  say(`building ${name}`);
  await run(builder);
}

/** Builds what is missing or older than its sources or packages. @throws ProgramError with the output of a builder that failed */
export async function buildStaleArtefacts(say: (line: string) => void): Promise<void> {
  await Promise.all([CORE, FONT, PAGES].map((artefact) => buildStale(artefact, say)));
  await Promise.all(COMPOSED.map((artefact) => buildStale(artefact, say)));
}

// npm run wasm
if (import.meta.main) await runProgram(() => buildStaleArtefacts(console.log).then(() => console.log('build/ is up to date')));

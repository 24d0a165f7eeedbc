// The artefacts in build/, which are never committed: the decoder core, the font of the overlays, the pages and the movie worker.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../run.ts';
import { projectRoot } from '../settings.ts';

interface Artefact {
  readonly name: string;
  readonly file: string;
  /** Program of the project that builds the artefact. */
  readonly builder: string;
  /** Files and folders; the artefact is stale when anything in them is newer. */
  readonly sources: readonly string[];
}

const ARTEFACTS: readonly Artefact[] = [
  { name: 'the decoder core', file: 'build/core.wasm', builder: 'wasm/build.ts', sources: ['wasm'] },
  {
    name: 'the font of the overlays',
    file: 'build/overlay-font.ttf',
    builder: 'src/cli/build/overlay-font.ts',
    sources: ['src/cli/build/overlay-font.ts'],
  },
  {
    name: 'the pages',
    file: 'build/web/index.html',
    builder: 'src/cli/build/web.ts',
    sources: ['src/web', 'src/domain', 'src/util', 'src/cli/build/web.ts', 'src/cli/build/icons.ts'],
  },
];

/** Built after the others, of which they are made. */
const COMPOSED: readonly Artefact[] = [
  // It lies in the folder of the pages, and the operations that it describes load the core.
  {
    name: 'the page of the API',
    file: 'build/web/docs/index.html',
    builder: 'src/cli/build/docs.ts',
    sources: ['src/routes', 'src/http', 'src/web/docs', 'src/cli/build/docs.ts', 'src/cli/build/docs-page.ts'],
  },
  {
    name: 'the movie worker',
    file: 'build/movie/main.mjs',
    builder: 'src/cli/build/movie-worker.ts',
    sources: [
      'build/core.wasm',
      'build/overlay-font.ttf',
      'containers/movie',
      ...['config', 'domain', 'imaging', 'ports', 'services', 'storage', 'util'].map((room) => `src/${room}`),
      'src/cli/build/movie-worker.ts',
    ],
  },
  {
    name: 'the Worker',
    file: 'build/local/worker.json',
    builder: 'src/cli/build/worker.ts',
    sources: [
      'build/core.wasm',
      'build/overlay-font.ttf',
      'wrangler.toml',
      ...['app', 'assemble', 'assembly', 'env', 'gateway', 'index'].map((name) => `src/${name}.ts`),
      ...['config', 'domain', 'http', 'imaging', 'jobs', 'ports', 'routes', 'services', 'storage', 'upstreams', 'util'].map(
        (room) => `src/${room}`,
      ),
      'src/cli/build/worker.ts',
    ],
  },
];

const modifiedAt = async (path: string) => (await stat(path).catch(() => null))?.mtimeMs ?? 0;

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function isStale({ file, sources }: Artefact): Promise<boolean> {
  const files = await Promise.all(sources.map((source) => filesOf(join(projectRoot, source))));
  const inputs = [...files.flat(), join(projectRoot, 'package-lock.json')];
  const newest = Math.max(...(await Promise.all(inputs.map(modifiedAt))));
  return (await modifiedAt(join(projectRoot, file))) < newest;
}

async function buildStale(artefact: Artefact, say: (line: string) => void): Promise<void> {
  if (!(await isStale(artefact))) return;
  say(`building ${artefact.name}`);
  await run(artefact.builder);
}

/**
 * Builds what is missing or older than its sources or packages.
 * @throws ProgramError with the output of a builder that failed
 */
export async function buildStaleArtefacts(say: (line: string) => void): Promise<void> {
  await Promise.all(ARTEFACTS.map((artefact) => buildStale(artefact, say)));
  await Promise.all(COMPOSED.map((artefact) => buildStale(artefact, say)));
}

// Builds the pages: bundles src/web/explorer into build/web, beside the static files and the icons.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { projectRoot } from '../settings.ts';
import { iconFile, iconPng } from './icons.ts';
import { writeFolder } from './write-folder.ts';

const SOURCES = join(projectRoot, 'src', 'web');
const TARGET = join(projectRoot, 'build', 'web');
/** Files below it have their hash in their name, so that browsers keep them. */
const HASHED = '/explorer/app';
interface PageSources {
  readonly entry: string;
  /** Module that the entry imports at once, after the texts. */
  readonly start: string;
  readonly style: string;
}

const PAGES: Readonly<Record<string, PageSources>> = {
  'index.html': { entry: 'explorer/main.tsx', start: 'explorer/start.tsx', style: 'style/explorer.css' },
  'embed.html': { entry: 'explorer/embed.tsx', start: 'explorer/start-embed.tsx', style: 'style/explorer.css' },
};
const TOUCH_ICON_PX = 180;

interface Built {
  /** Path of the output of an entry. */
  outputOf(entry: string): string;
  /** Paths of the modules that an entry imports at once. */
  importsOf(entry: string): string[];
}

/** Finds outputs by source. Paths of the metafile are relative to the project. */
function builtFrom({ outputs }: Metafile): Built {
  const pathOf = (file: string) => `${HASHED}/${basename(file)}`;
  const find = (entry: string) => Object.entries(outputs).find(([, output]) => output.entryPoint === `src/web/${entry}`)!;
  const imported = (file: string): string[] =>
    outputs[file]!.imports.filter(({ kind }) => kind === 'import-statement').flatMap(({ path }) => [path, ...imported(path)]);
  return {
    outputOf: (entry) => pathOf(find(entry)[0]),
    importsOf: (entry) => [...new Set(imported(find(entry)[0]))].map(pathOf),
  };
}

async function bundle(folder: string): Promise<Built> {
  const { metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: [...new Set(Object.values(PAGES).flatMap(({ entry, style }) => [entry, style]))].map((source) =>
      join('src', 'web', source),
    ),
    outdir: join(folder, HASHED),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  return builtFrom(metafile);
}

function withEntries(html: string, { entry, start, style }: PageSources, built: Built): string {
  const first = built.importsOf(entry);
  // The page requests them after its picture.
  const others = [built.outputOf(start), ...built.importsOf(start)].filter((path) => !first.includes(path));
  const tags = [
    `<link rel="stylesheet" href="${built.outputOf(style)}">`,
    ...first.map((path) => `<link rel="modulepreload" href="${path}">`),
    `<script type="application/json" id="modules">${JSON.stringify(others)}</script>`,
    `<script type="module" src="${built.outputOf(entry)}"></script>`,
  ];
  return html.replace('<!--entries-->', tags.join('\n    '));
}

async function buildInto(folder: string): Promise<void> {
  await cp(join(SOURCES, 'static'), folder, { recursive: true });
  const built = await bundle(folder);
  for (const [page, sources] of Object.entries(PAGES)) {
    await writeFile(join(folder, page), withEntries(await readFile(join(SOURCES, page), 'utf8'), sources, built));
  }
  const icon = await readFile(join(SOURCES, 'static', 'explorer', 'icon.svg'), 'utf8');
  await writeFile(join(folder, 'explorer', 'icon.png'), await iconPng(icon, TOUCH_ICON_PX));
  await writeFile(join(folder, 'favicon.ico'), await iconFile(icon));
}

await writeFolder(TARGET, buildInto);

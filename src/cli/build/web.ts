// Builds the pages: bundles src/explorer into build/web, beside the static files and the icons.
import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { build, type Metafile, type Plugin } from 'esbuild';
import { projectRoot } from '../command.ts';
import { withoutServiceMembers } from './service-members.ts';
import { writeFolder } from './write-folder.ts';

const ICO_PX = 32;
/** Header and one directory entry of an ICO file. */
const ICO_HEADER_BYTES = 22;
const BACKGROUND = '#0b0d12';

await initWasm(await readFile(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')));

const iconPng = (svg: string, side: number): Uint8Array =>
  new Resvg(svg, { fitTo: { mode: 'width', value: side }, background: BACKGROUND }).render().asPng();

/** Viewbox of the drawing, and with a margin for home screens, which cut corners to a circle of at least 80 % of the side. */
const DRAWN = 'viewBox="0 0 32 32"';
const WITH_MARGIN = 'viewBox="-6 -6 44 44"';

/** An ICO file of one picture: its header in words of 16 bits with kind, count, side, planes, depth, length and place of the picture, and a PNG. */
function iconFile(svg: string): Uint8Array {
  const png = iconPng(svg, ICO_PX);
  const [low, high] = [png.byteLength & 0xffff, png.byteLength >> 16];
  const header = Uint16Array.of(0, 1, 1, (ICO_PX << 8) | ICO_PX, 0, 1, 32, low, high, ICO_HEADER_BYTES, 0);
  return Buffer.concat([new Uint8Array(header.buffer), png]);
}

const SOURCES = join(projectRoot, 'src', 'explorer');
const TARGET = join(projectRoot, 'build', 'web');
/** Files below it have their hash in their name, so that browsers keep them. */
const HASHED = '/explorer/app';
interface PageSources {
  readonly entry: string;
  /** Module that the entry imports at once, after the texts. */
  readonly start?: string;
  readonly style: string;
}

type Pages = Readonly<Record<string, PageSources>>;

const EXPLORER: Pages = {
  'index.html': { entry: 'main.ts', start: 'page/app.tsx', style: 'style/explorer.css' },
  'embed.html': { entry: 'main.ts', start: 'embed.tsx', style: 'style/explorer.css' },
  'movie.html': { entry: 'main.ts', start: 'movies/movie-page.tsx', style: 'style/explorer.css' },
};
/** Bundled apart from the explorer, which would load a chunk for the viewer's module format. */
const DOCS: Pages = { 'docs/index.html': { entry: 'docs/docs.ts', style: 'docs/docs.css' } };
/** Sides of the icons of home screens: that of iOS, and those that a manifest needs. */
const HOME_ICONS_PX = [180, 192, 512];

/** Writes pictures within style sheets to files, because the policy of the pages allows no data URLs. */
const picturesAsFiles: Plugin = {
  name: 'pictures-as-files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^data:image\/svg\+xml/ }, ({ path }) => ({ path: `${path}.svg`, namespace: 'picture' }));
    onLoad({ filter: /.*/, namespace: 'picture' }, ({ path }) => ({
      contents: decodeURIComponent(path.slice(path.indexOf(',') + 1, -'.svg'.length)),
      loader: 'file',
    }));
  },
};

const objectIn = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as object;

/** The texts of a translation in the order of the English ones; null where it lacks one. */
const textsLike = (english: unknown, own: unknown): unknown[] =>
  typeof english === 'object'
    ? Object.entries(english!).flatMap(([key, child]) => textsLike(child, (own as Record<string, unknown> | undefined)?.[key]))
    : [own ?? null];

/** Writes translations without their keys, which are those of the English texts. */
const translationsAsLists: Plugin = {
  name: 'translations-as-lists',
  setup({ onLoad }) {
    onLoad({ filter: /texts\b.*\b(?:de|fr|es)\.json$/ }, async ({ path }) => {
      const english = await objectIn(join(dirname(path), 'en.json'));
      return { contents: JSON.stringify(textsLike(english, await objectIn(path))), loader: 'json' };
    });
  },
};

/** Modules that load after the first view, which share later.ts. */
const PARTS = /explorer.(?:movies|page.tour|panels|saving|time)\b/;

/** Modules of the pages that load later, when others import them. */
async function laterModules(): Promise<ReadonlySet<string>> {
  const later = new Set<string>();
  for await (const name of glob('**/*.{ts,tsx}', { cwd: SOURCES })) {
    const file = join(SOURCES, name);
    for (const [, path] of (await readFile(file, 'utf8')).matchAll(/import\('(\.[^']+\.tsx?)'\)/g))
      later.add(resolve(dirname(file), path!));
  }
  return later;
}

/** A module without side effects: unused constants are left out. */
const withPureConstants = (source: string): string =>
  source.replace(/^((?:export )?const \w+(?:: [^=]+)? = )(?=(?:new )?[\w.]+\()/gm, '$1/* @__PURE__ */ ');

/** Modules whose records have members that the service alone reads. */
const WITH_MEMBERS = /picture.(?:operations|projections).\w[\w-]*\.ts$|shaders\.ts$|sun.bodies.bodies\.ts$/;

const partsOfPages: Plugin = {
  name: 'parts-of-pages',
  async setup({ onResolve, onLoad }) {
    const later = await laterModules();
    onLoad({ filter: /explorer.*\.tsx?$/ }, async ({ path }) => {
      if (!later.has(path)) return null;
      const shared = ['core.ts', ...(PARTS.test(path) ? ['later.ts'] : [])].map((name) => JSON.stringify(join(SOURCES, name)));
      const contents = `${shared.map((name) => `import ${name};\n`).join('')}${await readFile(path, 'utf8')}`;
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
    // Modules outside the pages only define things, so that those of which nothing is used are left out.
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path);
      return file.startsWith(SOURCES) ? null : { path: file, sideEffects: false };
    });
    // As values, of which those that are not used are left out, unlike terms.
    onLoad({ filter: /platform.limits.(?:images|maps|movies|rendering|sharing)\.ts$/ }, async ({ path }) => ({
      contents: Object.entries((await import(path)) as object)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join('\n'),
    }));
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const hasMembers = WITH_MEMBERS.test(path);
      if (path.startsWith(SOURCES) && !hasMembers) return null;
      const source = await readFile(path, 'utf8');
      return { contents: withPureConstants(hasMembers ? withoutServiceMembers(source) : source), loader: 'ts' };
    });
  },
};

async function bundle(folder: string, pages: Pages): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: [...new Set(Object.values(pages).flatMap(({ entry, style }) => [entry, style]))].map((source) =>
      join('src', 'explorer', source),
    ),
    outdir: join(folder, HASHED),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: 'picture-[hash]',
    plugins: [picturesAsFiles, partsOfPages, translationsAsLists],
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    // Notices of licences, at the end of the files that need them.
    legalComments: 'eof',
    logLevel: 'silent',
  });
  return metafile;
}

function withEntries(html: string, { entry, start, style }: PageSources, { outputs }: Metafile): string {
  const imported = (file: string): string[] =>
    outputs[file]!.imports.filter(({ kind }) => kind === 'import-statement').flatMap(({ path }) => [path, ...imported(path)]);
  /** Addresses of the output of a source, and of what it imports. Paths of the metafile are relative to the project. */
  const modulesOf = (source: string): string[] => {
    const [file] = Object.entries(outputs).find(([, output]) => output.entryPoint === `src/explorer/${source}`)!;
    return [...new Set([file, ...imported(file)])].map((path) => `${HASHED}/${basename(path)}`);
  };
  const [script, ...first] = modulesOf(entry);
  // The page requests them after its picture.
  const later = start ? modulesOf(start).filter((path) => !first.includes(path)) : [];
  const tags = [
    `<link rel="stylesheet" href="${modulesOf(style)[0]}">`,
    ...first.map((path) => `<link rel="modulepreload" href="${path}">`),
    ...(start ? [`<script type="application/json" id="modules">${JSON.stringify(later)}</script>`] : []),
    `<script type="module" src="${script}"></script>`,
  ];
  return html.replace('<!--entries-->', tags.join('\n    '));
}

async function buildInto(folder: string): Promise<void> {
  await cp(join(SOURCES, 'static'), folder, { recursive: true });
  for (const pages of [EXPLORER, DOCS]) {
    const metafile = await bundle(folder, pages);
    for (const [page, sources] of Object.entries(pages)) {
      await mkdir(dirname(join(folder, page)), { recursive: true });
      await writeFile(join(folder, page), withEntries(await readFile(join(SOURCES, page), 'utf8'), sources, metafile));
    }
  }
  const icon = await readFile(join(SOURCES, 'static', 'explorer', 'icon.svg'), 'utf8');
  const home = icon.replace(DRAWN, WITH_MARGIN);
  for (const side of HOME_ICONS_PX) await writeFile(join(folder, 'explorer', `icon-${side}.png`), iconPng(home, side));
  await writeFile(join(folder, 'favicon.ico'), iconFile(icon));
}

await writeFolder(TARGET, buildInto);

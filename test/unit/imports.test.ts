import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..');

/** Rooms of src from the ground up: a room imports those before it. */
const ROOMS = ['sun', 'jp2', 'picture', 'platform', 'archive', 'events', 'movies', 'measure', 'sharing', 'operator', 'faces'];
/** Below all rooms: constants and small functions. */
const GROUND = ['src/platform/util/', 'src/platform/limits/'];
const PURE = [...GROUND, 'src/sun/', 'src/jp2/', 'src/picture/'];

/**
 * Allowed imports by layer. A layer is a path prefix. A file belongs to the longest prefix that matches, and may always import
 * from its own layer.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(GROUND.map((folder) => [folder, GROUND])),
  ...Object.fromEntries(
    ROOMS.map((room, i) => [`src/${room}/`, [...GROUND, ...ROOMS.slice(0, i).map((below) => `src/${below}/`)]]),
  ),
  // The pages run in browsers: of the service they may use what is pure.
  'src/explorer/': [...PURE, 'clients/typescript/core.ts', 'clients/typescript/operations.ts'],
  // A movie worker draws frames like the Worker, without its storage, faces or index.
  'containers/': [
    ...PURE,
    'src/platform/ports/',
    'src/platform/settings/',
    'src/archive/drawing/',
    'src/archive/reading/',
    'src/movies/',
  ],
  'demo/': [...PURE, 'src/cli/command.ts'],
};

/** Entry points, and what composes all layers. */
const MAY_IMPORT_ALL = ['src/worker/', 'src/cli/'];

/** Rooms without a public face, whose files others import one by one. This list may only shrink. */
const OPEN = ['sun', 'jp2', 'picture', 'platform', 'archive', 'events', 'movies', 'measure', 'sharing'];
/** A class that only workerd can load, for the entry points. */
const JPIP_CHANNEL = 'src/faces/jpip/jpip-channel.ts';
/** Programs and pages, which load single files, because a face would bring its whole room. */
const APART = ['src/cli/', 'src/explorer/', 'containers/', 'demo/'];

/** Node modules that workerd provides under nodejs_compat and that the Worker uses. */
const NODE_MODULES_IN_WORKERS = ['node:crypto', 'node:zlib'];

/** Folders that run in Node only. */
const IN_NODE = ['src/cli/', 'containers/', 'demo/'];

/** Output of `npm run wasm`. */
const ARTEFACTS = ['build/core.wasm', 'build/overlay-font.ttf'];

const filesBelow = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`);

const files = ['src', 'containers', 'demo'].flatMap(filesBelow);
const importsOf = (file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:import|export)\b[^'"]*?['"]([^'"]+)['"]/gm)].map((match) => match[1]!);
const startsWithAny = (path: string, prefixes: readonly string[]) => prefixes.some((prefix) => path.startsWith(prefix));
const layerOf = (file: string) =>
  Object.keys(MAY_IMPORT)
    .filter((layer) => file.startsWith(layer))
    .sort((a, b) => b.length - a.length)[0];

/** Relative imports of a file, as paths from the root of the repository. */
function localImports(file: string): string[] {
  return importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => relative(root, resolve(root, dirname(file), target)))
    .filter((target) => !ARTEFACTS.includes(target));
}

it('imports lead this test to every layer', () => {
  expect(localImports('src/archive/ingest/ingest.ts')).toContain('src/archive/ingest/describe-jp2.ts');
  expect(localImports('containers/movie/draw/thread.ts')).toContain('src/archive/drawing/frame-renderer.ts');
  expect(files.length).toBeGreaterThan(300);
});

it('imports follow the rooms: from the worker to the Sun, and to util', () => {
  const wrong = files
    .filter((file) => !startsWithAny(file, MAY_IMPORT_ALL))
    .flatMap((file) => {
      const layer = layerOf(file);
      if (layer === undefined) return [`${file} belongs to no layer`];
      return localImports(file)
        .filter((target) => !startsWithAny(target, [layer, ...MAY_IMPORT[layer]!]))
        .map((target) => `${file} imports ${target}`);
    });
  expect(wrong).toEqual([]);
});

it('imports take of another room what its public face has', () => {
  const roomOf = (file: string) => file.split('/')[1]!;
  const wrong = files
    .filter((file) => !startsWithAny(file, APART))
    .flatMap((file) =>
      localImports(file)
        .filter((target) => ![roomOf(file), ...OPEN].includes(roomOf(target)) && target !== JPIP_CHANNEL)
        .filter((target) => target !== `src/${roomOf(target)}/index.ts`)
        .map((target) => `${file} imports ${target}`),
    );
  expect(wrong).toEqual([]);
  expect(OPEN.filter((room) => files.includes(`src/${room}/index.ts`))).toEqual([]);
});

it('imports bring no Node module into the Worker but those of workerd', () => {
  const wrong = files
    .filter((file) => !startsWithAny(file, IN_NODE) && !file.endsWith('.node.ts'))
    .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
    .filter(({ target }) => target.startsWith('node:') && !NODE_MODULES_IN_WORKERS.includes(target));
  expect(wrong).toEqual([]);
});

it('imports keep databases from the faces', () => {
  const database = /\b(?:D1[A-Z]\w+|R2[A-Z]\w+|Databases)\b/;
  expect(filesBelow('src/faces').filter((file) => database.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  expect(filesBelow('src/worker').some((file) => database.test(readFileSync(join(root, file), 'utf8')))).toBe(true);
});

it('imports never cycle', () => {
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (path.includes(file) || finished.has(file)) return;
    for (const target of localImports(file)) if (files.includes(target)) visit(target, [...path, file]);
    finished.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

it('files hold at most 500 lines, styles and tests too, and folders at most 20 files', () => {
  const styles = readdirSync(join(root, 'src/explorer/style')).map((name) => `src/explorer/style/${name}`);
  const long = [...files, ...styles, ...filesBelow('test')].filter(
    (file) => readFileSync(join(root, file), 'utf8').split('\n').length > 501,
  );
  expect(long).toEqual([]);
  const counts = Map.groupBy([...files, ...filesBelow('test')], (file) => dirname(file));
  const large = [...counts]
    .filter(([, members]) => members.length > 20)
    .map(([folder, members]) => `${folder}: ${members.length}`);
  expect(large).toEqual([]);
});

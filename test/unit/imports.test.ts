import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..');

const PURE = ['src/domain/', 'src/picture/', 'src/config/', 'src/util/'];

/**
 * Allowed imports by layer. A layer is a path prefix. A file belongs to the longest prefix that matches, and may always import
 * from its own layer.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/util/': [],
  // Constants without dependencies.
  'src/config/limits/': ['src/util/'],
  'src/config/identity.ts': [],
  // What a picture is belongs to the domain, in a room of its own.
  'src/domain/': ['src/picture/', 'src/config/limits/', 'src/config/identity.ts', 'src/util/'],
  'src/picture/': ['src/domain/', 'src/config/limits/', 'src/util/'],
  'src/imaging/': ['src/domain/', 'src/picture/', 'src/util/'],
  'src/ports/': ['src/domain/', 'src/picture/'],
  'src/config/': ['src/domain/', 'src/picture/', 'src/util/'],
  'src/env.ts': ['src/config/'],
  // What each request may do. Services and routes ask the admission of theirs.
  'src/admission/': [...PURE, 'src/imaging/jp2/errors.ts', 'src/ports/', 'src/storage/'],
  'src/http/': [...PURE, 'src/ports/', 'src/admission/'],
  // Services import the types of adapters that have a single implementation.
  'src/services/': [...PURE, 'src/imaging/', 'src/ports/', 'src/storage/', 'src/upstreams/', 'src/admission/'],
  'src/routes/': [...PURE, 'src/imaging/jp2/errors.ts', 'src/ports/', 'src/http/', 'src/services/', 'src/admission/'],
  'src/storage/': [...PURE, 'src/ports/'],
  'src/upstreams/': [...PURE, 'src/ports/'],
  // The pages run in browsers: of the service they may use what is pure.
  'src/web/': [
    'src/config/limits/',
    'src/config/identity.ts',
    'src/domain/',
    'src/picture/',
    'src/util/',
    'clients/typescript/core.ts',
    'clients/typescript/operations.ts',
  ],

  'src/background.ts': [...PURE, 'src/services/', 'src/ports/'],
  'src/gateway.ts': ['src/routes/', 'src/http/', 'src/admission/', 'src/domain/', 'src/picture/'],
  // A movie worker draws frames like the Worker, without its storage, routes or archive.
  'containers/': [...PURE, 'src/services/rendering/', 'src/imaging/', 'src/ports/'],
  'demo/': ['src/domain/', 'src/picture/', 'src/imaging/', 'src/util/', 'src/cli/arguments.ts', 'src/cli/progress.ts'],
};

/** Entry points, and what composes all layers. */
const MAY_IMPORT_ALL = ['src/index.ts', 'src/local.ts', 'src/composition/', 'src/cli/'];

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

describe('imports', () => {
  it('lead this test to every layer', () => {
    expect(localImports('src/services/images/ingest.ts')).toContain('src/services/images/describe-jp2.ts');
    expect(localImports('containers/movie/draw/thread.ts')).toContain('src/services/rendering/frame-renderer.ts');
    expect(files.length).toBeGreaterThan(300);
  });

  it('follow the layers: towards imaging, domain and util', () => {
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

  it('bring no Node module into the Worker but those of workerd', () => {
    const wrong = files
      .filter((file) => !startsWithAny(file, IN_NODE) && !file.endsWith('.node.ts'))
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(({ target }) => target.startsWith('node:') && !NODE_MODULES_IN_WORKERS.includes(target));
    expect(wrong).toEqual([]);
  });

  it('never cycle', () => {
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
});

describe('files', () => {
  it('hold at most 500 lines, styles and tests too', () => {
    const styles = readdirSync(join(root, 'src/web/style')).map((name) => `src/web/style/${name}`);
    const long = [...files, ...styles, ...filesBelow('test')].filter(
      (file) => readFileSync(join(root, file), 'utf8').split('\n').length > 501,
    );
    expect(long).toEqual([]);
  });
});

describe('folders', () => {
  it('hold at most 20 files in a folder, those of the tests too', () => {
    const counts = Map.groupBy([...files, ...filesBelow('test')], (file) => dirname(file));
    const large = [...counts]
      .filter(([, members]) => members.length > 20)
      .map(([folder, members]) => `${folder}: ${members.length}`);
    expect(large).toEqual([]);
  });
});

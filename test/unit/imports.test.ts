import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..');
const src = join(root, 'src');

/** What the files of each part of src may import from other parts. Parts are folders, or files of src itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  imaging: ['domain'],
  'ports.ts': ['domain'],
  ports: ['domain', 'ports.ts'],
  'config.ts': ['domain', 'config'],
  config: ['domain'],
  'env.ts': [],
  http: ['domain', 'ports.ts', 'ports', 'config.ts', 'config'],
  // storage/keys.ts is the grammar of the keys and nothing else; adapters stay out of the services.
  services: ['domain', 'imaging', 'ports.ts', 'ports', 'config.ts', 'config', 'storage/keys.ts'],
  routes: ['http', 'services', 'domain', 'ports.ts', 'ports', 'config.ts', 'config'],
  storage: ['domain', 'ports.ts', 'ports', 'config.ts', 'config'],
  upstreams: ['domain', 'ports.ts', 'ports', 'config.ts', 'config'],
  jobs: ['services', 'domain', 'ports.ts', 'ports', 'config.ts', 'config'],
  'app.ts': ['routes', 'http', 'services', 'domain', 'ports.ts', 'ports', 'config.ts', 'config'],
  web: ['domain'],
};

/** The two ends where everything comes together. */
const MAY_IMPORT_ALL = ['index.ts', 'assemble.ts', 'cli'];

/** Modules of Node that workerd has under nodejs_compat and that Workers code uses. */
const NODE_MODULES_IN_WORKERS = ['node:crypto', 'node:zlib'];

/** What `npm run wasm` builds. */
const ARTEFACTS = ['../build/core.wasm', '../build/overlay-font.ttf'];

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const importsOf = (file: string) =>
  [...readFileSync(join(src, file), 'utf8').matchAll(/^(?:import|export)\b[^'"]*?['"]([^'"]+)['"]/gm)].map((match) => match[1]!);
const partOf = (file: string) => file.split('/')[0]!;

/** Imports of a file that leave its part, as paths below src; others are left out. */
function crossings(file: string): string[] {
  return importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => relative(src, resolve(src, dirname(file), target)))
    .filter((target) => partOf(target) !== partOf(file) && !ARTEFACTS.includes(target));
}

describe('imports', () => {
  it('are found by this test', () => {
    expect(crossings('services/ingest.ts')).toContain('domain/geometry.ts');
    expect(files.length).toBeGreaterThan(50);
  });

  it('point one way: towards imaging and domain', () => {
    const wrong = files
      .filter((file) => !MAY_IMPORT_ALL.includes(partOf(file)))
      .flatMap((file) => {
        const allowed = MAY_IMPORT[partOf(file)];
        if (!allowed) return [`${file}: ${partOf(file)} is no part of the design`];
        return crossings(file)
          .filter((target) => !allowed.includes(partOf(target)) && !allowed.includes(target))
          .map((target) => `${file} imports ${target}`);
      });
    expect(wrong).toEqual([]);
  });

  it('of Node modules stay out of what runs in the Worker', () => {
    const wrong = files
      .filter((file) => partOf(file) !== 'cli' && !file.endsWith('.node.ts'))
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(({ target }) => target.startsWith('node:') && !NODE_MODULES_IN_WORKERS.includes(target));
    expect(wrong).toEqual([]);
  });

  it('are kept from the commands by everything else', () => {
    const wrong = files.filter((file) => partOf(file) !== 'cli' && crossings(file).some((target) => partOf(target) === 'cli'));
    expect(wrong).toEqual([]);
  });
});

// The image of the movie worker holds what the program imports, and nothing that it does not.
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..', '..', '..');
const PROGRAMS = ['main.ts', 'draw-thread.ts'].map((name) => join(root, 'containers/movie', name));
const aliases = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: Record<string, { default: string }> })
  .imports;

/** Files of the project that the programs import, directly or not, and names of packages. */
function imported(): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [...PROGRAMS];
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const code = stripTypeScriptTypes(readFileSync(file, 'utf8'));
    for (const [, name = ''] of code.matchAll(/^(?:import|export)\b[^;]*?\bfrom\s*'([^']+)'|^import '([^']+)'/gm)) {
      const alias = aliases[name]?.default;
      if (alias) waiting.push(join(root, alias));
      else if (name.startsWith('.')) waiting.push(resolve(dirname(file), name));
      else if (!name.startsWith('node:')) packages.add(/^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
    }
  }
  return { files: [...files].map((file) => relative(root, file)), packages: [...packages].sort() };
}

describe('the image of the movie worker', () => {
  const dockerfile = readFileSync(join(root, 'containers/movie/Dockerfile'), 'utf8');
  const context = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  const { files, packages } = imported();

  it('has the packages that the program imports', () => {
    expect(files.length).toBeGreaterThan(100);
    const copied = [...dockerfile.matchAll(/^COPY --from=packages \/app\/node_modules\/(\S+)/gm)].map(([, name = '']) => name);
    // Its file is looked up by name.
    expect([...new Set([...packages, '@resvg/resvg-wasm'])].sort()).toEqual([...copied].sort());
  });

  it('has its files, and its context has them too', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' '));
    expect(files.filter((file) => !copied.some((place) => file.startsWith(`${place}/`)))).toEqual([]);
    expect(copied.filter((place) => !existsSync(join(root, place)))).toEqual([]);
    expect(copied.filter((place) => !context.includes(`!${place}`))).toEqual([]);
  });

  it('runs as nobody special, and says how it is', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });
});

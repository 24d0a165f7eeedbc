import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../src/cli/command.ts';
import { readBuiltWorker } from '../../../src/cli/local/built-worker.ts';
import { bundledSources, INTERFACES } from '../../support/system/interface-sources.ts';

describe('the built Worker', async () => {
  const worker = await readBuiltWorker();

  it('lists its entry point first, its WebAssembly as bytes and its pages in this project', () => {
    const [entry] = worker.modules;
    expect(entry).toMatchObject({ type: 'ESModule', path: join(worker.modulesRoot, 'local.js') });
    const compiled = worker.modules.filter(({ type }) => type === 'CompiledWasm');
    expect(compiled.length).toBe(3);
    for (const { contents } of compiled) expect([...contents.slice(0, 4)]).toEqual([0, 0x61, 0x73, 0x6d]);
    expect(worker.options.assets.directory).toBe(join(projectRoot, 'build', 'web'));
  });

  it('takes less than 2 MB compressed, and each interface for other tools less than 20 kB of them', () => {
    const compressed = (contents: string | Uint8Array) => gzipSync(contents, { level: 9 }).length;
    const sizes = worker.modules.map(({ contents }) => compressed(contents));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_000_000);
    const sources = bundledSources(worker.modules[0]!.contents as string);
    for (const [name, pattern] of Object.entries(INTERFACES)) {
      const own = sources.filter(({ path }) => pattern.test(path));
      expect(own.length, name).toBeGreaterThan(0);
      expect(compressed(own.map(({ text }) => text).join('')), name).toBeLessThan(20_000);
    }
  });

  it('maps stack lines of the bundle to the sources', () => {
    const lines = (worker.modules[0]!.contents as string).split('\n');
    const line = lines.findIndex((text) => text.includes('JpipChannel = class'));
    const mapped = worker.mapped(
      `Error: x\n    at f (file:///somewhere/local.js:${line + 1}:${lines[line]!.indexOf('JpipChannel') + 1})`,
    );
    const [, source = ''] = /at f \((.+\.ts):\d+:\d+\)/.exec(mapped) ?? [];
    expect(source.startsWith(join(projectRoot, 'src'))).toBe(true);
    expect(existsSync(source)).toBe(true);
    expect(worker.mapped('nothing of the bundle')).toBe('nothing of the bundle');
  });
});

// The container image of the movie worker holds exactly the files and packages that the program imports.
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOVIE_FILES } from '../../../src/domain/movies/formats.ts';
import { movieArchive, plannedJob, startMovieWorker } from '../../support/movies/movie-jobs.ts';
import { FakeMovieService } from '../../support/movies/movie-service.ts';
import type { SampleArchive } from '../../support/sample-archive.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const PROGRAMS = ['main.ts', 'draw/thread.ts'].map((name) => join(root, 'containers/movie', name));
const aliases = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: Record<string, { default: string }> })
  .imports;

/** Project files and package names that the programs import, directly or indirectly. */
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

describe('the container image of the movie worker', () => {
  const dockerfile = readFileSync(join(root, 'containers/movie/Dockerfile'), 'utf8');
  const context = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  const { files, packages } = imported();

  it('has the packages that the program imports', () => {
    expect(files.length).toBeGreaterThan(100);
    const copied = [...dockerfile.matchAll(/^COPY --from=packages \/app\/node_modules\/(\S+)/gm)].map(([, name = '']) => name);
    // Added by name, because its WebAssembly file is resolved at run time.
    expect([...new Set([...packages, '@resvg/resvg-wasm'])].sort()).toEqual([...copied].sort());
  });

  it('has the files that the program imports, as does its build context', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' '));
    expect(files.filter((file) => !copied.some((place) => file.startsWith(`${place}/`)))).toEqual([]);
    expect(copied.filter((place) => !existsSync(join(root, place)))).toEqual([]);
    expect(copied.filter((place) => !context.includes(`!${place}`))).toEqual([]);
  });

  it('names its base image by digest, and the version of ffmpeg', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(new Set(bases)).toEqual(new Set([expect.stringMatching(/^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/)]));
    expect(dockerfile).toContain("'ffmpeg=7:5.1.*'");
  });

  it('runs as an unprivileged user and has a health check', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });
});

describe('the program with only the files of its image', () => {
  let app: string;
  let archive: SampleArchive;

  beforeAll(async () => {
    archive = await movieArchive(3);
    app = await mkdtemp(join(tmpdir(), 'movie-image-'));
    const dockerfile = readFileSync(join(root, 'containers/movie/Dockerfile'), 'utf8');
    for (const [, flags, sources = '', target = ''] of dockerfile.matchAll(/^COPY (--from=packages )?(.+) (\S+)$/gm)) {
      if (sources === 'package.json package-lock.json') continue;
      const names = sources.split(' ').map((source) => (flags ? source.replace('/app/', '') : source));
      for (const name of names) {
        const place = names.length > 1 || target === './' ? join(target, basename(name)) : target;
        await cp(join(root, name), join(app, place), { recursive: true });
      }
    }
  });
  afterAll(() => rm(app, { recursive: true, force: true }));

  it('builds a movie', async () => {
    const service = await FakeMovieService.start(archive);
    const build = service.add(await plannedJob(archive));
    const worker = await startMovieWorker(service.url, join(app, 'work'), {}, app);
    try {
      await service.ended(build);
      expect(build).toMatchObject({ status: 'finished', attempts: 1, failures: [] });
      expect([...build.files.keys()]).toEqual(Object.keys(MOVIE_FILES));
    } finally {
      worker.kill('SIGTERM');
      expect(await worker.ended).toBe(0);
      await service.close();
    }
  });
});

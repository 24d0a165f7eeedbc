import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { MOVIE_FILES } from '../../../src/domain/movies/movie.ts';
import { FakeMovieService } from '../../support/movies/movie-service.ts';
import { movieArchive, plannedBuild, startMovieWorker } from '../../support/movies/planned-builds.ts';
import type { SampleArchive } from '../../support/sample-archive.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
/** The folder that the image adds to its base. */
const COPIED = 'build/movie';

describe('the container image of the movie worker', () => {
  const dockerfile = readFileSync(join(root, 'containers/movie/Dockerfile'), 'utf8');
  const context = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');

  it('adds the bundle alone, of which its build context consists', () => {
    expect([...dockerfile.matchAll(/^(?:COPY|ADD) .*/gm)].map(([line]) => line)).toEqual([`COPY ${COPIED} ./`]);
    expect(context.slice(-2)).toEqual(['*', `!${COPIED}`]);
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
  const app = testFolder();
  let archive: SampleArchive;

  beforeAll(async () => {
    archive = await movieArchive(3);
    await cp(join(root, COPIED), app, { recursive: true });
  });

  it('builds a movie', async () => {
    const service = await FakeMovieService.start(archive);
    const build = service.add(await plannedBuild(archive));
    const worker = await startMovieWorker(service.url, join(app, 'work'), {}, join(app, 'main.mjs'));
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

// Two movie workers that are killed again and again while they build ten movies.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOVIE_FILES } from '../../../src/domain/movie/formats.ts';
import { type MovieWorker, movieArchive, plannedJob, startMovieWorker } from '../../support/movie-jobs.ts';
import { FakeMovieService } from '../../support/movie-service.ts';
import type { SampleArchive } from '../../support/sample-archive.ts';

const SEED = 5;
const MOVIES = 10;
const KILLS = 20;
const LEASE_MS = 2_000;
/** About as long as a worker is at a movie. */
const LONGEST_PAUSE_MS = 700;
const names = ['first', 'second'];

/** Numbers from 0 to 1, the same each time (a linear congruential generator). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('movie workers that are killed at random moments', () => {
  let archive: SampleArchive;
  let workDir: string;
  let service: FakeMovieService;
  let starts = 0;
  const workers = new Map<string, MovieWorker>();

  beforeAll(async () => {
    archive = await movieArchive(10);
    workDir = await mkdtemp(join(tmpdir(), 'movie-kill-test-'));
    service = await FakeMovieService.start(archive, { leaseMs: LEASE_MS, attempts: KILLS });
  });

  afterAll(async () => {
    for (const worker of workers.values()) worker.kill('SIGKILL');
    await Promise.all([...workers.values()].map(({ ended }) => ended));
    await service.close();
    await rm(workDir, { recursive: true });
  });

  async function start(name: string): Promise<void> {
    workers.set(name, await startMovieWorker(service.url, workDir, { WORKER_NAME: `${name}-${starts++}`, PART_SECONDS: '0.3' }));
  }

  it(`finish all of ${MOVIES} movies, in the order of their arrival, each once`, async () => {
    const jobs = await Promise.all(Array.from({ length: MOVIES }, (_, i) => plannedJob(archive, { imageScale: 40 + i })));
    await Promise.all(names.map(start));
    const random = numbers(SEED);
    const isAtWork = (name: string) =>
      service.builds.some(({ id, status }) => {
        return (
          status === 'processing' && service.claims.findLast(({ build }) => build === id)?.worker === workers.get(name)?.name
        );
      });
    for (let kill = 0; kill < KILLS; kill++) {
      // One movie after every other kill, so that there is always work to be hit at.
      while (service.builds.length < Math.min(MOVIES, 1 + kill / 2)) service.add(jobs[service.builds.length]!);
      await service.until(() => names.some(isAtWork) || service.builds.every(({ status }) => status === 'finished'), 'a claim');
      await sleep(random() * LONGEST_PAUSE_MS);
      const busy = names.filter(isAtWork);
      const name = (busy[0] ?? names[Math.floor(random() * names.length)]) as string;
      workers.get(name)?.kill('SIGKILL');
      await workers.get(name)?.ended;
      await start(name);
    }
    while (service.builds.length < MOVIES) service.add(jobs[service.builds.length]!);
    for (const build of service.builds) await service.ended(build, 90_000);

    expect(service.builds.map(({ status }) => status)).toEqual(Array(MOVIES).fill('finished'));
    expect(service.builds.map(({ finishes }) => finishes.length)).toEqual(Array(MOVIES).fill(1));
    for (const { files, finishes } of service.builds) {
      expect([...files.keys()].sort()).toEqual(Object.keys(MOVIE_FILES).sort());
      expect(finishes[0]?.files.map(({ name, size }) => [name, size])).toEqual(
        Object.keys(MOVIE_FILES).map((name) => [name, files.get(name)?.length]),
      );
    }
    const firstClaims = service.claims.filter(({ attempt }) => attempt === 1).map(({ build }) => build);
    expect(firstClaims).toEqual(Array.from({ length: MOVIES }, (_, i) => i + 1));
    // The others hit a movie that was stored already, or its last bytes.
    expect(service.claims.length).toBeGreaterThan(MOVIES + KILLS / 4);

    for (const worker of workers.values()) worker.kill('SIGTERM');
    expect(await Promise.all([...workers.values()].map(({ ended }) => ended))).toEqual([0, 0]);
    expect(await readdir(workDir)).toEqual([]);
  });
});

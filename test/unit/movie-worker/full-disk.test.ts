// A movie worker whose disk is full. The disk is a file system in memory, which root alone may mount; elsewhere the error is made.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkerContext } from '../../../containers/movie/build-movie.ts';
import { EncoderError } from '../../../containers/movie/encode/encoder.ts';
import { RunningJob } from '../../../containers/movie/run-job.ts';
import type { Failed, MovieJob } from '../../../src/domain/movies/job.ts';
import { movieArchive, plannedJob } from '../../support/movies/movie-jobs.ts';
import type { SampleArchive } from '../../support/sample-archive.ts';

const FULL = { reason: 'The disk of the movie worker is full.', isFinal: false };

let root: string;
let archive: SampleArchive;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'full-disk-'));
  archive = await movieArchive(4);
});
afterAll(() => rmSync(root, { recursive: true }));

/** Runs a job in a folder; returns its outcome and what the service is told. The encoder fails with `error`, if it comes to that. */
async function run(folder: string, error: Error) {
  const told: Omit<Failed, 'lease'>[] = [];
  const context = {
    service: {
      fail: async (_job: MovieJob, failed: Omit<Failed, 'lease'>) => void told.push(failed),
      progress: async () => undefined,
      markers: async () => [],
    },
    pool: { threads: 1, draw: async () => ({ pixels: new Uint8Array(1) }), close: async () => undefined, reuse: () => undefined },
    encoder: { name: 'none', description: 'none', openSegment: () => Promise.reject(error) },
    segmentMs: 1_000,
    log: () => undefined,
  } as unknown as WorkerContext;
  const job = { ...(await plannedJob(archive)), build: 1, lease: 'l', leaseMs: 30_000, attempt: 1, segments: [] };
  return { outcome: await new RunningJob(context, job, folder).outcome, told };
}

describe('a movie worker', () => {
  it.each([
    ['its own files', () => Object.assign(new Error('write'), { code: 'ENOSPC' })],
    ['a quota', () => new Error('failed', { cause: Object.assign(new Error('write'), { code: 'EDQUOT' }) })],
    ['the encoder', () => new EncoderError('died', { log: 'av_write_frame(): No space left on device' })],
  ])('with a disk too full for %s says so, so that the movie is tried elsewhere', async (_, errorOf) => {
    expect(await run(root, errorOf())).toEqual({ outcome: 'no-space', told: [FULL] });
  });

  it('that fails otherwise does not blame its disk', async () => {
    const reason = 'The movie worker failed unexpectedly.';
    expect(await run(root, new Error('broken'))).toEqual({ outcome: 'failed', told: [{ reason, isFinal: false }] });
  });

  it('without room for the folder of a job says so, and keeps its work folder for the next one', async (test) => {
    const disk = join(root, 'disk');
    mkdirSync(disk);
    // Room for the root of the disk and the work folder.
    const mount = ['-t', 'tmpfs', '-o', 'size=64k,nr_inodes=2', 'none', disk];
    try {
      execFileSync('mount', mount, { stdio: 'ignore' });
    } catch {
      return test.skip('Mounting a file system needs root.');
    }
    try {
      const folder = join(disk, 'work');
      mkdirSync(folder);
      expect(await run(folder, new Error('not reached'))).toEqual({ outcome: 'no-space', told: [FULL] });
      expect(readdirSync(disk)).toEqual(['work']);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

// A movie worker whose disk is full. The disk is a file system in memory, which root alone may mount; elsewhere the error is made.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { delayAfter, RunningBuild, type WorkerContext } from '../../../containers/movie/build-movie.ts';
import type { DrawResult } from '../../../containers/movie/draw/pool.ts';
import { EncoderError } from '../../../containers/movie/encode/encoder.ts';
import type { BuildClaim } from '../../../src/movies/worker-protocol.ts';
import type { Failed } from '../../../src/movies/worker-reports.ts';
import { movieArchive, plannedBuild } from '../../support/movies/planned-builds.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const FULL = { reason: 'The disk of the movie worker is full.', isFinal: false };

const root = testFolder();
const archive = await movieArchive(4);

/** Runs a build in a folder; returns its outcome and what the service is told. The encoder fails with `error`, if it comes to that. */
async function run(folder: string, error: Error, drawn: DrawResult = { pixels: new Uint8Array(1) }) {
  const told: Omit<Failed, 'lease'>[] = [];
  const context = {
    service: {
      report: async (_: BuildClaim, kind: string, report: Omit<Failed, 'lease'>) => void (kind === 'fail' && told.push(report)),
      markers: async () => [],
    },
    pool: { threads: 1, draw: async () => drawn, close: async () => undefined, reuse: () => undefined },
    encoder: { name: 'none', description: 'none', openSegment: () => Promise.reject(error) },
    segmentMs: 1_000,
    log: () => undefined,
  } as unknown as WorkerContext;
  const claim = { ...(await plannedBuild(archive)), build: 1, lease: 'l', leaseMs: 30_000, attempt: 1, segments: [] };
  return { outcome: await new RunningBuild({ ...context, claim, workFolder: folder }).outcome, told };
}

describe('a movie worker', () => {
  it.each([
    ['its own files', () => Object.assign(new Error('write'), { code: 'ENOSPC' })],
    ['a quota', () => new Error('failed', { cause: Object.assign(new Error('write'), { code: 'EDQUOT' }) })],
    ['the encoder', () => new EncoderError('died', { log: 'av_write_frame(): No space left on device' })],
  ])('reports a disk that is too full for %s, so that the movie is tried elsewhere', async (_, errorOf) => {
    expect(await run(root, errorOf())).toEqual({ outcome: 'no-space', told: [FULL] });
  });

  it('reports no full disk for another failure', async () => {
    const reason = 'The movie worker failed unexpectedly.';
    expect(await run(root, new Error('broken'))).toEqual({ outcome: 'failed', told: [{ reason, isFinal: false }] });
  });

  it('reports a movie as impossible, with the reason, when too many of its images are missing', async () => {
    const reason = 'At least 2 of the 4 frames need readable images, but those of 3 are damaged or missing.';
    const told = [{ reason, isFinal: true }];
    expect(await run(root, new Error('not reached'), { error: 'missing' })).toEqual({ outcome: 'failed', told });
  });

  it('waits 30 s before each claim after a full disk, until a build succeeds', () => {
    const delays: number[] = [];
    for (const outcome of ['failed', 'failed', 'no-space', 'failed', 'finished', 'failed'] as const) {
      delays.push(delayAfter(outcome, delays.at(-1) ?? 0));
    }
    expect(delays).toEqual([500, 1_000, 30_000, 30_000, 0, 500]);
  });

  it('reports a disk without room for the folder of a build, and keeps its work folder for the next one', async (test) => {
    const disk = join(root, 'disk');
    mkdirSync(disk);
    // Room for the root of the disk and the work folder.
    const mount = ['-t', 'tmpfs', '-o', 'size=64k,nr_inodes=2', 'none', disk];
    try {
      execFileSync('mount', mount, { stdio: 'ignore' });
    } catch {
      return test.skip('Mounting a file system needs root.');
    }
    onTestFinished(() => void execFileSync('umount', [disk]));
    const folder = join(disk, 'work');
    mkdirSync(folder);
    expect(await run(folder, new Error('not reached'))).toEqual({ outcome: 'no-space', told: [FULL] });
    expect(readdirSync(disk)).toEqual(['work']);
  });
});

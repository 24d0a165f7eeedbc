// Runs one job from its claim to its outcome, which it reports to the service.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failed, MovieJob } from '../../src/domain/movies/job.ts';
import { causesOf } from '../../src/util/causes.ts';
import { MINUTE_MS } from '../../src/util/durations.ts';
import { buildMovie, type WorkerContext } from './build-movie.ts';
import { ImpossibleMovie } from './draw/job-plan.ts';
import { EncoderError } from './encode/encoder.ts';
import { LeaseLost } from './service/client.ts';
import { ServiceUnavailable } from './service/connection.ts';
import { Heartbeat } from './service/heartbeat.ts';
import { removeFolder } from './work-folder.ts';

/** `no-space`: failed because of a full disk. `released`: handed back unfinished. `lost`: the lease was lost, or the outcome not reported. */
export type Outcome = 'finished' | 'failed' | 'no-space' | 'released' | 'lost';

/** The program was told to end. */
class WorkerStopping extends Error {
  override readonly name = 'WorkerStopping';
}

/** Time limits for reporting an outcome. */
const REPORT_MS = { failed: MINUTE_MS, released: 5_000 };
/** Time that a running upload may still take after the program was told to end. */
const UPLOAD_GRACE_MS = 8_000;

/** Codes of a full disk, and of a used-up quota. */
const NO_SPACE = ['ENOSPC', 'EDQUOT'];

function isOutOfSpace(error: unknown): boolean {
  if (error instanceof EncoderError && error.failure === 'disk-full') return true;
  return [...causesOf(error)].some((cause) => NO_SPACE.includes((cause as NodeJS.ErrnoException).code ?? ''));
}

/** Failure that users see; other details go to the log only. */
function failureOf(error: unknown): Omit<Failed, 'lease'> {
  if (isOutOfSpace(error)) return { reason: 'The disk of the movie worker is full.', isFinal: false };
  if (error instanceof ImpossibleMovie) return { reason: error.message, isFinal: true };
  if (error instanceof EncoderError) return { reason: error.message, isFinal: false };
  if (error instanceof ServiceUnavailable) return { reason: 'The image archive did not respond in time.', isFinal: false };
  return { reason: 'The movie worker failed unexpectedly.', isFinal: false };
}

function logLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const log = error instanceof EncoderError ? error.log : '';
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.name}: ${error.message}${cause}${log && `\n${log}`}`;
}

export class RunningJob {
  readonly job: MovieJob;
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  readonly #context: WorkerContext;
  readonly #aborted = new AbortController();
  readonly #heartbeat: Heartbeat;

  constructor(context: WorkerContext, job: MovieJob, workFolder: string) {
    this.job = job;
    this.#context = context;
    this.#heartbeat = new Heartbeat(context.service, job, (reason) => this.#aborted.abort(reason));
    this.outcome = this.#run(workFolder);
  }

  get progress(): Heartbeat['progress'] {
    return this.#heartbeat.progress;
  }

  /** Releases the job, after a grace period if its files are being uploaded. */
  stop(): void {
    const abort = () => this.#aborted.abort(new WorkerStopping('The movie worker was told to end.'));
    if (this.progress.stage === 'uploading') setTimeout(abort, UPLOAD_GRACE_MS).unref();
    else abort();
  }

  /** Fails the job immediately. */
  fail(error: unknown): void {
    this.#aborted.abort(error);
  }

  async #run(workFolder: string): Promise<Outcome> {
    const { signal } = this.#aborted;
    let folder: string | null = null;
    try {
      folder = await mkdtemp(join(workFolder, 'job-'));
      await buildMovie(this.#context, { job: this.job, folder, heartbeat: this.#heartbeat, signal });
      return 'finished';
    } catch (error) {
      return await this.#report(error);
    } finally {
      await this.#heartbeat.stop();
      if (folder !== null) {
        await removeFolder(folder).catch((error: unknown) => this.#context.log(`cannot remove a folder: ${logLine(error)}`));
      }
    }
  }

  /** Reports the outcome of a job that `error` ended. Without the report, the lease expires. */
  async #report(error: unknown): Promise<Outcome> {
    const { service, log } = this.#context;
    if (error instanceof LeaseLost) return 'lost';
    await this.#heartbeat.stop();
    const outcome = error instanceof WorkerStopping ? 'released' : isOutOfSpace(error) ? 'no-space' : 'failed';
    if (outcome !== 'released') log(logLine(error));
    try {
      if (outcome === 'released') await service.release(this.job, REPORT_MS.released);
      else await service.fail(this.job, failureOf(error), Math.min(this.job.leaseMs, REPORT_MS.failed));
      return outcome;
    } catch (problem) {
      if (!(problem instanceof LeaseLost)) log(`cannot report the outcome "${outcome}": ${logLine(problem)}`);
      return 'lost';
    }
  }
}

// One job from its claim to its end, whichever that is: finished, failed with a reason, handed back, or lost.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failed, MovieJob } from '../../src/domain/movies/job.ts';
import { MINUTE_MS } from '../../src/util/durations.ts';
import { buildMovie, type MovieTools } from './build-movie.ts';
import { ImpossibleMovie } from './draw/job-plan.ts';
import { EncoderError } from './encode/encoder.ts';
import { LeaseLost } from './service/client.ts';
import { ServiceUnavailable } from './service/connection.ts';
import { Heartbeat } from './service/heartbeat.ts';
import { removeFolder } from './work-folder.ts';

export type Outcome = 'finished' | 'failed' | 'released' | 'lost';

/** The program is told to end. */
export class Stopping extends Error {
  override readonly name = 'Stopping';
}

/** Milliseconds for the last word on a job. */
const LAST_WORD_MS = { failed: MINUTE_MS, released: 5_000 };
/** Milliseconds that an upload may still take when the program is told to end. */
const UPLOAD_GRACE_MS = 8_000;

/** What is said to the user; all else goes into the log. */
function failureOf(error: unknown): Omit<Failed, 'lease'> {
  if (error instanceof ImpossibleMovie) return { reason: error.message, isFinal: true };
  if (error instanceof EncoderError) return { reason: error.message, isFinal: false };
  if (error instanceof ServiceUnavailable) return { reason: 'The image archive did not answer in time.', isFinal: false };
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
  readonly #tools: MovieTools;
  readonly #aborted = new AbortController();
  readonly #heartbeat: Heartbeat;

  constructor(tools: MovieTools, job: MovieJob, workFolder: string) {
    this.job = job;
    this.#tools = tools;
    this.#heartbeat = new Heartbeat(tools.service, job, (reason) => this.#aborted.abort(reason));
    this.outcome = this.#run(workFolder);
  }

  get progress(): Heartbeat['progress'] {
    return this.#heartbeat.progress;
  }

  /** Ends the job soon: one that is being uploaded may end well, any other is handed back. */
  stop(): void {
    const abort = () => this.#aborted.abort(new Stopping('The movie worker was told to end.'));
    if (this.progress.stage === 'uploading') setTimeout(abort, UPLOAD_GRACE_MS).unref();
    else abort();
  }

  /** Ends the job at once: it failed with `error`. */
  giveUp(error: unknown): void {
    this.#aborted.abort(error);
  }

  async #run(workFolder: string): Promise<Outcome> {
    const folder = await mkdtemp(join(workFolder, 'job-')).catch(() => workFolder);
    const { signal } = this.#aborted;
    try {
      await buildMovie(this.#tools, { job: this.job, folder, heartbeat: this.#heartbeat, signal });
      return 'finished';
    } catch (error) {
      return await this.#end(error);
    } finally {
      await this.#heartbeat.stop();
      await removeFolder(folder).catch((error: unknown) => this.#tools.say(`a folder stays: ${logLine(error)}`));
    }
  }

  /** Says how the job ended. Where that cannot be said, its lease runs out. */
  async #end(error: unknown): Promise<Outcome> {
    const { service, say } = this.#tools;
    if (error instanceof LeaseLost) return 'lost';
    await this.#heartbeat.stop();
    const outcome = error instanceof Stopping ? 'released' : 'failed';
    if (outcome === 'failed') say(logLine(error));
    try {
      if (outcome === 'released') await service.release(this.job, LAST_WORD_MS.released);
      else await service.fail(this.job, failureOf(error), Math.min(this.job.leaseMs, LAST_WORD_MS.failed));
      return outcome;
    } catch (problem) {
      if (!(problem instanceof LeaseLost)) say(`cannot say that the job was ${outcome}: ${logLine(problem)}`);
      return 'lost';
    }
  }
}

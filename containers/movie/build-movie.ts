// Builds of movies, one after the other: `RunningBuild.#run` tells the stages of one in their order; `WorkLoop` claims the next one.
import { openAsBlob } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MOVIE_FILES, type MovieFileName } from '../../src/movies/movie.ts';
import type { BuildClaim } from '../../src/movies/worker-protocol.ts';
import type { Failed, Finish } from '../../src/movies/worker-reports.ts';
import { MINUTE_MS } from '../../src/platform/util/durations.ts';
import { causesOf } from '../../src/platform/util/errors.ts';
import { delay, retry } from '../../src/platform/util/retry.ts';
import { Service } from '../../src/platform/util/service.ts';
import type { MovieFrame, MovieFrames } from './draw/frames.ts';
import { checkSkipped, drawnFrames, framesOf, ImpossibleMovie, markersOf, previews } from './draw/frames.ts';
import type { DrawPool } from './draw/pool.ts';
import { type Encoder, EncoderError, type VideoSpec } from './encode/encoder.ts';
import { fetchSegments, type Segment, SegmentedVideo, SegmentUploads, type StoredSegmentsOptions } from './encode/segments.ts';
import { Heartbeat, LeaseLost, type ServiceClient, ServiceUnavailable } from './service.ts';
import { removeFolder } from './settings.ts';

/** Resources that all builds of a worker share. */
export interface WorkerContext {
  readonly service: ServiceClient;
  readonly pool: DrawPool;
  readonly encoder: Encoder;
  /** Milliseconds of work after which an encoded segment is stored. */
  readonly segmentMs: number;
  readonly log: (line: string) => void;
}

/** `no-space`: failed because of a full disk. `released`: handed back unfinished. `lost`: the lease was lost, or the outcome not reported. */
type Outcome = 'finished' | 'failed' | 'no-space' | 'released' | 'lost';

interface Work {
  readonly movie: MovieFrames;
  readonly spec: VideoSpec;
  readonly markers: ReturnType<typeof markersOf>;
  readonly stored: StoredSegmentsOptions;
  readonly files: string;
}

class WorkerStopping extends Error {
  override readonly name = 'WorkerStopping';
}

const REPORT_MS = { failed: MINUTE_MS, released: 5_000 };
/** Time that a running upload may still take after the program was told to end. */
const UPLOAD_GRACE_MS = 8_000;

export class RunningBuild extends Service<WorkerContext & { readonly claim: BuildClaim; readonly workFolder: string }> {
  readonly claim = this.ports.claim;
  readonly #aborted = new AbortController();
  readonly #heartbeat = new Heartbeat({ ...this.ports, onLost: (reason) => this.#aborted.abort(reason) });
  /** Never rejects. */
  readonly outcome = this.#run();

  get progress(): Heartbeat['progress'] {
    return this.#heartbeat.progress;
  }

  /** Releases the build, after a grace period if its files are being uploaded. */
  stop(): void {
    const abort = () => this.#aborted.abort(new WorkerStopping('The movie worker was told to end.'));
    if (this.progress.stage === 'uploading') setTimeout(abort, UPLOAD_GRACE_MS).unref();
    else abort();
  }

  fail(error: unknown): void {
    this.#aborted.abort(error);
  }

  async #run(): Promise<Outcome> {
    const { service, pool, workFolder, log } = this.ports;
    const { signal } = this.#aborted;
    const startedAt = performance.now();
    let folder: string | null = null;
    signal.addEventListener('abort', () => void pool.close(), { once: true });
    try {
      folder = await mkdtemp(join(workFolder, 'build-'));
      const work = await this.#plan(folder);
      const stored = await fetchSegments(work.stored);
      if (stored.length > 0) log(`resumes at frame ${stored.at(-1)?.to} of ${work.movie.frames.length}`);
      let encoded = await this.#drawAndEncode(work, stored);
      try {
        await this.#join(work, encoded.segments);
      } catch (error) {
        // Starts over without the stored segments, because ones that cannot be joined would fail every attempt.
        if (!(error instanceof EncoderError) || error.failure !== 'died' || stored.length === 0) throw error;
        log(`starts over without the segments of earlier attempts: ${error.message}`);
        encoded = await this.#drawAndEncode(work, []);
        await this.#join(work, encoded.segments);
      }
      await this.#drawPreviews(work, encoded.skipped);
      const files = await this.#upload(work);
      const { framesSkipped } = this.progress;
      const totalMs = Math.round(performance.now() - startedAt);
      await service.report(this.claim, 'finish', { framesSkipped, files, totalMs }, { signal });
      return 'finished';
    } catch (error) {
      await pool.close();
      return await this.#reportFailure(signal.aborted ? signal.reason : error);
    } finally {
      await this.#heartbeat.stop();
      if (folder !== null) await removeFolder(folder).catch((error) => log(`cannot remove a folder: ${logLine(error)}`));
    }
  }

  /** @throws ImpossibleMovie */
  async #plan(folder: string): Promise<Work> {
    const { service, encoder, claim, log } = this.ports;
    const { signal } = this.#aborted;
    const [segments, files] = [join(folder, 'segments'), join(folder, 'files')];
    const movie = framesOf(claim);
    await mkdir(segments);
    await mkdir(files);
    return {
      movie,
      spec: { frame: movie.frame, frameRate: movie.frameRate, output: claim.output, metadata: claim.metadata },
      markers: markersOf({ service, claim, movie, signal, log }),
      stored: { service, claim, folder: segments, encoder, signal, log },
      files,
    };
  }

  /** The segments of the movie, and the frames that this attempt could not draw. */
  async #drawAndEncode({ movie, spec, markers, stored }: Work, before: readonly Segment[]) {
    const { pool, encoder, segmentMs, log } = this.ports;
    const frameCount = movie.frames.length;
    const uploads = new SegmentUploads(stored);
    const video = new SegmentedVideo({
      encoder,
      spec,
      folder: stored.folder,
      segmentMs,
      frameCount,
      segments: before,
      onSegment: (segment) => uploads.add(segment),
    });
    const from = before.at(-1)?.to ?? 0;
    const skippedBefore = before.reduce((sum, segment) => sum + segment.skipped, 0);
    const skipped = new Set<number>();
    this.#heartbeat.progress = { framesDone: from, framesSkipped: skippedBefore, stage: 'drawing' };
    try {
      for await (const { frame, result } of drawnFrames(pool, movie.frames, from, markers)) {
        this.#aborted.signal.throwIfAborted();
        if ('pixels' in result) {
          await video.write(frame, result.pixels);
          pool.reuse(result.pixels);
        } else {
          log(`frame ${frame} is skipped: ${result.error}`);
          skipped.add(frame);
          video.skip();
          checkSkipped(skippedBefore + skipped.size, frameCount);
        }
        this.#heartbeat.progress = { framesDone: frame + 1, framesSkipped: skippedBefore + skipped.size, stage: 'drawing' };
      }
      checkSkipped(skippedBefore + skipped.size, frameCount);
      this.#heartbeat.progress = { ...this.#heartbeat.progress, stage: 'encoding' };
      await video.close();
      return { segments: video.segments, skipped };
    } catch (error) {
      await video.abort();
      throw error;
    } finally {
      await uploads.close();
    }
  }

  async #join({ spec, stored, files }: Work, segments: readonly Segment[]): Promise<void> {
    const stems = segments.map(({ stem }) => stem);
    await this.ports.encoder.join(spec, stored.folder, stems, files);
    this.#aborted.signal.throwIfAborted();
  }

  /** Writes the previews of the frame nearest to the middle that can be drawn. */
  async #drawPreviews({ movie, markers, files }: Work, skipped: ReadonlySet<number>): Promise<void> {
    const middle = Math.floor(movie.frames.length / 2);
    const candidates = [...movie.frames.keys()]
      .filter((frame) => !skipped.has(frame))
      .sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    for (const frame of candidates) {
      const { recipe, images } = movie.frames[frame] as MovieFrame;
      const result = await this.ports.pool.draw({ recipe, images, markers: await markers(frame), format: 'rgb' }, frame);
      if ('error' in result) continue;
      const { width, height } = recipe;
      for (const [name, bytes] of Object.entries(await previews(result.pixels, width, height)))
        await writeFile(join(files, name), bytes);
      return;
    }
    throw new ImpossibleMovie('None of the frames could be drawn for the previews.');
  }

  async #upload({ files: folder }: Work): Promise<Finish['files']> {
    this.#heartbeat.progress = { ...this.#heartbeat.progress, stage: 'uploading' };
    const files: { name: MovieFileName; size: number }[] = [];
    for (const name of Object.keys(MOVIE_FILES) as MovieFileName[]) {
      const file = await openAsBlob(join(folder, name));
      await this.ports.service.store(this.claim, name, file, this.#aborted.signal);
      files.push({ name, size: file.size });
    }
    return files;
  }

  /** Reports the outcome of a build that `error` ended. Without the report, the lease expires. */
  async #reportFailure(error: unknown): Promise<Outcome> {
    const { service, log } = this.ports;
    if (error instanceof LeaseLost) return 'lost';
    await this.#heartbeat.stop();
    const outcome = error instanceof WorkerStopping ? 'released' : isOutOfSpace(error) ? 'no-space' : 'failed';
    if (outcome !== 'released') log(logLine(error));
    const { released: timeoutMs, failed: failedMs } = REPORT_MS;
    try {
      if (outcome === 'released') await service.report(this.claim, 'release', {}, { retryForMs: timeoutMs, timeoutMs });
      else await service.report(this.claim, 'fail', failureOf(error), { retryForMs: Math.min(this.claim.leaseMs, failedMs) });
      return outcome;
    } catch (problem) {
      if (!(problem instanceof LeaseLost)) log(`cannot report the outcome "${outcome}": ${logLine(problem)}`);
      return 'lost';
    }
  }
}

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

/** Delays between failed claims. `forMs`: time after which a worker gives up until it is woken again. */
const CLAIM_RETRIES = { firstMs: 500, longestMs: 20_000, forMs: 10 * MINUTE_MS };
/** Delays after failed builds, so that a broken worker does not use up the attempts of all movies. */
const FAILURE_DELAY_MS = { first: 500, longest: 30_000 };

/** Delay after a build, by the one after the build before. A worker with a full disk leaves its builds to others. */
export function delayAfter(outcome: Outcome, beforeMs: number): number {
  const { first, longest } = FAILURE_DELAY_MS;
  if (outcome === 'no-space') return longest;
  return outcome === 'failed' ? Math.min(longest, Math.max(first, 2 * beforeMs)) : 0;
}

export class WorkLoop extends Service<{
  readonly context: WorkerContext;
  readonly name: string;
  readonly workFolder: string;
  /** Polling interval in milliseconds; 0 waits for `wake`. */
  readonly pollMs: number;
}> {
  readonly #stopping = new AbortController();
  running: RunningBuild | null = null;
  /** Milliseconds between the last build and the next claim. */
  #delayMs = 0;
  #isWoken = true;
  #endIdling: () => void = () => undefined;

  /** Looks for work, even if a build is running. */
  wake(): void {
    this.#isWoken = true;
    this.#endIdling();
  }

  stop(): void {
    this.#stopping.abort();
    this.running?.stop();
    this.#endIdling();
  }

  /** Resolves after `stop`, when no build is running. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isWoken = false;
      await this.#runQueuedBuilds(signal);
      if (!this.#isWoken && !signal.aborted) await this.#idle();
    }
  }

  async #idle(): Promise<void> {
    const { pollMs } = this.ports;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endIdling = resolve;
    const timer = pollMs > 0 ? setTimeout(resolve, pollMs) : undefined;
    await promise;
    clearTimeout(timer);
  }

  async #runQueuedBuilds(signal: AbortSignal): Promise<void> {
    const { context, name, workFolder } = this.ports;
    for (let claim = await this.#claim(signal); claim; claim = await this.#claim(signal)) {
      context.log(`build ${claim.build}: ${claim.frames.length} frames, attempt ${claim.attempt} (${name})`);
      const startedAt = performance.now();
      this.running = new RunningBuild({ ...context, claim, workFolder });
      if (signal.aborted) this.running.stop();
      const outcome = await this.running.outcome;
      this.running = null;
      context.log(`build ${claim.build}: ${outcome} after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
      this.#delayMs = delayAfter(outcome, this.#delayMs);
      if (this.#delayMs > 0) await delay(this.#delayMs, signal).catch(() => undefined);
    }
  }

  /** The next build; null if none is queued, the service fails for too long, or the program is to end. */
  async #claim(signal: AbortSignal): Promise<BuildClaim | null> {
    const { context, name } = this.ports;
    let isFailing = false;
    const onRetry = (error: unknown) => {
      if (!isFailing) context.log(`cannot claim a build: ${(error as Error).message}`);
      isFailing = true;
    };
    return retry(() => context.service.claim(name, signal), { ...CLAIM_RETRIES, signal, onRetry }).catch(() => null);
  }
}

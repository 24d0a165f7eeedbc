// Builds the movie of a job: draws and encodes its frames in segments, joins the segments, makes the previews, uploads the files.
import { openAsBlob } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MOVIE_FILES, type MovieFileName } from '../../src/domain/movies/formats.ts';
import type { MovieJob } from '../../src/domain/movies/job.ts';
import { drawnFrames } from './draw/drawn-frames.ts';
import { JobMarkers } from './draw/job-markers.ts';
import { checkSkipped, ImpossibleMovie, type JobFrame, jobPlan } from './draw/job-plan.ts';
import type { DrawPool } from './draw/pool.ts';
import { type Encoder, EncoderError, type VideoSpec } from './encode/encoder.ts';
import { previews } from './encode/previews.ts';
import { type Segment, SegmentedVideo } from './encode/segmented-video.ts';
import { fetchSegments, type SavedSegmentsOptions, SegmentUploads } from './saved-segments.ts';
import type { ServiceClient } from './service/client.ts';
import type { Heartbeat } from './service/heartbeat.ts';

/** Resources that all jobs of a worker share. */
export interface WorkerContext {
  readonly service: ServiceClient;
  readonly pool: DrawPool;
  readonly encoder: Encoder;
  /** Milliseconds of work after which an encoded segment is stored. */
  readonly segmentMs: number;
  readonly log: (line: string) => void;
}

export interface BuildOptions {
  readonly job: MovieJob;
  /** An empty folder. */
  readonly folder: string;
  readonly heartbeat: Heartbeat;
  readonly signal: AbortSignal;
}

interface EncodedFrames {
  readonly segments: readonly Segment[];
  readonly drawingMs: number;
  /** Frames that this attempt could not draw. */
  readonly skipped: ReadonlySet<number>;
}

class MovieBuild {
  readonly #context: WorkerContext;
  readonly #job: MovieJob;
  readonly #heartbeat: Heartbeat;
  readonly #signal: AbortSignal;
  readonly #frames: readonly JobFrame[];
  readonly #markers: JobMarkers;
  readonly #spec: VideoSpec;
  readonly #saved: SavedSegmentsOptions;
  readonly #startedAt = performance.now();
  /** Working folders of segments and of the files to upload. */
  readonly #folders: { readonly segments: string; readonly files: string };

  constructor(context: WorkerContext, { job, folder, heartbeat, signal }: BuildOptions) {
    this.#context = context;
    this.#job = job;
    this.#heartbeat = heartbeat;
    this.#signal = signal;
    const { service, encoder, log } = context;
    const { frames, ...video } = jobPlan(job);
    this.#frames = frames;
    this.#markers = new JobMarkers({ service, job, signal, log });
    this.#spec = { ...video, output: job.output, metadata: job.metadata };
    this.#folders = { segments: join(folder, 'segments'), files: join(folder, 'files') };
    this.#saved = { service, job, folder: this.#folders.segments, encoder, signal, log };
  }

  async run(): Promise<void> {
    await mkdir(this.#folders.segments);
    await mkdir(this.#folders.files);
    const saved = await fetchSegments(this.#saved);
    if (saved.length > 0) this.#context.log(`resumes at frame ${saved.at(-1)?.to} of ${this.#frames.length}`);
    let encoded = await this.#encode(saved);
    try {
      await this.#join(encoded.segments);
    } catch (error) {
      // Starts over without the saved segments, because ones that cannot be joined would fail every attempt.
      if (!(error instanceof EncoderError) || error.failure !== 'died' || saved.length === 0) throw error;
      this.#context.log(`starts over without the segments of earlier attempts: ${error.message}`);
      encoded = await this.#encode([]);
      await this.#join(encoded.segments);
    }
    await this.#writePreviews(encoded.skipped);
    await this.#upload(encoded.drawingMs);
  }

  /** Draws and encodes the frames after the saved segments. */
  async #encode(saved: readonly Segment[]): Promise<EncodedFrames> {
    const { pool, encoder, segmentMs, log } = this.#context;
    const frameCount = this.#frames.length;
    const uploads = new SegmentUploads(this.#saved);
    const video = new SegmentedVideo({
      ...{ encoder, spec: this.#spec, folder: this.#folders.segments, segmentMs, frameCount, segments: saved },
      onSegment: (segment) => uploads.add(segment),
    });
    const from = saved.at(-1)?.to ?? 0;
    const skippedBefore = saved.reduce((sum, segment) => sum + segment.skipped, 0);
    const skipped = new Set<number>();
    const startedAt = performance.now();
    this.#heartbeat.progress = { framesDone: from, framesSkipped: skippedBefore, stage: 'drawing' };
    try {
      for await (const { frame, result } of drawnFrames(pool, this.#frames, from, (index) => this.#markers.of(index))) {
        this.#signal.throwIfAborted();
        if ('pixels' in result) {
          await video.write(frame, result.pixels);
          pool.reuse(result.pixels);
        } else {
          log(`frame ${frame} is skipped: ${result.error}`);
          skipped.add(frame);
          video.skip();
          checkSkipped(skippedBefore + skipped.size, frameCount);
        }
        const framesSkipped = skippedBefore + skipped.size;
        this.#heartbeat.progress = { framesDone: frame + 1, framesSkipped, stage: 'drawing' };
      }
      checkSkipped(skippedBefore + skipped.size, frameCount);
      const drawingMs = performance.now() - startedAt;
      this.#heartbeat.progress = { ...this.#heartbeat.progress, stage: 'encoding' };
      await video.close();
      return { segments: video.segments, drawingMs, skipped };
    } catch (error) {
      await video.abort();
      throw error;
    } finally {
      await uploads.close();
    }
  }

  async #join(segments: readonly Segment[]): Promise<void> {
    const stems = segments.map(({ stem }) => stem);
    await this.#context.encoder.join(this.#spec, this.#folders.segments, stems, this.#folders.files);
    this.#signal.throwIfAborted();
  }

  /** Writes the previews of the frame nearest to the middle that can be drawn. */
  async #writePreviews(skipped: ReadonlySet<number>): Promise<void> {
    const middle = Math.floor(this.#frames.length / 2);
    const candidates = [...this.#frames.keys()]
      .filter((frame) => !skipped.has(frame))
      .sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    for (const frame of candidates) {
      const { recipe, images } = this.#frames[frame] as JobFrame;
      const result = await this.#context.pool.draw(
        { recipe, images, markers: await this.#markers.of(frame), format: 'rgb' },
        frame,
      );
      if ('error' in result) continue;
      const files = Object.entries(await previews(result.pixels, recipe.width, recipe.height));
      for (const [name, bytes] of files) await writeFile(join(this.#folders.files, name), bytes);
      return;
    }
    throw new ImpossibleMovie('None of the frames could be drawn for the previews.');
  }

  async #upload(drawingMs: number): Promise<void> {
    const { service } = this.#context;
    const encodingMs = performance.now() - this.#startedAt - drawingMs;
    this.#heartbeat.progress = { ...this.#heartbeat.progress, stage: 'uploading' };
    const files: { name: MovieFileName; size: number }[] = [];
    for (const name of Object.keys(MOVIE_FILES) as MovieFileName[]) {
      const file = await openAsBlob(join(this.#folders.files, name));
      await service.store(this.#job, name, file, this.#signal);
      files.push({ name, size: file.size });
    }
    const timings = {
      totalMs: Math.round(performance.now() - this.#startedAt),
      drawingMs: Math.round(drawingMs),
      encodingMs: Math.round(encodingMs),
    };
    const { framesSkipped } = this.#heartbeat.progress;
    await service.finish(this.#job, { lease: this.#job.lease, framesSkipped, files, timings }, this.#signal);
  }
}

/**
 * Builds the movie of a job and stores its files.
 * @throws ImpossibleMovie, EncoderError, LeaseLost, ServiceUnavailable, RequestRejected, or the reason of the signal
 */
export async function buildMovie(context: WorkerContext, options: BuildOptions): Promise<void> {
  const { signal } = options;
  const cancel = () => void context.pool.close();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await new MovieBuild(context, options).run();
  } catch (error) {
    // Discards the frames that were drawn ahead.
    await context.pool.close();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

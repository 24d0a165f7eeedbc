// A job from its frames to its files.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MOVIE_FILES, type MovieFileName } from '../../src/domain/movies/formats.ts';
import type { MovieJob } from '../../src/domain/movies/job.ts';
import { drawnFrames } from './draw/drawn-frames.ts';
import { JobMarkers } from './draw/job-markers.ts';
import { checkSkipped, ImpossibleMovie, type JobFrame, jobPlan } from './draw/job-plan.ts';
import type { DrawPool } from './draw/pool.ts';
import type { Encoder, VideoSpec } from './encode/encoder.ts';
import { EncoderError } from './encode/encoder.ts';
import { previews } from './encode/previews.ts';
import { SegmentedVideo } from './segmented-video.ts';
import { encoderTag, fetchSegments, type Segment } from './segments.ts';
import type { ServiceClient } from './service/client.ts';
import type { Heartbeat } from './service/heartbeat.ts';
import { SegmentUploads } from './service/segment-uploads.ts';
import { storeFile } from './service/stored-file.ts';

export interface MovieTools {
  readonly service: ServiceClient;
  readonly pool: DrawPool;
  readonly encoder: Encoder;
  /** Milliseconds of work after which the encoded segment is stored. */
  readonly segmentMs: number;
  readonly say: (line: string) => void;
}

export interface Undertaking {
  readonly job: MovieJob;
  /** Empty. */
  readonly folder: string;
  readonly heartbeat: Heartbeat;
  readonly signal: AbortSignal;
}

interface Encoded {
  readonly segments: readonly Segment[];
  readonly drawingMs: number;
  /** Frames that this attempt could not draw. */
  readonly skipped: ReadonlySet<number>;
}

class MovieBuild {
  readonly #tools: MovieTools;
  readonly #job: MovieJob;
  readonly #heartbeat: Heartbeat;
  readonly #signal: AbortSignal;
  readonly #frames: readonly JobFrame[];
  readonly #markers: JobMarkers;
  readonly #spec: VideoSpec;
  readonly #startedAt = performance.now();
  /** For segments, and for what is uploaded. */
  readonly #folders: { readonly segments: string; readonly files: string };

  constructor(tools: MovieTools, { job, folder, heartbeat, signal }: Undertaking) {
    this.#tools = tools;
    this.#job = job;
    this.#heartbeat = heartbeat;
    this.#signal = signal;
    const { frames, ...video } = jobPlan(job);
    this.#frames = frames;
    this.#markers = new JobMarkers(tools.service, job, signal, tools.say);
    this.#spec = { ...video, output: job.output, metadata: job.metadata };
    this.#folders = { segments: join(folder, 'segments'), files: join(folder, 'files') };
  }

  async run(): Promise<void> {
    await mkdir(this.#folders.segments);
    await mkdir(this.#folders.files);
    const tag = encoderTag(this.#tools.encoder);
    const kept = await fetchSegments(this.#tools.service, this.#job, this.#folders.segments, tag, this.#signal);
    if (kept.length > 0) this.#tools.say(`goes on at frame ${kept.at(-1)?.to} of ${this.#frames.length}`);
    let encoded = await this.#encode(kept, tag);
    try {
      await this.#join(encoded.segments);
    } catch (error) {
      // Stored segments that cannot be joined would fail every attempt, so one attempt ignores them.
      if (!(error instanceof EncoderError) || error.failure !== 'died' || kept.length === 0) throw error;
      this.#tools.say(`starts over without the segments of earlier attempts: ${error.message}`);
      encoded = await this.#encode([], tag);
      await this.#join(encoded.segments);
    }
    await this.#preview(encoded.skipped);
    await this.#store(encoded);
  }

  /** Draws and encodes everything behind the segments that are there. */
  async #encode(kept: readonly Segment[], tag: string): Promise<Encoded> {
    const { service, pool, encoder, segmentMs, say } = this.#tools;
    const [job, signal, folder] = [this.#job, this.#signal, this.#folders.segments];
    const frameCount = this.#frames.length;
    const uploads = new SegmentUploads({ service, job, folder, tag, signal, say });
    const onSegment = (segment: Segment) => uploads.add(segment);
    const video = new SegmentedVideo({ encoder, spec: this.#spec, folder, segmentMs, frameCount, segments: kept, onSegment });
    const from = kept.at(-1)?.to ?? 0;
    const skippedBefore = kept.reduce((sum, segment) => sum + segment.skipped, 0);
    const skipped = new Set<number>();
    const startedAt = performance.now();
    this.#heartbeat.progress = { framesDone: from, framesSkipped: skippedBefore, stage: 'drawing' };
    try {
      for await (const { frame, result } of drawnFrames(pool, this.#frames, from, (index) => this.#markers.of(index))) {
        signal.throwIfAborted();
        if ('pixels' in result) {
          await video.write(frame, result.pixels);
          // Frees the memory immediately, because hundreds of megabytes would await the garbage collector.
          result.pixels.buffer.transfer(0);
        } else {
          say(`frame ${frame} is skipped: ${result.error}`);
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
      await uploads.end();
    }
  }

  async #join(segments: readonly Segment[]): Promise<void> {
    const names = segments.map(({ stem }) => stem);
    await this.#tools.encoder.join(this.#spec, this.#folders.segments, names, this.#folders.files);
    this.#signal.throwIfAborted();
  }

  /** The previews show the drawn frame that is nearest to the middle. */
  async #preview(skipped: ReadonlySet<number>): Promise<void> {
    const middle = Math.floor(this.#frames.length / 2);
    const drawable = [...this.#frames.keys()]
      .filter((frame) => !skipped.has(frame))
      .sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    for (const frame of drawable) {
      const { recipe, images } = this.#frames[frame] as JobFrame;
      const result = await this.#tools.pool.draw({ recipe, images, markers: await this.#markers.of(frame) }, frame);
      if ('error' in result) continue;
      const { width, height } = recipe;
      const files = Object.entries(await previews(result.pixels, width, height));
      for (const [name, bytes] of files) await writeFile(join(this.#folders.files, name), bytes);
      return;
    }
    throw new ImpossibleMovie('None of the frames could be drawn for the previews.');
  }

  async #store({ drawingMs }: Encoded): Promise<void> {
    const { service } = this.#tools;
    const encodingMs = performance.now() - this.#startedAt - drawingMs;
    this.#heartbeat.progress = { ...this.#heartbeat.progress, stage: 'uploading' };
    const files: { name: MovieFileName; size: number }[] = [];
    for (const name of Object.keys(MOVIE_FILES) as MovieFileName[]) {
      const size = await storeFile(service, this.#job, name, join(this.#folders.files, name), this.#signal);
      files.push({ name, size });
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
 * Builds and stores the movie of a job.
 * @throws ImpossibleMovie, EncoderError, LeaseLost, ServiceUnavailable, ServiceRefused, or the reason of the signal
 */
export async function buildMovie(tools: MovieTools, undertaking: Undertaking): Promise<void> {
  const giveUp = () => void tools.pool.close();
  undertaking.signal.addEventListener('abort', giveUp, { once: true });
  try {
    await new MovieBuild(tools, undertaking).run();
  } catch (error) {
    // Frames that were drawn ahead are of no use to the next job.
    await tools.pool.close();
    throw undertaking.signal.aborted ? undertaking.signal.reason : error;
  } finally {
    undertaking.signal.removeEventListener('abort', giveUp);
  }
}

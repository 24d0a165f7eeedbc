// Markers of the frames of a job, fetched from the service in chunks.
import type { MovieJob } from '../../../src/domain/movies/job.ts';
import type { FrameMarkers } from '../../../src/services/rendering/frame-renderer.ts';
import { LeaseLost, type ServiceClient } from '../service/client.ts';

/** Frames of one request, the maximum of the protocol. */
const CHUNK_FRAMES = 50;
/** Short, because a movie without markers is worth more than a late one. */
const RETRY_FOR_MS = 30_000;

export interface JobMarkersOptions {
  readonly service: ServiceClient;
  readonly job: MovieJob;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

export class JobMarkers {
  readonly #options: JobMarkersOptions;
  readonly #chunks = new Map<number, Promise<readonly FrameMarkers[]>>();

  constructor(options: JobMarkersOptions) {
    this.#options = options;
  }

  /**
   * Markers of a frame; none if the service fails.
   * @throws LeaseLost, or the reason of the signal
   */
  async of(frame: number): Promise<FrameMarkers> {
    const chunk = Math.floor(frame / CHUNK_FRAMES);
    const markers = this.#chunks.get(chunk) ?? this.#fetch(chunk);
    this.#chunks.set(chunk, markers);
    return (await markers)[frame % CHUNK_FRAMES] ?? {};
  }

  async #fetch(chunk: number): Promise<readonly FrameMarkers[]> {
    const { service, job, signal, log } = this.#options;
    const from = chunk * CHUNK_FRAMES;
    const to = Math.min(job.frames.length, from + CHUNK_FRAMES);
    try {
      return await service.markers(job, from, to, { retryForMs: RETRY_FOR_MS, signal });
    } catch (error) {
      if (error instanceof LeaseLost || signal.aborted) throw error;
      log(`frames ${from} to ${to - 1} are drawn without markers: ${(error as Error).message}`);
      return [];
    }
  }
}

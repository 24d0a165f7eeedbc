// Events and movie icons of the frames, asked for some frames at a time.
import type { MovieJob } from '../../../src/domain/movies/job.ts';
import type { FrameMarkers } from '../../../src/services/rendering/frame-renderer.ts';
import { LeaseLost, type ServiceClient } from '../service/client.ts';

/** Frames in one request: what the protocol allows. */
const CHUNK = 50;
/** A movie without its markers is worth more than one that waits for them longer than this. */
const PATIENCE_MS = 30_000;

export class JobMarkers {
  readonly #service: ServiceClient;
  readonly #job: MovieJob;
  readonly #signal: AbortSignal;
  readonly #say: (line: string) => void;
  readonly #chunks = new Map<number, Promise<readonly FrameMarkers[]>>();

  constructor(service: ServiceClient, job: MovieJob, signal: AbortSignal, say: (line: string) => void) {
    this.#service = service;
    this.#job = job;
    this.#signal = signal;
    this.#say = say;
  }

  /** Nothing where the service cannot say. */
  async of(frame: number): Promise<FrameMarkers> {
    const chunk = Math.floor(frame / CHUNK);
    const markers = this.#chunks.get(chunk) ?? this.#ask(chunk);
    this.#chunks.set(chunk, markers);
    return (await markers)[frame % CHUNK] ?? {};
  }

  async #ask(chunk: number): Promise<readonly FrameMarkers[]> {
    const from = chunk * CHUNK;
    const to = Math.min(this.#job.frames.length, from + CHUNK);
    try {
      return await this.#service.markers(this.#job, from, to, { patienceMs: PATIENCE_MS, signal: this.#signal });
    } catch (error) {
      if (error instanceof LeaseLost || this.#signal.aborted) throw error;
      this.#say(`frames ${from} to ${to - 1} are drawn without their markers: ${(error as Error).message}`);
      return [];
    }
  }
}

// Stores segments while the encoder continues. A failed upload costs only the resume point, so it does not fail the job.
import { join } from 'node:path';
import type { MovieJob } from '../../../src/domain/movies/job.ts';
import { ENCODINGS, segmentFile } from '../encode/encoder.ts';
import { type Segment, segmentObjectName } from '../segments.ts';
import { LeaseLost, type ServiceClient } from './client.ts';
import { storeFile } from './stored-file.ts';

export interface SegmentUploadsOptions {
  readonly service: ServiceClient;
  readonly job: MovieJob;
  readonly folder: string;
  readonly tag: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

export class SegmentUploads {
  readonly #options: SegmentUploadsOptions;
  readonly #ended = new AbortController();
  #queue: Promise<void> = Promise.resolve();

  constructor(options: SegmentUploadsOptions) {
    this.#options = options;
  }

  /** Stores a segment after those before it. */
  add(segment: Segment): void {
    this.#queue = this.#queue.then(() => this.#store(segment));
  }

  async #store(segment: Segment): Promise<void> {
    const { service, job, folder, tag, signal, say } = this.#options;
    const either = AbortSignal.any([signal, this.#ended.signal]);
    try {
      for (const encoding of ENCODINGS) {
        either.throwIfAborted();
        const path = join(folder, segmentFile(segment.stem, encoding));
        await storeFile(service, job, segmentObjectName(segment, encoding, tag), path, either);
      }
    } catch (error) {
      // That the lease is lost, the next report of progress says.
      if (either.aborted || error instanceof LeaseLost) return;
      say(`frames ${segment.from} to ${segment.to - 1} could not be stored as a segment: ${(error as Error).message}`);
    }
  }

  /** Gives up what is not stored yet; nothing is under way when this resolves. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#queue;
  }
}

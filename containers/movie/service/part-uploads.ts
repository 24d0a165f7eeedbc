// Stores parts beside the work. A part that cannot be stored is only worth less than one that can.
import { join } from 'node:path';
import type { MovieJob } from '../../../src/domain/movies/job.ts';
import { ENCODINGS, segmentFile } from '../encode/encoder.ts';
import { partName, type Segment } from '../parts.ts';
import { LeaseLost, type MovieService } from './client.ts';
import { storeFile } from './stored-file.ts';

export interface PartUploadsOptions {
  readonly service: MovieService;
  readonly job: MovieJob;
  readonly folder: string;
  readonly tag: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

export class PartUploads {
  readonly #options: PartUploadsOptions;
  readonly #ended = new AbortController();
  #queue: Promise<void> = Promise.resolve();

  constructor(options: PartUploadsOptions) {
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
        const path = join(folder, segmentFile(segment.name, encoding));
        await storeFile(service, job, partName(segment, encoding, tag), path, either);
      }
    } catch (error) {
      // That the lease is lost, the next report of progress says.
      if (either.aborted || error instanceof LeaseLost) return;
      say(`frames ${segment.from} to ${segment.to - 1} are not put in safety: ${(error as Error).message}`);
    }
  }

  /** Gives up what is not stored yet; nothing is under way when this resolves. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#queue;
  }
}

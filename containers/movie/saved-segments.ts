// Encoded segments of a long movie, stored with the service so that the next attempt can resume after the last one.
import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SEGMENT_NAME } from '../../src/domain/movies/formats.ts';
import type { MovieJob } from '../../src/domain/movies/job.ts';
import { ENCODINGS, type Encoder, type Encoding, segmentFile } from './encode/encoder.ts';
import { paddedFrame, type Segment, segmentStem } from './encode/segmented-video.ts';
import { LeaseLost, type ServiceClient } from './service/client.ts';

const TAG_LENGTH = 8;

/** Identifies an encoder in object names, because only segments of the same encoder can be joined. */
export const encoderTag = ({ description }: Pick<Encoder, 'description'>): string =>
  createHash('sha256').update(description).digest('hex').slice(0, TAG_LENGTH);

const OBJECT_EXTENSIONS = { mp4: 'mp4', hq: 'mp4', webm: 'webm' } as const satisfies Record<Encoding, string>;

/** Name of the stored object of a segment in one encoding (`SEGMENT_NAME`). */
export function segmentObjectName({ from, to, skipped }: Omit<Segment, 'stem'>, encoding: Encoding, tag: string): string {
  return `part-${paddedFrame(from)}-${paddedFrame(to)}.${encoding}.${tag}-${skipped}.${OBJECT_EXTENSIONS[encoding]}`;
}

/**
 * The segments to resume from: consecutive ones from frame 0 on, the longest where several start at the same frame.
 * @param names object names; incomplete segments and those of other encoders are ignored
 */
export function usableSegments(names: readonly string[], tag: string): Segment[] {
  const stored = new Set(names);
  const candidates = names.flatMap((name): Segment[] => {
    const [, from, to, encoding, note] = SEGMENT_NAME.exec(name) ?? [];
    if (encoding !== ENCODINGS[0] || !note?.startsWith(`${tag}-`)) return [];
    const segment = { from: Number(from), to: Number(to), skipped: Number(note.slice(tag.length + 1)) };
    const isComplete = ENCODINGS.every((other) => stored.has(segmentObjectName(segment, other, tag)));
    return isComplete && segment.to > segment.from ? [{ ...segment, stem: segmentStem(segment.from) }] : [];
  });
  const segments: Segment[] = [];
  for (let at = 0; ; at = segments.at(-1)?.to ?? 0) {
    const next = candidates.filter(({ from }) => from === at).sort((a, b) => b.to - a.to)[0];
    if (!next) return segments;
    segments.push(next);
  }
}

export interface SavedSegmentsOptions {
  readonly service: ServiceClient;
  readonly job: MovieJob;
  /** Folder of the segments' local files. */
  readonly folder: string;
  readonly encoder: Pick<Encoder, 'description'>;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/** Downloads the segments of earlier attempts, up to the first one that is gone. */
export async function fetchSegments({ service, job, folder, encoder, signal }: SavedSegmentsOptions): Promise<Segment[]> {
  const tag = encoderTag(encoder);
  const fetched: Segment[] = [];
  for (const segment of usableSegments(job.segments, tag)) {
    if (segment.to > job.frames.length) return fetched;
    for (const encoding of ENCODINGS) {
      const bytes = await service.segment(job, segmentObjectName(segment, encoding, tag), signal);
      if (!bytes) return fetched;
      await writeFile(join(folder, segmentFile(segment.stem, encoding)), bytes);
    }
    fetched.push(segment);
  }
  return fetched;
}

/** Uploads segments while the encoder continues. A failed upload only costs a resume point, so it does not fail the job. */
export class SegmentUploads {
  readonly #options: SavedSegmentsOptions;
  readonly #closed = new AbortController();
  #queue: Promise<void> = Promise.resolve();

  constructor(options: SavedSegmentsOptions) {
    this.#options = options;
  }

  /** Queues the upload of a segment. */
  add(segment: Segment): void {
    this.#queue = this.#queue.then(() => this.#upload(segment));
  }

  async #upload(segment: Segment): Promise<void> {
    const { service, job, folder, encoder, log } = this.#options;
    const signal = AbortSignal.any([this.#options.signal, this.#closed.signal]);
    try {
      for (const encoding of ENCODINGS) {
        signal.throwIfAborted();
        const file = await openAsBlob(join(folder, segmentFile(segment.stem, encoding)));
        await service.store(job, segmentObjectName(segment, encoding, encoderTag(encoder)), file, signal);
      }
    } catch (error) {
      // The heartbeat reports a lost lease.
      if (signal.aborted || error instanceof LeaseLost) return;
      log(`frames ${segment.from} to ${segment.to - 1} could not be stored as a segment: ${(error as Error).message}`);
    }
  }

  /** Cancels pending uploads. Resolves when none is in progress. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#queue;
  }
}

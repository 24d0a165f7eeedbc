// Encoded segments of a long movie, stored with the service so that the next attempt can resume after the last one. A stored
// object is the file and its SHA-256, because a segment that was damaged or cut must not become part of a movie.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SEGMENT_NAME } from '../../src/domain/movies/formats.ts';
import type { MovieJob } from '../../src/domain/movies/job.ts';
import { sha256, sha256Hex } from '../../src/util/digest.ts';
import { ENCODINGS, type Encoder, type Encoding, segmentFile } from './encode/encoder.ts';
import { paddedFrame, type Segment, segmentStem } from './encode/segmented-video.ts';
import { LeaseLost, type ServiceClient } from './service/client.ts';

const TAG_LENGTH = 8;
const DIGEST_BYTES = 32;
/** Format of the objects: part of the tag, so that objects of another format are ignored. */
const OBJECT_FORMAT = 'sha256-trailer';

/** Identifies encoder and object format in object names, because only segments of the same encoder can be joined. */
export const encoderTag = async ({ description }: Pick<Encoder, 'description'>): Promise<string> =>
  (await sha256Hex(`${OBJECT_FORMAT}\n${description}`)).slice(0, TAG_LENGTH);

/** The object of a segment's file. */
export async function sealed(file: Uint8Array<ArrayBuffer>): Promise<Blob> {
  return new Blob([file, await sha256(file)]);
}

/** The file in an object of a segment; null when the object has been damaged or cut. */
export async function unsealed(object: Uint8Array): Promise<Uint8Array | null> {
  const length = object.length - DIGEST_BYTES;
  if (length < 0) return null;
  const file = object.subarray(0, length);
  return Buffer.compare(await sha256(file), object.subarray(length)) === 0 ? file : null;
}

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
  readonly service: Pick<ServiceClient, 'segment' | 'store'>;
  readonly job: MovieJob;
  /** Folder of the segments' local files. */
  readonly folder: string;
  readonly encoder: Pick<Encoder, 'description'>;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/** Downloads a segment in all encodings; false when one of them is gone or damaged. */
async function fetchSegment(
  segment: Segment,
  { service, job, folder, encoder, signal, log }: SavedSegmentsOptions,
): Promise<boolean> {
  for (const encoding of ENCODINGS) {
    const name = segmentObjectName(segment, encoding, await encoderTag(encoder));
    const object = await service.segment(job, name, signal);
    const file = object && (await unsealed(object));
    if (object && !file) log(`the stored segment ${name} is damaged: its frames are encoded again`);
    if (!file) return false;
    await writeFile(join(folder, segmentFile(segment.stem, encoding)), file);
  }
  return true;
}

/**
 * Downloads the segments of earlier attempts. One that is gone or damaged is replaced by a shorter one from the same frame, if
 * there is one; otherwise the movie resumes at its first frame.
 */
export async function fetchSegments(options: SavedSegmentsOptions): Promise<Segment[]> {
  const { job, encoder } = options;
  const tag = await encoderTag(encoder);
  const unusable = new Set<string>();
  const fetched: Segment[] = [];
  for (;;) {
    const names = job.segments.filter((name) => !unusable.has(name));
    const next = usableSegments(names, tag)[fetched.length];
    if (!next || next.to > job.frames.length) return fetched;
    if (await fetchSegment(next, options)) fetched.push(next);
    else for (const encoding of ENCODINGS) unusable.add(segmentObjectName(next, encoding, tag));
  }
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
        const file = new Uint8Array(await readFile(join(folder, segmentFile(segment.stem, encoding))));
        const name = segmentObjectName(segment, encoding, await encoderTag(encoder));
        await service.store(job, name, await sealed(file), signal);
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

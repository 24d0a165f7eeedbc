// A movie in encoded segments. After a fixed time of work the current segment ends and the next one starts; ended ones are stored with the
// service, so that the next attempt resumes after the last one. A stored object is the file and its SHA-256, because a segment that was
// damaged or cut must not become part of a movie.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SEGMENT_NAME } from '../../../src/movies/movie.ts';
import { type BuildClaim, WORKER_VERSION } from '../../../src/movies/worker-protocol.ts';
import { sha256, sha256Hex } from '../../../src/platform/util/bytes.ts';
import { Service } from '../../../src/platform/util/service.ts';
import { LeaseLost, type ServiceClient } from '../service.ts';
import { ENCODINGS, type Encoder, type Encoding, type SegmentWriter, segmentFile, type VideoSpec } from './encoder.ts';

/** Encoded frames from..to-1 of the plan, without the skipped ones. */
export interface Segment {
  /** Local file names without encoding and extension. */
  readonly stem: string;
  readonly from: number;
  readonly to: number;
  readonly skipped: number;
}

const paddedFrame = (frame: number): string => String(frame).padStart(4, '0');

export const segmentStem = (from: number): string => `segment-${paddedFrame(from)}`;

type OpenSegment = { readonly writer: SegmentWriter; readonly from: number; readonly openedAt: number };

/** Methods throw EncoderError. */
export class SegmentedVideo extends Service<{
  readonly encoder: Encoder;
  readonly spec: VideoSpec;
  readonly folder: string;
  /** Milliseconds of work after which a segment ends. */
  readonly segmentMs: number;
  readonly frameCount: number;
  /** Existing segments, from frame 0 on. */
  readonly segments: readonly Segment[];
  /** Called with each complete segment but the last. */
  readonly onSegment: (segment: Segment) => void;
}> {
  /** Complete after `close`. */
  readonly segments: Segment[] = [...this.ports.segments];
  #open: OpenSegment | null = null;
  #closing: { readonly writer: SegmentWriter; readonly closed: Promise<void> } | null = null;
  #skipped = 0;

  /** Resolves when the next frame may be written. */
  async write(frame: number, pixels: Uint8Array): Promise<void> {
    if (this.#open && this.#isLongEnough(this.#open, frame)) await this.#endSegment(this.#open, frame);
    const { writer } = this.#open ?? (await this.#startSegment());
    await writer.write(pixels);
  }

  skip(): void {
    this.#skipped += 1;
  }

  async close(): Promise<void> {
    await this.#closing?.closed;
    if (!this.#open) return;
    const { writer, from } = this.#open;
    await writer.close();
    this.#add(from, this.ports.frameCount);
  }

  /** Cancels the incomplete segments. Never rejects. */
  async abort(): Promise<void> {
    await Promise.all([this.#open?.writer.abort(), this.#closing?.writer.abort()]);
  }

  /** The remaining frames stay in the segment if they are fewer than half of its frames. */
  #isLongEnough({ from, openedAt }: OpenSegment, frame: number): boolean {
    return performance.now() - openedAt >= this.ports.segmentMs && this.ports.frameCount - frame >= (frame - from) / 2;
  }

  async #startSegment(): Promise<OpenSegment> {
    const { encoder, spec, folder } = this.ports;
    const from = this.segments.at(-1)?.to ?? 0;
    const writer = await encoder.openSegment(spec, folder, segmentStem(from));
    this.#open = { writer, from, openedAt: performance.now() };
    return this.#open;
  }

  /** Does not wait for the segment to close, so that the next one can start meanwhile. */
  async #endSegment({ writer, from }: OpenSegment, to: number): Promise<void> {
    await this.#closing?.closed;
    const segment = this.#add(from, to);
    const closed = writer.close().then(() => this.ports.onSegment(segment));
    closed.catch(() => undefined); // Awaited by the next segment end or by `close`.
    this.#closing = { writer, closed };
    this.#open = null;
  }

  #add(from: number, to: number): Segment {
    const segment = { stem: segmentStem(from), from, to, skipped: this.#skipped };
    this.segments.push(segment);
    this.#skipped = 0;
    return segment;
  }
}

const TAG_LENGTH = 8;
const DIGEST_BYTES = 32;
/** Format of the objects: part of the tag, so that objects of another format are ignored. */
const OBJECT_FORMAT = 'sha256-trailer';

/** Identifies encoder, worker version and object format in object names, because only segments that were made alike can be joined. */
export const encoderTag = async ({ description }: Pick<Encoder, 'description'>): Promise<string> =>
  (await sha256Hex(`${OBJECT_FORMAT}\n${WORKER_VERSION}\n${description}`)).slice(0, TAG_LENGTH);

export const sealed = async (file: Uint8Array<ArrayBuffer>): Promise<Blob> => new Blob([file, await sha256(file)]);

/** The file in an object of a segment; null when the object has been damaged or cut. */
export async function unsealed(object: Uint8Array): Promise<Uint8Array | null> {
  const length = object.length - DIGEST_BYTES;
  if (length < 0) return null;
  const file = object.subarray(0, length);
  return Buffer.compare(await sha256(file), object.subarray(length)) === 0 ? file : null;
}

const OBJECT_EXTENSIONS = { mp4: 'mp4', hq: 'mp4', webm: 'webm' } as const satisfies Record<Encoding, string>;

/** Name of the stored object of a segment in one encoding (`SEGMENT_NAME`). */
export const segmentObjectName = ({ from, to, skipped }: Omit<Segment, 'stem'>, encoding: Encoding, tag: string): string =>
  `part-${paddedFrame(from)}-${paddedFrame(to)}.${encoding}.${tag}-${skipped}.${OBJECT_EXTENSIONS[encoding]}`;

/** The segments to resume from, consecutive from frame 0, of several at a frame the longest. Those of other encoders are ignored. */
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

export interface StoredSegmentsOptions {
  readonly service: Pick<ServiceClient, 'segment' | 'store'>;
  readonly claim: BuildClaim;
  readonly folder: string;
  readonly encoder: Pick<Encoder, 'description'>;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/** Downloads a segment in all encodings; false when one of them is gone or damaged. */
async function fetchSegment(segment: Segment, { service, claim, folder, encoder, signal, log }: StoredSegmentsOptions) {
  for (const encoding of ENCODINGS) {
    const name = segmentObjectName(segment, encoding, await encoderTag(encoder));
    const object = await service.segment(claim, name, signal);
    const file = object && (await unsealed(object));
    if (object && !file) log(`the stored segment ${name} is damaged: its frames are encoded again`);
    if (!file) return false;
    await writeFile(join(folder, segmentFile(segment.stem, encoding)), file);
  }
  return true;
}

/** Downloads the segments of earlier attempts. A shorter one from the same frame replaces one that is gone or damaged. */
export async function fetchSegments(options: StoredSegmentsOptions): Promise<Segment[]> {
  const { claim, encoder } = options;
  const tag = await encoderTag(encoder);
  const unusable = new Set<string>();
  const fetched: Segment[] = [];
  for (;;) {
    const names = claim.segments.filter((name) => !unusable.has(name));
    const next = usableSegments(names, tag)[fetched.length];
    if (!next || next.to > claim.frames.length) return fetched;
    if (await fetchSegment(next, options)) fetched.push(next);
    else for (const encoding of ENCODINGS) unusable.add(segmentObjectName(next, encoding, tag));
  }
}

/** Uploads segments while the encoder continues. A failed upload only costs a resume point, so it does not fail the build. */
export class SegmentUploads extends Service<StoredSegmentsOptions> {
  readonly #closed = new AbortController();
  #queue: Promise<void> = Promise.resolve();

  add(segment: Segment): void {
    this.#queue = this.#queue.then(() => this.#upload(segment));
  }

  async #upload(segment: Segment): Promise<void> {
    const signal = AbortSignal.any([this.ports.signal, this.#closed.signal]);
    try {
      for (const encoding of ENCODINGS) {
        signal.throwIfAborted();
        const file = new Uint8Array(await readFile(join(this.ports.folder, segmentFile(segment.stem, encoding))));
        const name = segmentObjectName(segment, encoding, await encoderTag(this.ports.encoder));
        await this.ports.service.store(this.ports.claim, name, await sealed(file), signal);
      }
    } catch (error) {
      // The heartbeat reports a lost lease.
      if (signal.aborted || error instanceof LeaseLost) return;
      this.ports.log(`frames ${segment.from} to ${segment.to - 1} could not be stored as a segment: ${(error as Error).message}`);
    }
  }

  /** Cancels pending uploads. Resolves when none is in progress. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#queue;
  }
}

// Splits the frames of a movie into segments: after a fixed time of work the current segment ends and the next one starts.
import type { Encoder, SegmentWriter, VideoSpec } from './encoder.ts';

/** Encoded frames from..to-1 of the plan, without the skipped ones. */
export interface Segment {
  /** Local file names without encoding and extension. */
  readonly stem: string;
  readonly from: number;
  readonly to: number;
  readonly skipped: number;
}

/** Frame number as in file and object names. */
export const paddedFrame = (frame: number): string => String(frame).padStart(4, '0');

/** Stem of a segment's local file names. */
export const segmentStem = (from: number): string => `segment-${paddedFrame(from)}`;

export interface SegmentedVideoOptions {
  readonly encoder: Encoder;
  readonly spec: VideoSpec;
  readonly folder: string;
  /** Milliseconds of work after which a segment ends. */
  readonly segmentMs: number;
  /** Frames of the whole movie. */
  readonly frameCount: number;
  /** Existing segments, from frame 0 on. */
  readonly segments: readonly Segment[];
  /** Called with each complete segment but the last. */
  readonly onSegment: (segment: Segment) => void;
}

interface OpenSegment {
  readonly writer: SegmentWriter;
  readonly from: number;
  readonly openedAt: number;
}

/** Methods throw EncoderError. */
export class SegmentedVideo {
  readonly #options: SegmentedVideoOptions;
  readonly #segments: Segment[];
  #open: OpenSegment | null = null;
  #closing: { readonly writer: SegmentWriter; readonly closed: Promise<void> } | null = null;
  #skipped = 0;

  constructor(options: SegmentedVideoOptions) {
    this.#options = options;
    this.#segments = [...options.segments];
  }

  /** Complete after `close`. */
  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** Resolves when the next frame may be written. */
  async write(frame: number, pixels: Uint8Array): Promise<void> {
    if (this.#open && this.#isLongEnough(this.#open, frame)) await this.#endSegment(this.#open, frame);
    const { writer } = this.#open ?? (await this.#startSegment());
    await writer.write(pixels);
  }

  /** Counts a frame that could not be drawn. */
  skip(): void {
    this.#skipped += 1;
  }

  async close(): Promise<void> {
    await this.#closing?.closed;
    if (!this.#open) return;
    const { writer, from } = this.#open;
    await writer.close();
    this.#add(from, this.#options.frameCount);
  }

  /** Cancels the incomplete segments. Never rejects. */
  async abort(): Promise<void> {
    await Promise.all([this.#open?.writer.abort(), this.#closing?.writer.abort()]);
  }

  /** The remaining frames stay in the segment if they are fewer than half of its frames. */
  #isLongEnough({ from, openedAt }: OpenSegment, frame: number): boolean {
    const { segmentMs, frameCount } = this.#options;
    return performance.now() - openedAt >= segmentMs && frameCount - frame >= (frame - from) / 2;
  }

  async #startSegment(): Promise<OpenSegment> {
    const { encoder, spec, folder } = this.#options;
    const from = this.#segments.at(-1)?.to ?? 0;
    const writer = await encoder.openSegment(spec, folder, segmentStem(from));
    this.#open = { writer, from, openedAt: performance.now() };
    return this.#open;
  }

  /** Does not wait for the segment to close, so that the next one can start meanwhile. */
  async #endSegment({ writer, from }: OpenSegment, to: number): Promise<void> {
    await this.#closing?.closed;
    const segment = this.#add(from, to);
    const closed = writer.close().then(() => this.#options.onSegment(segment));
    closed.catch(() => undefined); // Awaited by the next segment end or by `close`.
    this.#closing = { writer, closed };
    this.#open = null;
  }

  #add(from: number, to: number): Segment {
    const segment = { stem: segmentStem(from), from, to, skipped: this.#skipped };
    this.#segments.push(segment);
    this.#skipped = 0;
    return segment;
  }
}

// The frames of a movie on their way into the encoder. After some work a segment ends and the next one begins.
import type { Encoder, SegmentWriter, VideoSpec } from './encode/encoder.ts';
import { type Segment, segmentStem } from './segments.ts';

export interface SegmentedVideoOptions {
  readonly encoder: Encoder;
  readonly spec: VideoSpec;
  readonly folder: string;
  /** Milliseconds of work after which a segment ends. */
  readonly segmentMs: number;
  /** Frames of the movie. */
  readonly frameCount: number;
  /** What is there already, from frame 0 on. */
  readonly segments: readonly Segment[];
  /** Told of each segment that is complete, while there are more to come. */
  readonly onSegment: (segment: Segment) => void;
}

interface OpenSegment {
  readonly writer: SegmentWriter;
  readonly from: number;
  readonly openedAt: number;
}

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

  /** Takes a frame; the next one may be written when this resolves. */
  async write(frame: number, pixels: Uint8Array): Promise<void> {
    if (this.#open && this.#isLongEnough(this.#open, frame)) await this.#end(this.#open, frame);
    const { writer } = this.#open ?? (await this.#begin());
    await writer.write(pixels);
  }

  skip(): void {
    this.#skipped += 1;
  }

  async close(): Promise<void> {
    const { frameCount } = this.#options;
    await this.#closing?.closed;
    if (!this.#open) return;
    const { writer, from } = this.#open;
    await writer.close();
    this.#add(from, frameCount);
  }

  /** Gives up what is not complete. */
  async abort(): Promise<void> {
    await Promise.all([this.#open?.writer.abort(), this.#closing?.writer.abort()]);
  }

  /** A rest of less than half a segment is not worth another one. */
  #isLongEnough({ from, openedAt }: OpenSegment, frame: number): boolean {
    const { segmentMs, frameCount } = this.#options;
    return performance.now() - openedAt >= segmentMs && frameCount - frame >= (frame - from) / 2;
  }

  async #begin(): Promise<OpenSegment> {
    const { encoder, spec, folder } = this.#options;
    const from = this.#segments.at(-1)?.to ?? 0;
    const writer = await encoder.openSegment(spec, folder, segmentStem(from));
    this.#open = { writer, from, openedAt: performance.now() };
    return this.#open;
  }

  /** The encoder ends a segment while the next one has begun. */
  async #end({ writer, from }: OpenSegment, to: number): Promise<void> {
    await this.#closing?.closed;
    const segment = this.#add(from, to);
    const closed = writer.close().then(() => this.#options.onSegment(segment));
    closed.catch(() => undefined);
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

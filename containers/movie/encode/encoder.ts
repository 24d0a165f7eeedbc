// Interface of a video encoder.
//
// A movie is encoded in segments, so that a job that is restarted keeps the finished ones. A segment is written in three
// encodings at once; joining copies the encoded frames of its segments into the files of the movie.

/** Encodings of a segment. The FLV file of a movie holds the frames of its MP4. */
export const ENCODINGS = ['mp4', 'hq', 'webm'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const EXTENSIONS = { mp4: 'mp4', hq: 'hq.mp4', webm: 'webm' } as const satisfies Record<Encoding, string>;

/**
 * File name of a segment in one encoding. H.264 is stored in MP4 because Matroska rounds timestamps to milliseconds, from
 * which the presentation order of reordered frames cannot be restored.
 */
export const segmentFile = (segment: string, encoding: Encoding): string => `${segment}.${EXTENSIONS[encoding]}`;

export interface VideoSpec {
  /** Pixels of a drawn frame, limited-range Y'CbCr 4:2:0 of BT.709 with chroma on the left (`composeYuv420`); both even. */
  readonly frame: { readonly width: number; readonly height: number };
  /** Pixels of the video, both even and at least those of the frame, which is centred on black. */
  readonly output: { readonly width: number; readonly height: number };
  /** Frames per second, to a thousandth. */
  readonly frameRate: number;
  /** Free text, which may have several lines. */
  readonly metadata: {
    readonly title: string;
    readonly description: string;
    readonly comment: string;
    readonly createdAtMs: number;
  };
}

/**
 * Writer of one segment. A segment that fails leaves no files.
 * @throws EncoderError from `write` and `close`
 */
export interface SegmentWriter {
  /** Resolves when there is room for another frame; the buffer may then be reused. One call at a time. */
  write(frame: Uint8Array): Promise<void>;
  /** Ends the segment. Its files are complete when this resolves. */
  close(): Promise<void>;
  /** Cancels the segment and removes its files. Never rejects; does nothing after `close`. */
  abort(): Promise<void>;
}

export interface Encoder {
  readonly name: 'ffmpeg' | 'embedded';
  /** For logs and the status page, as in "ffmpeg 5.1.9: H.264, VP9". */
  readonly description: string;
  /** Starts writing `segmentFile(segment, ...)` in `folder`, which must exist. */
  openSegment(spec: VideoSpec, folder: string, segment: string): Promise<SegmentWriter>;
  /**
   * Writes movie.mp4, movie-hq.mp4, movie.webm and movie.flv to `out` from the segments in `folder`, in the given order.
   * @throws EncoderError
   */
  join(spec: VideoSpec, folder: string, segments: readonly string[], out: string): Promise<void>;
}

/** `died`: exited with an error; `stalled`: made no progress for too long; `aborted`: cancelled by its caller. */
export type EncoderFailure = 'died' | 'stalled' | 'disk-full' | 'aborted';

export interface EncoderErrorDetails {
  /** The encoder's last output. May hold paths, so it is for the log only. */
  readonly log?: string;
  readonly cause?: unknown;
  /** Time limit without progress. */
  readonly stallMs?: number;
}

/** Messages of ffmpeg and Node about a full disk. */
const DISK_FULL = /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT/;

const SENTENCES: Readonly<Record<EncoderFailure, (stallMs: number) => string>> = {
  died: () => 'The video encoder stopped unexpectedly.',
  'disk-full': () => 'The video encoder ran out of disk space.',
  stalled: (stallMs) => `The video encoder made no progress for ${Math.round(stallMs / 1000)} seconds.`,
  aborted: () => 'The video encoder was stopped.',
};

/** A failed encoder; one that died of a full disk, according to its log, has the failure `disk-full`. The message is for users. */
export class EncoderError extends Error {
  override readonly name = 'EncoderError';
  readonly failure: EncoderFailure;
  readonly log: string;

  constructor(failure: EncoderFailure, { log = '', cause, stallMs = 0 }: EncoderErrorDetails = {}) {
    const actual = failure === 'died' && DISK_FULL.test(`${log} ${cause}`) ? 'disk-full' : failure;
    super(SENTENCES[actual](stallMs), { cause });
    this.failure = actual;
    this.log = log;
  }
}

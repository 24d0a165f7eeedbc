// What the movie worker asks of an encoder, whichever ffmpeg does the work.
//
// A movie is encoded in segments, so that a restarted job keeps those that are done. Each segment is written in all three
// encodings at once; joining segments, one or many, copies the encoded frames into the files of the movie.

/** The encodings of a segment; the flv file of a movie holds the frames of its mp4. */
export const ENCODINGS = ['mp4', 'hq', 'webm'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const ENDINGS = { mp4: 'mp4', hq: 'hq.mp4', webm: 'webm' } as const;

/**
 * The file of a segment in one encoding, without the metadata of the movie. H.264 is in MP4: Matroska rounds times to
 * milliseconds, and frames that are shown in another order than they are stored could not be put right again.
 */
export const segmentFile = (segment: string, encoding: Encoding): string => `${segment}.${ENDINGS[encoding]}`;

export interface VideoSpec {
  /** Pixels of the frames as they are drawn, R G B of each; both even. */
  readonly frame: { readonly width: number; readonly height: number };
  /** Pixels of the video, both even and not below those of the frame, which stands in the middle on black. */
  readonly output: { readonly width: number; readonly height: number };
  /** Frames per second, to a thousandth. */
  readonly frameRate: number;
  /** Any text, on as many lines as it likes. */
  readonly metadata: {
    readonly title: string;
    readonly description: string;
    readonly comment: string;
    readonly createdAtMs: number;
  };
}

/** Takes the frames of a segment. Every call may reject with an EncoderError; a segment that failed has left no files. */
export interface SegmentWriter {
  /** Resolves when there is room for another frame. The buffer is the caller's again then. One call at a time. */
  write(frame: Uint8Array): Promise<void>;
  /** Ends the segment; its files are complete when this resolves. */
  close(): Promise<void>;
  /** Gives the segment up at once and removes its files. Never rejects, and does nothing after the end. */
  abort(): Promise<void>;
}

export interface Encoder {
  readonly name: 'ffmpeg' | 'embedded';
  /** For logs and the status page: "ffmpeg 5.1.9: H.264, VP9". */
  readonly description: string;
  /** Begins `segmentFile(segment, ...)` in `folder`, which has to exist. */
  openSegment(spec: VideoSpec, folder: string, segment: string): Promise<SegmentWriter>;
  /** Writes movie.mp4, movie-hq.mp4, movie.webm and movie.flv into `out` from segments of `folder`, in order. */
  join(spec: VideoSpec, folder: string, segments: readonly string[], out: string): Promise<void>;
}

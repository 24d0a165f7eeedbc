// Video encoders: their interface, the writer of segments on top of one of their runs, and the command lines of ffmpeg that they run.
//
// A movie is encoded in segments, so that the next attempt keeps the finished ones. A segment is written in three
// encodings at once; joining copies the encoded frames of its segments into the files of the movie.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildClaim } from '../../../src/movies/worker-protocol.ts';
import { yuv420Bytes } from '../../../src/picture/raster/compose.ts';
import { SERVICE_NAME } from '../../../src/platform/util/identity.ts';

/** Encodings of a segment. The FLV file of a movie holds the frames of its MP4. */
export const ENCODINGS = ['mp4', 'hq', 'webm'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const EXTENSIONS = { mp4: 'mp4', hq: 'hq.mp4', webm: 'webm' } as const satisfies Record<Encoding, string>;

/** File name of a segment in one encoding. H.264 is in MP4, because Matroska rounds the timestamps by which reordered frames are put in order. */
export const segmentFile = (segment: string, encoding: Encoding): string => `${segment}.${EXTENSIONS[encoding]}`;

/** A video, with sides of its output that are even and at least those of the frame, and texts that may have several lines. */
export interface VideoSpec extends Pick<BuildClaim, 'output' | 'metadata'> {
  /** Pixels of a drawn frame, limited-range Y'CbCr 4:2:0 of BT.709 with chroma on the left (`composeYuv420`); both even. */
  readonly frame: { readonly width: number; readonly height: number };
  /** Frames per second, to a thousandth. */
  readonly frameRate: number;
}

/** Writer of one segment. A segment that fails leaves no files. @throws EncoderError from `write` and `close` */
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
  /** Writes the four files of a movie to `out` from the segments in `folder`, in the given order. @throws EncoderError */
  join(spec: VideoSpec, folder: string, segments: readonly string[], out: string): Promise<void>;
}

/** `died`: exited with an error; `stalled`: made no progress for too long; `aborted`: cancelled by its caller. */
export type EncoderFailure = 'died' | 'stalled' | 'disk-full' | 'aborted';

interface EncoderErrorDetails {
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

export interface FrameSink {
  write(frame: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  /** Ends the run immediately. Never rejects. */
  kill(): Promise<void>;
}

/** Checks frame sizes, and removes the files of a failed segment. */
export function segmentWriter({ frame: size }: VideoSpec, folder: string, segment: string, sink: FrameSink): SegmentWriter {
  const frameBytes = yuv420Bytes(size.width, size.height);
  let frames = 0;
  let isEnded = false;

  const discard = async () => {
    isEnded = true;
    await sink.kill();
    await Promise.all(ENCODINGS.map((encoding) => rm(join(folder, segmentFile(segment, encoding)), { force: true })));
  };
  const orDiscard = async (work: () => Promise<void>) => {
    if (isEnded) throw new EncoderError('aborted');
    try {
      await work();
    } catch (error) {
      await discard();
      throw error;
    }
  };

  return {
    async write(frame) {
      if (frame.length !== frameBytes) throw new RangeError(`The frame has ${frame.length} bytes, not ${frameBytes}.`);
      await orDiscard(() => sink.write(frame));
      frames++;
    },
    close: () =>
      orDiscard(async () => {
        if (frames === 0) throw new EncoderError('died', { log: 'The segment has no frames.' });
        await sink.finish();
        isEnded = true;
      }),
    async abort() {
      if (!isEnded) await discard();
    },
  };
}

export interface Codecs {
  readonly x264Preset: 'veryfast' | 'superfast';
  readonly webm: 'vp9' | 'vp8';
  readonly threads: number;
}

/** Maximum distance of keyframes, the points that a player can seek to. */
const KEYFRAME_SECONDS = 2;

/** Bit rate limit of VP8, which has no constant-quality mode without one. */
const VP8_MAX_BITS_PER_PIXEL = 0.4;

const framesPer1000Seconds = (frameRate: number): number => Math.round(frameRate * 1000);

/** Tags of matrices. VP8 streams carry no tags, and their decoders assume BT.601. */
const BT709 = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];
const BT601 = ['-colorspace', 'smpte170m', '-color_primaries', 'bt709', '-color_trc', 'bt709'];

/** Centres a frame on black, at even offsets because chroma samples cover two pixels; empty for a frame of the output's size. */
function pad({ frame, output }: VideoSpec): string[] {
  if (frame.width === output.width && frame.height === output.height) return [];
  return [`pad=${output.width}:${output.height}:trunc((ow-iw)/4)*2:trunc((oh-ih)/4)*2:black`];
}

/** Not `scale`, whose conversion between matrices changes greys by a level. */
const TO_BT601 = 'colormatrix=bt709:bt601';

/** Filter graph from the input to one stream for each encoding. */
function filterGraph(spec: VideoSpec, { webm }: Codecs): string {
  const shared = [...pad(spec), 'split=3'].join(',');
  if (webm === 'vp9') return `[0:v]${shared}[mp4][hq][webm]`;
  return `[0:v]${shared}[mp4][hq][other];[other]${TO_BT601}[webm]`;
}

/**
 * Codec options. WebM is VP9 rather than AV1: 300 frames of 1280 x 720 take 0.9 s of processor time and 140 MiB, without their
 * conversion. AV1 (SVT, preset 12, crf 35) makes the file a quarter smaller, but takes 1.6 s and 180 MiB, and older versions
 * of Safari and older phones do not play it.
 */
function codec(encoding: Encoding, { frameRate, output }: VideoSpec, { x264Preset, webm }: Codecs): string[] {
  if (encoding !== 'webm') {
    const crf = encoding === 'hq' ? '15' : '20';
    return ['-c:v', 'libx264', '-preset', x264Preset, '-crf', crf, '-pix_fmt', 'yuv420p'];
  }
  const realtime = ['-deadline', 'realtime', '-cpu-used', '8', '-pix_fmt', 'yuv420p'];
  if (webm === 'vp9') return ['-c:v', 'libvpx-vp9', ...realtime, '-row-mt', '1', '-crf', '30', '-b:v', '0'];
  const bitsPerSecond = Math.ceil(output.width * output.height * frameRate * VP8_MAX_BITS_PER_PIXEL);
  return ['-c:v', 'libvpx', ...realtime, '-crf', '10', '-qmin', '2', '-qmax', '24', '-b:v', String(bitsPerSecond)];
}

/** Time scale of an MP4 file in thousandths of a frame, because the default of milliseconds would round the duration. */
const exactDuration = ({ frameRate }: VideoSpec): string[] => ['-movie_timescale', String(framesPer1000Seconds(frameRate))];

/** Arguments that encode the raw frames of `input` into the three files of a segment. */
export function segmentArguments(spec: VideoSpec, input: string, folder: string, segment: string, codecs: Codecs): string[] {
  const { width, height } = spec.frame;
  const keyframeDistance = String(Math.max(1, Math.floor(KEYFRAME_SECONDS * spec.frameRate)));
  return [
    ...['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', `${width}x${height}`],
    ...['-color_range', 'tv', ...BT709],
    ...['-framerate', `${framesPer1000Seconds(spec.frameRate)}/1000`, '-i', input],
    ...['-filter_complex_threads', '1', '-filter_complex', filterGraph(spec, codecs)],
    ...ENCODINGS.flatMap((encoding) => [
      ...['-map', `[${encoding}]`, '-fps_mode', 'passthrough', ...codec(encoding, spec, codecs)],
      ...['-color_range', 'tv', '-chroma_sample_location', 'left'],
      ...(encoding === 'webm' && codecs.webm === 'vp8' ? BT601 : BT709),
      ...(encoding === 'webm' ? [] : exactDuration(spec)),
      ...['-g', keyframeDistance, '-threads', String(codecs.threads), `${folder}/${segmentFile(segment, encoding)}`],
    ]),
  ];
}

/** Removes what an argument cannot hold: NUL, and lone surrogates, which UTF-8 does not have. */
const argument = (text: string): string => text.replaceAll('\0', '').toWellFormed();

function metadata({ metadata: { title, description, comment, createdAtMs } }: VideoSpec): string[] {
  const texts = { title, artist: SERVICE_NAME, description, comment, creation_time: new Date(createdAtMs).toISOString() };
  return ['-map_metadata', '-1', ...Object.entries(texts).flatMap(([key, text]) => ['-metadata', `${key}=${argument(text)}`])];
}

/** File name of the list of an encoding's segments, for ffmpeg's concat demuxer. */
const listFile = (encoding: Encoding): string => `${encoding}.list`;

/** Writes the lists of `joinArguments` into the folder of the segments. @returns names of all files that its command reads */
export async function writeLists(folder: string, segments: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const encoding of ENCODINGS) {
    const files = segments.map((segment) => segmentFile(segment, encoding));
    await writeFile(join(folder, listFile(encoding)), files.map((name) => `file '${name}'\n`).join(''));
    names.push(listFile(encoding), ...files);
  }
  return names;
}

/** Reordering delay of x264, frames: two with b-pyramid. Set for all segments, because one of a single frame would not line up. */
const REORDERED_FRAMES = 2;

/**
 * Arguments that join the segments of the lists in `folder` into the four files of a movie in `out`, without re-encoding.
 * The end of a segment is known to a microsecond or, in WebM, a millisecond only; all timestamps are snapped to the frame
 * rate, so that these errors do not accumulate.
 */
export function joinArguments(spec: VideoSpec, folder: string, out: string): string[] {
  const inputs = ENCODINGS.flatMap((encoding) => ['-f', 'concat', '-safe', '0', '-i', `${folder}/${listFile(encoding)}`]);
  const output = (input: Encoding, name: string, options: readonly string[]) => [
    ...['-map', `${ENCODINGS.indexOf(input)}:v`, '-c', 'copy', ...metadata(spec), ...options, `${out}/${name}`],
  ];
  const scale = framesPer1000Seconds(spec.frameRate);
  const frames = (count: string) => `(${count})*1000/${scale}/TB`;
  const presentedAt = frames(`round(PTS*TB*${scale}/1000)`);
  const reordered = ['-bsf:v', `setts=pts=${presentedAt}:dts=${frames(`N-${REORDERED_FRAMES}`)}`];
  // FLV has no negative timestamps, so presentation is delayed instead. Its timestamps are in milliseconds, whatever TB says.
  const milliseconds = (count: string) => `round((${count})*1000000/${scale})`;
  const delayedPts = milliseconds(`round(PTS*${scale}/1000000)+${REORDERED_FRAMES}`);
  const delayed = ['-bsf:v', `setts=pts=${delayedPts}:dts=${milliseconds('N')}`];
  // VP8 and VP9 frames are stored in presentation order.
  const inOrder = ['-bsf:v', `setts=ts=${frames('N')}`];
  const mp4 = ['-movflags', '+faststart', ...exactDuration(spec)];
  return [
    ...inputs,
    ...output('mp4', 'movie.mp4', [...reordered, ...mp4]),
    ...output('hq', 'movie-hq.mp4', [...reordered, ...mp4]),
    ...output('webm', 'movie.webm', inOrder),
    ...output('mp4', 'movie.flv', delayed),
  ];
}

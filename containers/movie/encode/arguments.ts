// The arguments of ffmpeg. They are a fixed list: of what a movie says, only numbers and the metadata get in, each text as an
// argument of its own.
import { SERVICE_NAME } from '../../../src/config/identity.ts';
import { ENCODINGS, type Encoding, segmentFile, type VideoSpec } from './encoder.ts';

/** What one ffmpeg can do, and how hard it tries. */
export interface Codecs {
  readonly x264Preset: 'veryfast' | 'superfast';
  readonly webm: 'vp9' | 'vp8';
  /** Threads of each encoding. */
  readonly threads: number;
}

/** Distance of keyframes at most: where a player may jump to. */
const KEYFRAME_SECONDS = 2;

/** Bits per pixel up to which VP8 may go to reach its quality; it knows no unlimited rate. */
const VP8_BITS_PER_PIXEL = 0.4;

const perThousand = (frameRate: number): number => Math.round(frameRate * 1000);
const rational = (frameRate: number): string => `${perThousand(frameRate)}/1000`;

/** How colours are written, and what is said about it. VP8 has no words for it: to its decoders it is always BT.601. */
const BT709 = { scale: 'bt709', tags: ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'] };
const BT601 = { scale: 'bt601', tags: ['-colorspace', 'smpte170m', '-color_primaries', 'bt709', '-color_trc', 'bt709'] };
type Matrix = typeof BT709;

const matrixOf = (encoding: Encoding, { webm }: Codecs): Matrix => (encoding === 'webm' && webm === 'vp8' ? BT601 : BT709);

/**
 * The limited range is what players assume of a video. The border is drawn after the conversion, half as many bytes; it is
 * even on all sides, since chroma covers two pixels.
 */
function convert({ frame, output }: VideoSpec, { scale }: Matrix): string {
  const limited = `scale=in_range=full:out_range=tv:out_color_matrix=${scale}:flags=bicubic+accurate_rnd,format=yuv420p`;
  const isSame = frame.width === output.width && frame.height === output.height;
  return isSame ? limited : `${limited},pad=${output.width}:${output.height}:trunc((ow-iw)/4)*2:trunc((oh-ih)/4)*2:black`;
}

/** From the frames to a picture for each encoding. */
function pictures(spec: VideoSpec, { webm }: Codecs): string {
  const converted = convert(spec, BT709);
  if (webm === 'vp9') return `[0:v]${converted},split=3[mp4][hq][webm]`;
  return `[0:v]split=2[a][b];[a]${converted},split=2[mp4][hq];[b]${convert(spec, BT601)}[webm]`;
}

/**
 * WebM of ffmpeg is VP9: 300 frames of 1280 x 720 take 0.9 s of a processor and 140 MiB beside their conversion. AV1 (SVT,
 * preset 12, crf 35) makes it a quarter smaller, but takes 1.6 s and 180 MiB, and older Safari and phones do not play it.
 */
function codec(encoding: Encoding, { frameRate, output }: VideoSpec, { x264Preset, webm }: Codecs): string[] {
  if (encoding !== 'webm') {
    const crf = encoding === 'hq' ? '15' : '20';
    return ['-c:v', 'libx264', '-preset', x264Preset, '-crf', crf, '-pix_fmt', 'yuv420p'];
  }
  const realtime = ['-deadline', 'realtime', '-cpu-used', '8', '-pix_fmt', 'yuv420p'];
  if (webm === 'vp9') return ['-c:v', 'libvpx-vp9', ...realtime, '-row-mt', '1', '-crf', '30', '-b:v', '0'];
  const bitsPerSecond = Math.ceil(output.width * output.height * frameRate * VP8_BITS_PER_PIXEL);
  return ['-c:v', 'libvpx', ...realtime, '-crf', '10', '-qmin', '2', '-qmax', '24', '-b:v', String(bitsPerSecond)];
}

/** Says the duration of an MP4 file in thousandths of a frame; in milliseconds it would be rounded. */
const exactDuration = ({ frameRate }: VideoSpec): string[] => ['-movie_timescale', String(perThousand(frameRate))];

/** Raw frames of `input` into the three files of a segment. */
export function segmentArguments(spec: VideoSpec, input: string, folder: string, segment: string, codecs: Codecs): string[] {
  const { width, height } = spec.frame;
  const keyframeDistance = String(Math.max(1, Math.floor(KEYFRAME_SECONDS * spec.frameRate)));
  return [
    ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-video_size', `${width}x${height}`],
    ...['-framerate', rational(spec.frameRate), '-i', input],
    ...['-filter_complex_threads', '1', '-filter_complex', pictures(spec, codecs)],
    ...ENCODINGS.flatMap((encoding) => [
      ...['-map', `[${encoding}]`, '-fps_mode', 'passthrough', ...codec(encoding, spec, codecs)],
      ...['-color_range', 'tv', ...matrixOf(encoding, codecs).tags],
      ...(encoding === 'webm' ? [] : exactDuration(spec)),
      ...['-g', keyframeDistance, '-threads', String(codecs.threads), `${folder}/${segmentFile(segment, encoding)}`],
    ]),
  ];
}

/** NUL cannot be in an argument, and half a surrogate pair not in UTF-8. */
const argument = (text: string): string => text.replaceAll('\0', '').toWellFormed();

function metadata({ metadata: { title, description, comment, createdAtMs } }: VideoSpec): string[] {
  const texts = { title, artist: SERVICE_NAME, description, comment, creation_time: new Date(createdAtMs).toISOString() };
  return ['-map_metadata', '-1', ...Object.entries(texts).flatMap(([key, text]) => ['-metadata', `${key}=${argument(text)}`])];
}

/** Name of the list of an encoding's segments, as ffmpeg's concat demuxer reads them. */
export const listFile = (encoding: Encoding): string => `${encoding}.list`;

/** The list itself: file names beside it, in order. */
export const listText = (encoding: Encoding, segments: readonly string[]): string =>
  segments.map((segment) => `file '${segmentFile(segment, encoding)}'\n`).join('');

/**
 * Frames by which x264 decodes ahead of what it shows: b-pyramid takes two. A segment of one frame has none by itself, and
 * would not go with the others.
 */
const REORDERED_FRAMES = 2;

/**
 * The lists of `folder` into the four files of a movie in `out`, all by copying. Where a segment ends is known to a
 * microsecond or, in WebM, a millisecond; every time is set on the grid of the frame rate, so that this does not add up.
 */
export function joinArguments(spec: VideoSpec, folder: string, out: string): string[] {
  const inputs = ENCODINGS.flatMap((encoding) => ['-f', 'concat', '-safe', '0', '-i', `${folder}/${listFile(encoding)}`]);
  const output = (input: Encoding, name: string, options: readonly string[]) => [
    ...['-map', `${ENCODINGS.indexOf(input)}:v`, '-c', 'copy', ...metadata(spec), ...options, `${out}/${name}`],
  ];
  const scale = perThousand(spec.frameRate);
  const frames = (count: string) => `(${count})*1000/${scale}/TB`;
  const shownAt = frames(`round(PTS*TB*${scale}/1000)`);
  const inShownOrder = ['-bsf:v', `setts=pts=${shownAt}:dts=${frames(`N-${REORDERED_FRAMES}`)}`];
  // FLV knows no times before 0, so that all is shown later. Its times are in milliseconds, whatever TB says.
  const milliseconds = (count: string) => `round((${count})*1000000/${scale})`;
  const shownLater = milliseconds(`round(PTS*${scale}/1000000)+${REORDERED_FRAMES}`);
  const later = ['-bsf:v', `setts=pts=${shownLater}:dts=${milliseconds('N')}`];
  // WebM has its frames in the order in which they are shown.
  const counted = ['-bsf:v', `setts=ts=${frames('N')}`];
  const mp4 = ['-movflags', '+faststart', ...exactDuration(spec)];
  return [
    ...inputs,
    ...output('mp4', 'movie.mp4', [...inShownOrder, ...mp4]),
    ...output('hq', 'movie-hq.mp4', [...inShownOrder, ...mp4]),
    ...output('webm', 'movie.webm', counted),
    ...output('mp4', 'movie.flv', later),
  ];
}

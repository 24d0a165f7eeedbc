// Properties and frames of video files, read with ffprobe and ffmpeg.
import { execFileSync } from 'node:child_process';

export interface ProbedVideo {
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  /** Frames per second as a fraction, as in `30/1`. */
  readonly frameRate: string;
  readonly averageFrameRate: string;
  /** Number of decoded frames. */
  readonly frames: number;
  readonly durationSeconds: number;
  readonly startSeconds: number;
  readonly pixelFormat: string;
  /** Range, matrix, primaries, transfer. */
  readonly colour: readonly (string | undefined)[];
  /** In stored order. */
  readonly packets: readonly { readonly pts: number; readonly dts: number; readonly isKey: boolean }[];
  /** Time base of the packets. */
  readonly ticksPerSecond: number;
  /** Metadata, names in lower case. */
  readonly tags: Readonly<Record<string, string>>;
}

const MAX_OUTPUT_BYTES = 256 << 20;

/**
 * Properties of a file with one video stream, all frames of which are decoded.
 * @throws Error for any other file, or one that ffprobe rejects
 */
export function probeVideo(path: string): ProbedVideo {
  const shown = ['-show_streams', '-show_packets', '-show_format', '-count_frames', '-of', 'json'];
  const { streams, packets, format } = JSON.parse(
    execFileSync('ffprobe', ['-v', 'error', ...shown, path], { encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES }),
  );
  if (streams.length !== 1) throw new Error(`Expected one stream, got ${streams.length}.`);
  const [stream] = streams;
  const tags = Object.entries<string>({ ...stream.tags, ...format.tags });
  return {
    codec: stream.codec_name,
    width: stream.width,
    height: stream.height,
    frameRate: stream.r_frame_rate,
    averageFrameRate: stream.avg_frame_rate,
    frames: Number(stream.nb_read_frames),
    durationSeconds: Number(format.duration),
    startSeconds: Number(format.start_time),
    pixelFormat: stream.pix_fmt,
    colour: [stream.color_range, stream.color_space, stream.color_primaries, stream.color_transfer],
    packets: packets.map((packet: Record<string, string | number>) => ({
      pts: Number(packet.pts),
      dts: Number(packet.dts),
      isKey: String(packet.flags).startsWith('K'),
    })),
    ticksPerSecond: Number(String(stream.time_base).split('/')[1]),
    tags: Object.fromEntries(tags.map(([name, text]) => [name.toLowerCase(), text])),
  };
}

/** All frames of a video as consecutive RGB, converted by the matrix and range of its tags. */
export function decodeVideo(path: string): Buffer {
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  return execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-fps_mode', 'passthrough', ...raw], {
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

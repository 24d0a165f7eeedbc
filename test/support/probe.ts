// What ffprobe says of a video, and what ffmpeg decodes of it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface ProbedVideo {
  readonly codec: string;
  readonly pixelFormat: string;
  readonly width: number;
  readonly height: number;
  /** Counted by decoding. */
  readonly frames: number;
  /** `10/1` */
  readonly rate: string;
  readonly seconds: number;
  readonly title: string | undefined;
}

interface ProbeOutput {
  readonly streams: readonly {
    readonly codec_name: string;
    readonly pix_fmt: string;
    readonly width: number;
    readonly height: number;
    readonly nb_read_frames: string;
    readonly r_frame_rate: string;
  }[];
  readonly format: { readonly duration: string; readonly tags?: Readonly<Record<string, string>> };
}

export async function probe(file: string): Promise<ProbedVideo> {
  const { stdout } = await run('ffprobe', ['-v', 'error', '-count_frames', '-show_streams', '-show_format', '-of', 'json', file]);
  const { streams, format } = JSON.parse(stdout) as ProbeOutput;
  const [stream] = streams;
  if (!stream || streams.length !== 1) throw new Error(`Expected one stream, got ${streams.length}.`);
  return {
    codec: stream.codec_name,
    pixelFormat: stream.pix_fmt,
    width: stream.width,
    height: stream.height,
    frames: Number(stream.nb_read_frames),
    rate: stream.r_frame_rate,
    seconds: Number(format.duration),
    title: format.tags?.title ?? format.tags?.TITLE,
  };
}

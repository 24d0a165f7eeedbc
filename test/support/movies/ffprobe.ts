// Properties and frames of video files, read with ffprobe and ffmpeg.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inFolder } from '../system/in-folder.ts';

const run = promisify(execFile);

const MAX_OUTPUT_BYTES = 256 << 20;

type Fields = Readonly<Record<string, string>>;
type Tagged = Fields & { readonly tags?: Fields };

interface Probed {
  readonly streams: readonly Tagged[];
  readonly packets: readonly Fields[];
  readonly format: Tagged;
}

export type ProbedVideo = Awaited<ReturnType<typeof probeVideo>>;

/**
 * Properties of a file with one video stream, all frames of which are decoded.
 * @throws Error for any other file, or one that ffprobe rejects
 */
export async function probeVideo(path: string) {
  const shown = ['-show_streams', '-show_packets', '-show_format', '-count_frames', '-of', 'json'];
  const { stdout } = await run('ffprobe', ['-v', 'error', ...shown, path], { maxBuffer: MAX_OUTPUT_BYTES });
  const { streams, packets, format } = JSON.parse(stdout) as Probed;
  if (streams.length !== 1) throw new Error(`Expected one stream, got ${streams.length}.`);
  const { tags: own, ...stream } = streams[0]!;
  const tags = Object.entries({ ...own, ...format.tags });
  return {
    codec: stream.codec_name,
    width: Number(stream.width),
    height: Number(stream.height),
    /** Frames per second as a fraction, as in `30/1`. */
    frameRate: stream.r_frame_rate,
    averageFrameRate: stream.avg_frame_rate,
    /** Number of decoded frames. */
    frames: Number(stream.nb_read_frames),
    durationSeconds: Number(format.duration),
    startSeconds: Number(format.start_time),
    pixelFormat: stream.pix_fmt,
    /** Range, matrix, primaries, transfer. */
    colour: [stream.color_range, stream.color_space, stream.color_primaries, stream.color_transfer],
    /** In stored order. */
    packets: packets.map((packet) => ({
      pts: Number(packet.pts),
      dts: Number(packet.dts),
      isKey: String(packet.flags).startsWith('K'),
    })),
    ticksPerSecond: Number(String(stream.time_base).split('/')[1]),
    /** Names in lower case. */
    tags: Object.fromEntries(tags.map(([name, text]) => [name.toLowerCase(), text])),
  };
}

/** All frames of each video as consecutive RGB, converted by the matrix and range of its tags. */
export async function decodeVideos(paths: readonly string[]): Promise<Buffer[]> {
  return inFolder(async (folder) => {
    const files = paths.map((_, i) => join(folder, String(i)));
    const raw = ['-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'rgb24'];
    await ffmpeg(...inputs(paths), ...files.flatMap((file, i) => ['-map', String(i), ...raw, file]));
    return await Promise.all(files.map((file) => readFile(file)));
  });
}

/** One thread each, because starting threads takes longer than decoding these videos. */
const inputs = (paths: readonly string[]) => paths.flatMap((path) => ['-threads', '1', '-i', path]);

async function ffmpeg(...commandArguments: readonly string[]): Promise<void> {
  const { stderr } = await run('ffmpeg', ['-v', 'error', '-nostdin', ...commandArguments]);
  process.stderr.write(stderr);
}

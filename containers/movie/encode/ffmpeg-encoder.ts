// The encoder of a machine that has ffmpeg.
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Codecs, joinArguments, listFile, listText, segmentArguments } from './arguments.ts';
import { ENCODINGS, type Encoder } from './encoder.ts';
import { startFfmpeg } from './ffmpeg-process.ts';
import { checkSegmentName, segmentWriter } from './segment-writer.ts';

/** Milliseconds in which a working ffmpeg has always done something: a frame of 3840 x 2160 takes it below a second. */
const STALL_MS = 60_000;

/** Threads of each encoding: frames are drawn on the same cores, and more than four gain nothing at these sizes. */
const THREADS = Math.max(1, Math.min(4, availableParallelism()));

export interface FfmpegEncoderOptions {
  readonly path: string;
  readonly version: string;
  readonly stallMs?: number;
}

/** An encoder of processes of the ffmpeg at `path`. */
export function ffmpegEncoder({ path, version, stallMs = STALL_MS }: FfmpegEncoderOptions): Encoder {
  const codecs: Codecs = { x264Preset: 'veryfast', webm: 'vp9', threads: THREADS };
  return {
    name: 'ffmpeg',
    description: `ffmpeg ${version}: H.264, VP9`,
    async openSegment(spec, folder, segment) {
      checkSegmentName(segment);
      const run = startFfmpeg(path, segmentArguments(spec, 'pipe:0', folder, segment, codecs), stallMs);
      return segmentWriter(spec, folder, segment, run);
    },
    async join(spec, folder, segments, out) {
      segments.forEach(checkSegmentName);
      for (const encoding of ENCODINGS) await writeFile(join(folder, listFile(encoding)), listText(encoding, segments));
      await startFfmpeg(path, joinArguments(spec, folder, out), stallMs).finish();
    },
  };
}

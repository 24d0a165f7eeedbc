// Encoder that runs the native ffmpeg, one process for each segment; the embedded one where there is no usable ffmpeg.
import { execFile, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { Watchdog } from '../watchdog.ts';
import { embeddedEncoder } from './embedded-encoder.ts';
import type { Codecs, Encoder, EncoderFailure, FrameSink } from './encoder.ts';
import { EncoderError, joinArguments, segmentArguments, segmentWriter, writeLists } from './encoder.ts';

/** Threads for each encoding. More than four gain nothing at these sizes, and drawing uses the same cores. */
const THREADS = Math.max(1, Math.min(4, availableParallelism()));

/** Characters of ffmpeg's last output that are kept for the log. */
const LOG_CHARACTERS = 4000;

const PROGRESS = ['-hide_banner', '-loglevel', 'error', '-nostats', '-y', '-progress', 'pipe:1', '-stats_period', '0.5'];

/** A frame of 3840 x 2160 takes less than a second. */
const STALL_MS = MINUTE_MS;

/** Starts ffmpeg, which reads frames from standard input and is killed after `stallMs` in which it neither reads nor encodes. */
function startFfmpeg(path: string, commandArguments: readonly string[], stallMs: number): FrameSink {
  const child = spawn(path, [...PROGRESS, ...commandArguments], { stdio: ['pipe', 'pipe', 'pipe'] });
  let log = '';
  let progress = '';
  let killedFor: EncoderFailure | null = null;

  const kill = (failure: EncoderFailure) => {
    killedFor ??= failure;
    child.kill('SIGKILL');
    // A grandchild may hold the pipes open, which would delay the close event.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  };
  const watchdog = new Watchdog(stallMs, () => kill('stalled'));

  child.stdin.on('error', () => {}); // A broken pipe: the exit status gives the reason.
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-LOG_CHARACTERS);
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const now = /frame=\s*\d+/.exec(text)?.[0];
    if (now !== undefined && now !== progress) watchdog.kick();
    progress = now ?? progress;
  });

  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => reject(new EncoderError('died', { log, cause })));
    child.once('close', (code) => {
      watchdog.stop();
      if (killedFor === null && code === 0) resolve();
      else reject(new EncoderError(killedFor ?? 'died', { log, stallMs }));
    });
  });
  ended.catch(() => {}); // The next call of a method rejects with this error.

  return {
    async write(bytes) {
      const written = new Promise<boolean>((resolve) => child.stdin.write(bytes, (error) => resolve(!error)));
      const isWritten = await watchdog.during(Promise.race([written, ended.then(() => false)]));
      if (isWritten) return;
      await watchdog.during(ended);
      // Even a successful exit is a failure here, because frames are missing.
      throw new EncoderError('died', { log });
    },
    async finish() {
      child.stdin.end();
      await watchdog.during(ended);
    },
    async kill() {
      kill('aborted');
      await ended.catch(() => {});
    },
  };
}

/** @param stallMs Time without progress after which ffmpeg is killed */
export function ffmpegEncoder(path: string, version: string, stallMs = STALL_MS): Encoder {
  const codecs: Codecs = { x264Preset: 'veryfast', webm: 'vp9', threads: THREADS };
  return {
    name: 'ffmpeg',
    description: `ffmpeg ${version}: H.264, VP9`,
    async openSegment(spec, folder, segment) {
      const run = startFfmpeg(path, segmentArguments(spec, 'pipe:0', folder, segment, codecs), stallMs);
      return segmentWriter(spec, folder, segment, run);
    },
    async join(spec, folder, segments, out) {
      await writeLists(folder, segments);
      await startFfmpeg(path, joinArguments(spec, folder, out), stallMs).finish();
    },
  };
}

const execute = promisify(execFile);

const PROBE_TIMEOUT_MS = 10_000;

const REQUIRED_ENCODERS = ['libx264', 'libvpx-vp9'];

/** Version of an ffmpeg that has the required encoders; null for any other program. */
async function usableVersion(path: string): Promise<string | null> {
  try {
    // The banner on standard error names the version, so that one start is enough.
    const { stdout, stderr } = await execute(path, ['-encoders'], {
      timeout: PROBE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 1 << 20,
    });
    if (!REQUIRED_ENCODERS.every((name) => new RegExp(`^ V\\S+ ${name} `, 'm').test(stdout))) return null;
    return /^ffmpeg version (\d[\w.]*|\S+)/.exec(stderr)?.[1] ?? null;
  } catch {
    return null;
  }
}

/** The given ffmpeg if it has the required encoders, otherwise the embedded encoder. */
export async function findEncoder(path: string): Promise<Encoder> {
  const version = await usableVersion(path);
  return version === null ? embeddedEncoder() : ffmpegEncoder(path, version);
}

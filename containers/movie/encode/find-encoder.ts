// Selects the encoder that this machine can run.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { embeddedEncoder } from './embedded-encoder.ts';
import type { Encoder } from './encoder.ts';
import { ffmpegEncoder } from './ffmpeg-encoder.ts';

const run = promisify(execFile);

/** Time limit for ffmpeg to list its encoders. */
const PROBE_TIMEOUT_MS = 10_000;

const REQUIRED_ENCODERS = ['libx264', 'libvpx-vp9'];

/** Version of an ffmpeg that has the required encoders; null for any other program. */
async function usableVersion(path: string): Promise<string | null> {
  try {
    // The banner on standard error names the version, so that one start is enough.
    const { stdout, stderr } = await run(path, ['-encoders'], {
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

export interface EncoderChoice {
  /** Path of an ffmpeg; another program, or none, selects the embedded encoder. */
  readonly ffmpegPath: string;
  /** Time without progress after which that ffmpeg is killed. */
  readonly stallMs: number;
}

/** The given ffmpeg if it has the required encoders, otherwise the embedded encoder. */
export async function findEncoder({ ffmpegPath: path, stallMs }: EncoderChoice): Promise<Encoder> {
  const version = await usableVersion(path);
  return version === null ? embeddedEncoder() : ffmpegEncoder({ path, version, stallMs });
}

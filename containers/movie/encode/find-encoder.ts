// Which ffmpeg this machine has.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { embeddedEncoder } from './embedded-encoder.ts';
import type { Encoder } from './encoder.ts';
import { ffmpegEncoder } from './ffmpeg-encoder.ts';

const run = promisify(execFile);

/** Milliseconds in which a working ffmpeg says what it can do. */
const ANSWER_MS = 10_000;

const NEEDED = ['libx264', 'libvpx-vp9'];

async function ask(path: string, question: string): Promise<string> {
  const { stdout } = await run(path, ['-hide_banner', question], {
    timeout: ANSWER_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 20,
  });
  return stdout;
}

/** The version of an ffmpeg that has the codecs; null for anything else. */
async function usableVersion(path: string): Promise<string | null> {
  try {
    const encoders = await ask(path, '-encoders');
    if (!NEEDED.every((name) => new RegExp(`^ V\\S+ ${name} `, 'm').test(encoders))) return null;
    return /^ffmpeg version (\d[\w.]*|\S+)/.exec(await ask(path, '-version'))?.[1] ?? null;
  } catch {
    return null;
  }
}

/**
 * The ffmpeg that `FFMPEG_PATH` names or, where nothing does, the one on the `PATH`, if it has the codecs that movies need;
 * else the embedded one, whose description says so.
 */
export async function findEncoder(env: Readonly<Record<string, string | undefined>>): Promise<Encoder> {
  const path = env.FFMPEG_PATH || 'ffmpeg';
  const version = await usableVersion(path);
  return version === null ? embeddedEncoder() : ffmpegEncoder({ path, version });
}

// One run of ffmpeg as a process: fed, watched, and always buried.
import { spawn } from 'node:child_process';
import { EncoderError, type EncoderTrouble } from './encoder-error.ts';
import { troubleOf } from './trouble.ts';
import { Watchdog } from './watchdog.ts';

/** Characters of what ffmpeg wrote last that are kept for the log. */
const LOG_CHARACTERS = 4000;

export interface FfmpegProcess {
  /** Resolves when all bytes are in the pipe; rejects as `ended` does. */
  write(bytes: Uint8Array): Promise<void>;
  /** Closes the input and waits for the end. Rejects with an EncoderError unless ffmpeg says that all is well. */
  finish(): Promise<void>;
  /** Kills ffmpeg; resolves when it is gone. */
  kill(): Promise<void>;
}

/** `stallMs`: how long ffmpeg may neither read nor encode while it has something to do. */
export function startFfmpeg(path: string, commandArguments: readonly string[], stallMs: number): FfmpegProcess {
  const always = ['-hide_banner', '-loglevel', 'error', '-nostats', '-y', '-progress', 'pipe:1', '-stats_period', '0.5'];
  const child = spawn(path, [...always, ...commandArguments], { stdio: ['pipe', 'pipe', 'pipe'] });
  let log = '';
  let progress = '';
  let killedFor: EncoderTrouble | null = null;

  const kill = (trouble: EncoderTrouble) => {
    killedFor ??= trouble;
    child.kill('SIGKILL');
    // A child of the child may hold the pipes, and the end would not be seen.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  };
  const watchdog = new Watchdog(stallMs, () => kill('stalled'));

  child.stdin.on('error', () => {}); // A broken pipe: why is said by how the process ends.
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-LOG_CHARACTERS);
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const now = /frame=\s*\d+/.exec(text)?.[0];
    if (now !== undefined && now !== progress) watchdog.moved();
    progress = now ?? progress;
  });

  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => reject(troubleOf('died', log, { stallMs, cause })));
    child.once('close', (code) => {
      watchdog.stop();
      if (killedFor === null && code === 0) resolve();
      else reject(troubleOf(killedFor ?? 'died', log, { stallMs }));
    });
  });
  ended.catch(() => {}); // Who calls next is told.

  return {
    async write(bytes) {
      const written = new Promise<boolean>((resolve) => child.stdin.write(bytes, (error) => resolve(!error)));
      const isWritten = await watchdog.during(Promise.race([written, ended.then(() => false)]));
      if (isWritten) return;
      // The input is broken: nothing but the end can follow.
      await watchdog.during(ended);
      throw new EncoderError('died', 'The video encoder ended before the movie did.', { log });
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

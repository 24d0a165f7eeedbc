// Which ffmpeg this machine has.
import type { Encoder } from './encoder.ts';

/**
 * The ffmpeg that `FFMPEG_PATH` names, or the one on the `PATH`, if it has the codecs that movies need; else the embedded one.
 */
export async function findEncoder(_env: Readonly<Record<string, string | undefined>>): Promise<Encoder> {
  throw new Error('Expected an encoder.');
}

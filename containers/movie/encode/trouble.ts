// How the troubles of an encoder are said.
import { EncoderError, type EncoderTrouble } from './encoder-error.ts';

/** What ffmpeg and Node write when a disk is full. */
const NO_ROOM = /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT/;

/** An encoder that ended badly, for the reason that is in its log where there is one. */
export function troubleOf(
  trouble: EncoderTrouble,
  log: string,
  { stallMs, cause }: { readonly stallMs: number; readonly cause?: unknown },
): EncoderError {
  const actual = trouble === 'died' && NO_ROOM.test(`${log} ${cause}`) ? 'disk-full' : trouble;
  const sentences: Record<EncoderTrouble, string> = {
    died: 'The video encoder ended before the movie did.',
    'disk-full': 'The video encoder found no room on its disk.',
    stalled: `The video encoder stood still for ${Math.round(stallMs / 1000)} seconds.`,
    aborted: 'The video encoder was stopped.',
  };
  return new EncoderError(actual, sentences[actual], { log, cause });
}

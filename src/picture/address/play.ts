// The range of play, which a link may have as well.
import { formatIso } from '../../domain/time.ts';

interface PlayedRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** As an address states it in `play`: `2024-05-10T12:00:00Z/2024-05-10T13:00:00Z`. */
export const printPlay = ({ startMs, endMs }: PlayedRange): string => `${formatIso(startMs)}/${formatIso(endMs)}`;

/** Null for a text that is no range, or whose end is not after its start. */
export function readPlay(text: string | null): PlayedRange | null {
  const [startMs = Number.NaN, endMs = Number.NaN] = (text ?? '').split('/').map((part) => Date.parse(part));
  return startMs < endMs ? { startMs, endMs } : null;
}

import { formatDateTime } from '../../domain/time.ts';

/** What is subtracted from a layer: the image so much earlier, or the one at an instant. */
export type DifferenceNote =
  | { readonly kind: 'running'; readonly count: number; readonly unit: string }
  | { readonly kind: 'base'; readonly timeMs: number };

/** What a difference image has after its time: `[RD 2 hour(s)]` or `[BD 2012-01-01 00:00:00]`. `unit` is in the singular. */
export function differenceSuffix(note: DifferenceNote): string {
  return note.kind === 'running' ? `[RD ${note.count} ${note.unit}(s)]` : `[BD ${formatDateTime(note.timeMs)}]`;
}

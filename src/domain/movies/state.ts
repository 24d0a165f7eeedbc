// The states of a movie and of each of its formats, and what may follow what.

export const MOVIE_STATUS = { queued: 0, processing: 1, finished: 2, invalid: 3 } as const;
export type MovieStatus = (typeof MOVIE_STATUS)[keyof typeof MOVIE_STATUS];

const { queued, processing, finished, invalid } = MOVIE_STATUS;

interface Transition {
  readonly from: readonly MovieStatus[];
  readonly to: MovieStatus;
}

/**
 * Everything that can happen to a movie. Nothing else changes its status, and nothing happens in any other status.
 * `claim`: a worker takes it. `release`: the worker hands it back. `retry`: the worker failed or fell silent, and another
 * attempt is left. `finish`: everything is stored. `end`: it cannot be built, or the attempts are used up. `requeue`: somebody
 * wants it again.
 */
export const MOVIE_TRANSITIONS = {
  claim: { from: [queued], to: processing },
  release: { from: [processing], to: queued },
  retry: { from: [processing], to: queued },
  finish: { from: [processing], to: finished },
  end: { from: [processing], to: invalid },
  requeue: { from: [finished, invalid], to: queued },
} as const satisfies Readonly<Record<string, Transition>>;

export type MovieEvent = keyof typeof MOVIE_TRANSITIONS;

/** The status after the event; null where it cannot happen. */
export function statusAfter(event: MovieEvent, status: MovieStatus): MovieStatus | null {
  const { from, to }: Transition = MOVIE_TRANSITIONS[event];
  return from.includes(status) ? to : null;
}

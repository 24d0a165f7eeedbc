// The states of a movie and of each of its formats, and the transitions between them.

export const MOVIE_STATUS = { queued: 0, processing: 1, finished: 2, invalid: 3 } as const;
export type MovieStatus = (typeof MOVIE_STATUS)[keyof typeof MOVIE_STATUS];

const { queued, processing, finished, invalid } = MOVIE_STATUS;

interface Transition {
  readonly from: readonly MovieStatus[];
  readonly to: MovieStatus;
}

/**
 * All transitions of the status of a movie. `claim`: a worker takes it. `release`: the worker hands it back. `retry`: the
 * worker failed or fell silent, and attempts remain. `finish`: all files are stored. `end`: it cannot be built, or no attempts
 * remain. `requeue`: it is requested again.
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

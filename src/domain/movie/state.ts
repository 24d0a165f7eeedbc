// The states of a movie and of each of its formats, and what may follow what.

export const MOVIE_STATUS = { queued: 0, processing: 1, finished: 2, invalid: 3 } as const;
export type MovieStatus = (typeof MOVIE_STATUS)[keyof typeof MOVIE_STATUS];

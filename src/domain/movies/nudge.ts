// The message that says that there may be work: the rows in D1 say what it is.

export const MOVIE_NUDGE = { kind: 'movies' } as const;

export function isMovieNudge(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === MOVIE_NUDGE.kind;
}

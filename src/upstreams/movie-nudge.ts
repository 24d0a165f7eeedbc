import { MOVIE_NUDGE } from '../domain/movie/nudge.ts';
import type { MovieNudge } from '../ports/movies.ts';

/** Nudges through the queue, whose consumer wakes movie workers. */
export class QueueMovieNudge implements MovieNudge {
  readonly #queue: Pick<Queue, 'send'>;

  constructor(queue: Pick<Queue, 'send'>) {
    this.#queue = queue;
  }

  async nudge(): Promise<void> {
    await this.#queue.send(MOVIE_NUDGE);
  }
}

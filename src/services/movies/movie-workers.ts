import type { MovieRegister, MovieWorkers } from '../../ports/movies.ts';

interface WakePorts {
  readonly register: Pick<MovieRegister, 'queueLength'>;
  readonly workers: MovieWorkers;
}

/**
 * Wakes as many workers as there are queued and running movies, because it is unknown which of them are busy. For the queue, and for
 * the scheduled job, so that no movie depends on a message.
 */
export async function wakeMovieWorkers({ register, workers }: WakePorts): Promise<void> {
  const { queued, processing } = await register.queueLength();
  if (queued > 0) await workers.wake(queued + processing);
}

// Wakes movie workers, and expires the leases of those that stopped responding.
import type { MovieClaims, MovieNudge, MovieRegister, MovieWorkers } from '../../ports/movies.ts';
import type { Clock } from '../../ports/timing.ts';

interface WakePorts {
  readonly register: Pick<MovieRegister, 'queueLength'>;
  readonly workers: MovieWorkers;
}

/** Wakes as many workers as there are queued and running movies, because it is unknown which of them are busy. */
export async function wakeMovieWorkers({ register, workers }: WakePorts): Promise<void> {
  const { queued, processing } = await register.queueLength();
  if (queued > 0) await workers.wake(queued + processing);
}

interface SweepPorts {
  readonly claims: Pick<MovieClaims, 'expire'>;
  readonly register: Pick<MovieRegister, 'queueLength'>;
  readonly nudge: MovieNudge;
  readonly clock: Clock;
}

/** Expires leases, and nudges while movies are queued; returns the number of expired leases. */
export async function sweepMovies({ claims, register, nudge, clock }: SweepPorts): Promise<number> {
  const expired = await claims.expire(clock());
  const { queued } = await register.queueLength();
  if (queued > 0) await nudge.nudge();
  return expired;
}

// What keeps movies moving: workers are woken when something waits, and what a worker left is queued again.

import type { MovieClaims, MovieNudge, MovieRegister, MovieWorkers } from '../../ports/movies.ts';
import type { Clock } from '../../ports/timing.ts';

interface WakePorts {
  readonly register: Pick<MovieRegister, 'queueLength'>;
  readonly workers: MovieWorkers;
}

/** Wakes so many workers that, whichever of them are busy, one is free for every movie that waits. */
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

/** Ends the leases of workers that fell silent, and nudges while anything waits; gives how many leases it ended. */
export async function sweepMovies({ claims, register, nudge, clock }: SweepPorts): Promise<number> {
  const expired = await claims.expire(clock());
  const { queued } = await register.queueLength();
  if (queued > 0) await nudge.nudge();
  return expired;
}

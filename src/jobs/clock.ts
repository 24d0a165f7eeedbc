// What the clock does each minute. The parts stand apart: one that fails keeps no other from its turn.
import { attempt, type Log } from './attempt.ts';

export interface ClockJobs {
  readonly sweepMovies: () => Promise<number>;
  readonly runVideoUploads: () => Promise<unknown>;
  readonly sweepUploads: () => Promise<number>;
  readonly sweepSharing: () => Promise<unknown>;
  readonly log: Log;
}

export async function onMinute({ log, ...jobs }: ClockJobs): Promise<void> {
  const { sweepMovies, sweepUploads, sweepSharing, runVideoUploads } = jobs;
  // Uploads come last, since they may take minutes.
  for (const [name, job] of Object.entries({ sweepMovies, sweepUploads, sweepSharing, runVideoUploads })) {
    await attempt(name, job, log);
  }
}

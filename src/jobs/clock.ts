// What the clock does each minute. The parts stand apart: one that fails keeps no other from its turn.

export interface ClockJobs {
  readonly sweepMovies: () => Promise<number>;
  readonly runVideoUploads: () => Promise<unknown>;
  readonly sweepUploads: () => Promise<number>;
  readonly sweepSharing: () => Promise<unknown>;
  /** Takes one record per job that failed or had something to do. */
  readonly log: (record: Readonly<Record<string, unknown>>) => void;
}

export async function onMinute({ log, ...jobs }: ClockJobs): Promise<void> {
  const { sweepMovies, sweepUploads, sweepSharing, runVideoUploads } = jobs;
  // Uploads come last, since they may take minutes.
  for (const [name, job] of Object.entries({ sweepMovies, sweepUploads, sweepSharing, runVideoUploads })) {
    try {
      const did = await job();
      if (typeof did === 'number' && did > 0) log({ job: name, did });
    } catch (error) {
      log({ job: name, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
}

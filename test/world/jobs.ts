// The jobs of the clock that a world leaves out, because its history has nothing for them to do.
import type { JobName } from '../../src/operator/status/jobs.ts';
import type { Action } from './clients/actions.ts';

/** Actions that give these jobs work. Those that are not named run in every world, and all run in one of `ALL_JOBS`. */
const OCCASIONS: Readonly<Partial<Record<JobName, readonly Action['do'][]>>> = {
  countEvents: [],
  recordStatus: [],
  foldGrids: [],
  sweepAudit: [],
  sweepClientStates: [],
  sweepUnusedMovies: [],
  reconcile: ['restore', 'reconcile', 'index', 'put'],
  sweepLinks: ['shorten'],
  sweepScreenshots: ['screenshot'],
  sweepMovies: ['movie', 'flood'],
  wakeMovieWorkers: ['movie', 'flood'],
  sendWebhooks: ['webhook'],
  mirror: ['appear'],
  runVideoUploads: ['share'],
  sweepSharing: ['share'],
};
const ALL_JOBS = 16;

export function idleJobs(seed: number, actions: readonly Action[]): ReadonlySet<JobName> {
  const done = new Set(actions.map((action) => action.do));
  const occasions = Object.entries(OCCASIONS) as [JobName, readonly Action['do'][]][];
  const idle = occasions.filter(([, those]) => !those.some((each) => done.has(each)));
  return new Set(seed % ALL_JOBS === 0 ? [] : idle.map(([name]) => name));
}

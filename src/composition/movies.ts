// Movies: the operations, the service of the movie workers, and the jobs of cron and queue.
import { readMovieQueueSettings, readMovieSettings } from '../config/settings/movies.ts';
import { MOVIE_NUDGE } from '../domain/movies/worker-protocol.ts';
import type { ImageIndex } from '../ports/images.ts';
import type { Budgets } from '../services/budgets.ts';
import type { MarkerSource } from '../services/events/event-markers.ts';
import { R2MovieFrames } from '../services/movies/movie-plan.ts';
import { MovieService, sweepUnusedMovies } from '../services/movies/movie-service.ts';
import { WorkerService, wakeMovieWorkers } from '../services/movies/worker-service.ts';
import { D1BuildClaims } from '../storage/movies/d1-build-claims.ts';
import type { D1Movies } from '../storage/movies/d1-movies.ts';
import { movieWorkersFrom } from '../upstreams/wake-workers.ts';
import type { Platform } from './platform.ts';

interface Needs {
  readonly index: ImageIndex;
  readonly markers: MarkerSource;
  readonly register: D1Movies;
  readonly publicOrigin: string | null;
  readonly budgets: Budgets;
}

export function movieServices(platform: Platform, { index, markers, register, publicOrigin, budgets }: Needs) {
  const { variables, databases, objects, clock, log, send } = platform;
  const queueSettings = readMovieQueueSettings(variables);
  const nudge = () => send('JOBS', [MOVIE_NUDGE]);
  const { movieToken, movieLeaseSeconds } = queueSettings;
  const settings = readMovieSettings(variables);
  const claims = new D1BuildClaims(databases, { leaseMs: 1000 * movieLeaseSeconds });
  const frames = new R2MovieFrames(objects);
  const workers = movieWorkersFrom(queueSettings, platform.movieContainers, log);
  const shared = { index, objects, frames, clock };
  return {
    /** Null without MOVIE_TOKEN: no worker could build a queued movie. */
    movies: movieToken === null ? null : new MovieService({ ...shared, register, budgets, nudge, settings, secret: movieToken }),
    movieToken,
    workerService: new WorkerService({ ...shared, claims, incoming: objects, markers, publicOrigin, log }),
    wakeMovieWorkers: () => wakeMovieWorkers({ register, workers }),
    sweepMovies: () => claims.expire(clock()),
    sweepUnusedMovies: () => sweepUnusedMovies({ register, clock }),
  };
}

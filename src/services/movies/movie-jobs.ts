// Jobs of movie workers: the protocol of domain/movies/job.ts without HTTP.
import { MOVIE_JOBS } from '../../config/limits/movies.ts';
import { badParameter, Failure, type FailureKind } from '../../domain/errors.ts';
import { MOVIE_FILES, type MovieFileName } from '../../domain/movies/formats.ts';
import { frameRecipe } from '../../domain/movies/frame-recipe.ts';
import type { Failed, Finish, MovieJob, Progress } from '../../domain/movies/job.ts';
import { movieRecipeString, type PlannedFrame } from '../../domain/movies/movie-recipe.ts';
import { movieMetadata } from '../../domain/movies/names.ts';
import type { ImageIndex } from '../../ports/images.ts';
import type { ClaimedBuild, MovieBuild, MoviePlans } from '../../ports/movies.ts';
import type { Log } from '../../ports/timing.ts';
import { failedSources, type MarkerSource } from '../events/event-markers.ts';
import { checkNotWithdrawn } from '../images/find-image.ts';
import type { FrameMarkers } from '../rendering/frame-renderer.ts';
import { type MovieFilePorts, MovieFiles } from './movie-files.ts';

export interface MovieJobPorts extends MovieFilePorts {
  readonly index: Pick<ImageIndex, 'byIds' | 'withdrawn'>;
  readonly plans: Pick<MoviePlans, 'find'>;
  readonly markers: MarkerSource;
  /** Public origin of the service; null where it is not configured. */
  readonly publicOrigin: string | null;
  /** Called once for each movie that fails. */
  readonly log: Log;
}

/** Failures of a claimed movie whose sentences are shown to its user. */
const TOLD: readonly FailureKind[] = ['withdrawn', 'failed-movie'];

const FILE_NAMES = Object.keys(MOVIE_FILES) as MovieFileName[];

export class MovieJobs {
  readonly files: MovieFiles;
  readonly #ports: MovieJobPorts;

  constructor(ports: MovieJobPorts) {
    this.#ports = ports;
    this.files = new MovieFiles(ports);
  }

  /** The oldest queued movie; null when none is queued. Ends movies whose stored plan is invalid, or has withdrawn images. */
  async claim(worker: string): Promise<MovieJob | null> {
    const { claims, clock, log } = this.#ports;
    for (;;) {
      const claimed = await claims.claim(worker, clock());
      if (!claimed) return null;
      try {
        return await this.#job(claimed);
      } catch (error) {
        // Other errors may be temporary: the lease expires, and another attempt follows.
        if (!(error instanceof Failure)) throw error;
        const { build, lease } = claimed;
        log({ movieBuild: build.id, failed: error.message });
        const reason = TOLD.includes(error.kind) ? error.message : 'The plan of the movie cannot be read.';
        await claims.fail(build.id, lease, { reason, isFinal: true }, clock());
      }
    }
  }

  async #job({ build, lease, leaseMs, segments, movieId }: ClaimedBuild): Promise<MovieJob> {
    const frames = await this.#frames(build);
    const { id, recipe, width, height, attempts, firstFrameMs, lastFrameMs, queuedAtMs } = build;
    const ids = [...new Set(frames.flatMap(({ images }) => images.flat()))];
    const images = await this.#ports.index.byIds(ids);
    if (images.length < ids.length) await checkNotWithdrawn(this.#ports.index, 'This movie', ids);
    return {
      build: id,
      lease,
      leaseMs,
      attempt: attempts,
      recipe: movieRecipeString(recipe),
      frames,
      images,
      output: { width, height },
      metadata: {
        ...movieMetadata({ firstFrameMs, lastFrameMs, layers: recipe.scene.layers }, movieId, this.#ports.publicOrigin ?? ''),
        createdAtMs: queuedAtMs,
      },
      segments,
    };
  }

  /** @throws Failure `failed-movie` when the plan has expired */
  async #frames({ key }: Pick<MovieBuild, 'key'>): Promise<readonly PlannedFrame[]> {
    const frames = await this.#ports.plans.find(key);
    if (frames) return frames;
    throw new Failure('failed-movie', 'The plan of this movie has expired. reQueueMovie plans it anew.');
  }

  /** Returns false when the lease is lost, as do the methods below. */
  progress(buildId: number, progress: Progress): Promise<boolean> {
    return this.#ports.claims.progress(buildId, progress, this.#ports.clock());
  }

  /**
   * Markers of the frames from..to-1; null when the lease is lost.
   * @throws Failure when the range is outside the movie or too long
   */
  async markers(buildId: number, lease: string, from: number, to: number): Promise<FrameMarkers[] | null> {
    const claimed = await this.#ports.claims.claimed(buildId, lease, this.#ports.clock());
    if (!claimed) return null;
    const { build } = claimed;
    const frames = await this.#frames(build);
    const most = Math.min(frames.length, from + MOVIE_JOBS.framesOfMarkers);
    if (from < 0 || from >= frames.length) throw badParameter('from', `a frame from 0 to ${frames.length - 1}`, from);
    if (to <= from || to > most) throw badParameter('to', `a frame from ${from + 1} to ${most}`, to);
    const found: FrameMarkers[] = [];
    const missing = new Set<string>();
    // Sequentially, so that the events of each day are loaded once.
    for (const { atMs } of frames.slice(from, to)) {
      const { sources = [], ...markers } = await this.#ports.markers.markers(frameRecipe(build.recipe, atMs, build.firstFrameMs));
      for (const source of failedSources(sources)) missing.add(source);
      found.push(markers);
    }
    if (missing.size > 0) {
      const sources = [...missing];
      this.#ports.log({ movieBuild: buildId, frames: [from, to], eventsMissing: sources });
      await this.#ports.claims.missEvents(buildId, lease, sources);
    }
    return found;
  }

  /** Idempotent. `missing`: files that are not stored, or with another size than reported. */
  async finish(buildId: number, finish: Finish): Promise<'finished' | 'lost' | { readonly missing: readonly string[] }> {
    const { claims, clock, log } = this.#ports;
    const claimed = await claims.claimed(buildId, finish.lease, clock());
    if (claimed) {
      const missing = FILE_NAMES.filter((name) => sizeIn(finish.files, name) !== sizeIn(claimed.build.files, name));
      const unreported = FILE_NAMES.filter((name) => sizeIn(finish.files, name) === undefined);
      if (missing.length + unreported.length > 0) return { missing: [...new Set([...missing, ...unreported])] };
    }
    if (!(await claims.finish(buildId, finish, clock()))) return 'lost';
    if (claimed) {
      await this.files
        .deleteSegments(claimed)
        .catch((error: unknown) => log({ movieBuild: buildId, segmentsKept: String(error) }));
    }
    return 'finished';
  }

  async fail(buildId: number, { lease, reason, isFinal }: Failed): Promise<boolean> {
    const { claims, clock, log } = this.#ports;
    log({ movieBuild: buildId, failed: reason, isFinal });
    return claims.fail(buildId, lease, { reason, isFinal }, clock());
  }

  release(buildId: number, lease: string): Promise<boolean> {
    return this.#ports.claims.release(buildId, lease);
  }
}

function sizeIn(files: readonly { name: string; size: number }[], fileName: string): number | undefined {
  return files.find(({ name }) => name === fileName)?.size;
}

// Movies as sharing sees them.

import { isMovieId } from '../../domain/movies/movie-id.ts';
import { MOVIE_STATUS } from '../../domain/movies/state.ts';
import { printEventsText } from '../../domain/recipe/events/events-text.ts';
import { layersTitle } from '../../domain/recipe/layer-names.ts';
import type { MovieFacts } from '../../domain/sharing/share.ts';
import type { Movie, MovieBuild, MovieRegister } from '../../ports/movies.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { ShareableMovie, ShareableMovies } from '../../ports/sharing.ts';
import { movieFileKey } from '../../storage/keys.ts';

/** What is uploaded: the host encodes it again, so the better one. */
const UPLOADED_FILE = 'movie-hq.mp4';

function factsOf(movie: Movie, build: MovieBuild): MovieFacts {
  const { layers, events } = movie.request;
  const { scene } = build.recipe;
  const { left, top, right, bottom } = scene.region;
  return {
    layers,
    events: typeof events === 'string' ? events : printEventsText(scene.events),
    layerNames: layersTitle(scene.layers),
    imageScaleArcsecPerPixel: scene.imageScaleArcsecPerPixel,
    width: build.width,
    height: build.height,
    durationSeconds: (build.frameCount - build.framesSkipped) / build.frameRate,
    startMs: build.firstFrameMs,
    endMs: build.lastFrameMs,
    centreX: (left + right) / 2,
    centreY: (top + bottom) / 2,
    createdAtMs: movie.createdAtMs,
  };
}

/** The movies of the register, with their files in the archive. */
export class RegisteredMovies implements ShareableMovies {
  readonly #register: Pick<MovieRegister, 'find'>;
  readonly #objects: Pick<ObjectStore, 'head'>;

  constructor({ register, objects }: { register: Pick<MovieRegister, 'find'>; objects: Pick<ObjectStore, 'head'> }) {
    this.#register = register;
    this.#objects = objects;
  }

  async find(id: string): Promise<ShareableMovie | null> {
    const found = isMovieId(id) ? await this.#register.find(id) : null;
    if (!found) return null;
    const { movie, build } = found;
    const isFinished = build.statusMp4 === MOVIE_STATUS.finished;
    const key = movieFileKey(build.id, UPLOADED_FILE);
    const stored = isFinished ? await this.#objects.head(key) : null;
    const file = stored && { key, size: stored.size, etag: stored.etag };
    return { isFinished, facts: factsOf(movie, build), file };
  }
}

// Movies as far as sharing needs them.
import { isMovieId } from '../../domain/movies/movie-id.ts';
import { MOVIE_STATUS } from '../../domain/movies/state.ts';
import { printEventsText } from '../../domain/recipe/events/events-text.ts';
import { layersTitle } from '../../domain/recipe/layer-names.ts';
import type { MovieFacts } from '../../domain/sharing/share.ts';
import type { Movie, MovieBuild, MovieRegister } from '../../ports/movies.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import { movieFileKey } from '../../storage/keys.ts';

/** The file that is uploaded: the best quality, because the host encodes it again. */
const UPLOADED_FILE = 'movie-hq.mp4';

export interface MovieFile {
  readonly key: string;
  readonly size: number;
  /** Identifies the content stored under the key. */
  readonly etag: string;
}

export interface ShareableMovie {
  readonly isFinished: boolean;
  readonly facts: MovieFacts;
  /** Null when the file is not stored, or no longer. */
  readonly file: MovieFile | null;
}

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

/** Movies of the register with their files in the archive. */
export class ShareableMovies {
  readonly #register: Pick<MovieRegister, 'find'>;
  readonly #objects: Pick<ObjectStore, 'head'>;

  constructor({ register, objects }: { register: Pick<MovieRegister, 'find'>; objects: Pick<ObjectStore, 'head'> }) {
    this.#register = register;
    this.#objects = objects;
  }

  /** Null for unknown ids. */
  async find(id: string): Promise<ShareableMovie | null> {
    const found = isMovieId(id) ? await this.#register.find(id) : null;
    if (!found) return null;
    const { movie, build } = found;
    const isFinished = build.statusMp4 === MOVIE_STATUS.finished;
    const key = movieFileKey(build, UPLOADED_FILE);
    const stored = isFinished ? await this.#objects.head(key) : null;
    const file = stored && { key, size: stored.size, etag: stored.etag };
    return { isFinished, facts: factsOf(movie, build), file };
  }
}

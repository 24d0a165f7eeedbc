// The files of movies: `/cache/movies/<yyyy>/<mm>/<dd>/<movie>/<file name>`, by the day of the request.
import { Failure } from '../../domain/errors.ts';
import { MOVIE_FILES, type MovieFileName, PREVIEWS, type Preview } from '../../domain/movies/formats.ts';
import { type NamedMovie, publicFileName } from '../../domain/movies/names.ts';
import { dayParts } from '../../domain/time.ts';
import { RECENT } from '../../http/cache-policy.ts';
import type { StreamRepresentation } from '../../http/representation.ts';
import type { StoredObject } from '../../ports/objects.ts';
import type { FoundMovie, MovieService } from '../../services/movies/movies.ts';
import { type Context, serviceOrigin } from '../services.ts';

const FILE_NAMES = Object.keys(MOVIE_FILES) as MovieFileName[];

/** @throws Failure where the service makes no movies */
export function moviesOf({ services }: Context): MovieService {
  if (services.movies) return services.movies;
  throw new Failure('unsupported', 'Expected a service that makes movies, got one that does not.');
}

export function namedMovie({ movie, build }: FoundMovie): NamedMovie {
  return { firstFrameMs: build.firstFrameMs, lastFrameMs: build.lastFrameMs, layers: movie.layers };
}

/** The path of a file below the root of the service. */
export function moviePath(found: FoundMovie, file: MovieFileName): string {
  const { id, createdAtMs } = found.movie;
  return `/cache/movies/${dayParts(createdAtMs).join('/')}/${id}/${publicFileName(namedMovie(found), file)}`;
}

export const previewFile = (preview: Preview): MovieFileName => `preview-${preview}.png`;

/** A browser that is led to a file shows it in a page of its own making, which has this policy and asks for the file again. */
const FILE_POLICY = "default-src 'none'; media-src 'self'; frame-ancestors 'none'";

/** Addresses of the previews by their names. */
export function previewAddresses(found: FoundMovie, context: Context): Record<Preview, string> {
  const origin = serviceOrigin(context);
  const entries = PREVIEWS.map((preview) => [preview, origin + moviePath(found, previewFile(preview))]);
  return Object.fromEntries(entries) as Record<Preview, string>;
}

/**
 * A file as an answer. Its address stays when the movie is built again, with other bytes: so it is kept for a minute and then
 * compared by its ETag. Browsers ask for parts of videos, which caches at the edge do not take: they come from the archive.
 */
export function movieFileReply(
  file: MovieFileName,
  { key, stored }: { readonly key: string; readonly stored: StoredObject },
  disposition: string,
  { services, stopwatch }: Context,
): StreamRepresentation {
  return {
    contentType: MOVIE_FILES[file],
    etag: stored.etag,
    length: stored.size,
    policy: RECENT,
    headers: { 'Content-Disposition': disposition, 'Content-Security-Policy': FILE_POLICY },
    lastModifiedMs: stored.uploadedAtMs,
    open: async (range) => {
      const object = await stopwatch.measure('read', () => services.objects.stream(key, range));
      if (object) return object.body;
      throw new Failure('missing-file', 'Expected a file of a movie that is there, got one that has just been removed.');
    },
  };
}

const unknownFile = () => new Failure('unknown-path', 'Expected the address of a file of a movie, got another one.');

/**
 * The file at an address that `moviePath` gives.
 * @throws Failure `unknown-path` for another address, and when the file is not there
 */
export async function movieFile(path: string, context: Context): Promise<StreamRepresentation> {
  const movies = moviesOf(context);
  const id = path.split('/').at(-2) ?? '';
  const found = await context.stopwatch.measure('index', () =>
    movies.find(id).catch((error: unknown) => {
      throw error instanceof Failure && error.kind === 'unknown-movie' ? unknownFile() : error;
    }),
  );
  const name = FILE_NAMES.find((file) => moviePath(found, file) === path);
  const file = name && (await context.stopwatch.measure('read', () => movies.file(found.build, name)));
  if (!name || !file) throw unknownFile();
  return movieFileReply(name, file, `inline; filename="${path.split('/').at(-1)}"`, context);
}

// Movie files at `/cache/movies/<yyyy>/<mm>/<dd>/<movie id>/<file name>`, with the day of the request.
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

/** @throws Failure `unsupported` where movies are not enabled */
export function moviesOf({ services }: Context): MovieService {
  if (services.movies) return services.movies;
  throw new Failure('unsupported', 'Movies are not enabled on this server.');
}

export function namedMovie({ movie, build }: FoundMovie): NamedMovie {
  return { firstFrameMs: build.firstFrameMs, lastFrameMs: build.lastFrameMs, layers: movie.layers };
}

/** Path of a file, relative to the origin of the service. */
export function moviePath(found: FoundMovie, file: MovieFileName): string {
  const { id, createdAtMs } = found.movie;
  return `/cache/movies/${dayParts(createdAtMs).join('/')}/${id}/${publicFileName(namedMovie(found), file)}`;
}

export const previewFile = (preview: Preview): MovieFileName => `preview-${preview}.png`;

/** Policy of the page in which a browser shows a video that is opened directly, and which loads the file again. */
const FILE_POLICY = "default-src 'none'; media-src 'self'; frame-ancestors 'none'";

/** URLs of the previews by their names. */
export function previewUrls(found: FoundMovie, context: Context): Record<Preview, string> {
  const origin = serviceOrigin(context);
  const entries = PREVIEWS.map((preview) => [preview, origin + moviePath(found, previewFile(preview))]);
  return Object.fromEntries(entries) as Record<Preview, string>;
}

/**
 * Response with a file. A rebuild changes the bytes at the same URL, so clients cache it for a minute and then revalidate its
 * ETag. Browsers request ranges of videos, which the edge cache does not store, so they are read from the archive.
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
      throw new Failure('missing-file', 'This file of the movie has just expired. Request it again to have the movie rebuilt.');
    },
  };
}

const unknownFile = () => new Failure('unknown-path', 'No file of a movie has this URL.');

/**
 * The file at a path of `moviePath`.
 * @throws Failure `unknown-path` for any other path, and when the file does not exist
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

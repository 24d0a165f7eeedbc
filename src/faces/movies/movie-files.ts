// Movie files at `/cache/movies/<yyyy>/<mm>/<dd>/<movie id>/<file name>`, by the day of the request, and the pages that play movies.
import type { MovieFileName, NamedMovie, Preview } from '../../movies/movie.ts';
import { MOVIE_FILE_NAMES, MOVIE_FILES, PREVIEWS, previewFile, publicFileName } from '../../movies/movie.ts';
import type { FoundMovie, MovieService } from '../../movies/movie-service.ts';
import { type Page, pageReply } from '../../platform/http/html.ts';
import type { BytesRepresentation, RepresentationFacts, StreamRepresentation } from '../../platform/http/response.ts';
import { NO_STORE, namedFile, RECENT } from '../../platform/http/response.ts';
import { MOVIE_PAGE_REFRESH_SECONDS } from '../../platform/limits/movies.ts';
import type { StoredObject } from '../../platform/storage/r2-object-store.ts';
import { Failure, when } from '../../platform/util/errors.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { escapeHtml } from '../../platform/util/markup.ts';
import type { Size } from '../../sun/image.ts';
import { dayParts } from '../../sun/time.ts';
import { type Context, paragraph, serviceOrigin } from '../services.ts';

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

/** Policy of the page that a browser makes around a directly opened video; it loads the file again. */
const FILE_POLICY = "default-src 'none'; media-src 'self'; frame-ancestors 'none'";

export function previewUrls(found: FoundMovie, context: Context): Record<Preview, string> {
  const origin = serviceOrigin(context);
  const entries = PREVIEWS.map((preview) => [preview, origin + moviePath(found, previewFile(preview))]);
  return Object.fromEntries(entries) as Record<Preview, string>;
}

/** Response with a file, cached for a minute, because a rebuild changes its bytes. Browsers request ranges, which the edge cache does not store. */
export function movieFileReply(
  file: MovieFileName,
  { key, stored }: { readonly key: string; readonly stored: StoredObject },
  headers: Readonly<Record<string, string>>,
  { services, stopwatch }: Context,
): StreamRepresentation {
  return {
    contentType: MOVIE_FILES[file],
    etag: stored.etag,
    length: stored.size,
    policy: RECENT,
    headers: { ...headers, 'Content-Security-Policy': FILE_POLICY },
    lastModifiedMs: stored.uploadedAtMs,
    open: async (range) => {
      const object = await stopwatch.measure('read', () => services.objects.stream(key, range));
      if (object) return object.body;
      throw new Failure('missing-file', 'This file of the movie has just expired. Request it again to have the movie rebuilt.');
    },
  };
}

/** The file at a path of `moviePath`. @throws Failure `unknown-path` for any other path, and when the file does not exist */
export async function movieFile(path: string, context: Context): Promise<StreamRepresentation> {
  const movies = moviesOf(context);
  const id = path.split('/').at(-2) ?? '';
  const found = await context.stopwatch.measure('index', () =>
    movies.find(id).catch(when(Failure, ({ kind }) => (kind === 'unknown-id' ? null : undefined))),
  );
  const name = found && MOVIE_FILE_NAMES.find((file) => moviePath(found, file) === path);
  const file = name && (await context.stopwatch.measure('read', () => movies.file(found.build, name)));
  if (!file) throw new Failure('unknown-path', 'No file of a movie has this URL.');
  return movieFileReply(name, file, namedFile('inline', path.split('/').at(-1)!), context);
}

const STYLE =
  'html,body,main{margin:0;height:100%;background:#000;color:#ccc;font:16px/1.5 sans-serif;color-scheme:dark}' +
  'h1{position:absolute;margin:0;clip-path:inset(50%)}' +
  'video{display:block;max-width:100%;max-height:100%;margin:auto}p{margin:0;padding:2em;text-align:center}';

const ICON = '<link rel="icon" href="/explorer/icon.svg">\n';

/** A page that loads videos and images of this service only; every site may frame it. */
function playPage(title: string, markup: string, facts: RepresentationFacts, more: Pick<Page, 'refreshSeconds'> = {}) {
  const body = `<main>\n<h1>${escapeHtml(title)}</h1>\n${markup}\n</main>`;
  const policy = { loads: ["media-src 'self'", "img-src 'self'"], frameAncestors: '*' } as const;
  return pageReply({ title: `${SERVICE_NAME} - ${title}`, style: STYLE, head: ICON, body, ...policy, ...more }, facts);
}

/** @param size Pixels of the player. @param files Alternatives, of which the browser plays the first that it supports */
export function playerPage(title: string, found: FoundMovie, size: Size, files: readonly MovieFileName[]) {
  const sources = files.map(
    (file) => `<source src="${escapeHtml(moviePath(found, file))}" type="${escapeHtml(MOVIE_FILES[file])}">`,
  );
  const poster = escapeHtml(moviePath(found, previewFile('full')));
  const attributes = `controls preload="metadata" width="${size.width}" height="${size.height}" poster="${poster}"`;
  return playPage(title, `<video ${attributes}>\n${sources.join('\n')}\n</video>`, { policy: NO_STORE });
}

/** Page of an unfinished movie, with status 202; it reloads itself. */
export function waitingPage(title: string, sentence: string): Promise<BytesRepresentation> {
  const headers = { 'Retry-After': String(MOVIE_PAGE_REFRESH_SECONDS) };
  const refresh = { refreshSeconds: MOVIE_PAGE_REFRESH_SECONDS };
  return playPage(title, paragraph(sentence), { policy: NO_STORE, headers, status: 202 }, refresh);
}

/** Page of a failure. @param facts Unset: of a movie that could not be built */
export const failedPage = (title: string, sentence: string, facts: RepresentationFacts = { policy: NO_STORE, status: 409 }) =>
  playPage(title, paragraph(sentence), facts);

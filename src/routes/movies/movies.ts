// queueMovie, postMovie, reQueueMovie, getMovieStatus, downloadMovie, playMovie.
import { MOVIE_PAGE_REFRESH_SECONDS } from '../../config/limits/movies.ts';
import { Failure } from '../../domain/errors.ts';
import { MOVIE_FILES, type MovieFileName, type MovieFormat } from '../../domain/movies/formats.ts';
import type { RequestedMovie } from '../../domain/movies/movie-request.ts';
import { publicFileName, storedFileName } from '../../domain/movies/names.ts';
import { MOVIE_STATUS, type MovieStatus } from '../../domain/movies/state.ts';
import { NO_STORE } from '../../http/cache-policy.ts';
import { asFailure, errnoOf, statusOf as httpStatusOf, isOurFault } from '../../http/errors.ts';
import { boolean, handle, integer } from '../../http/parameters.ts';
import { clientKey } from '../../http/rate-limit.ts';
import { jsonReply, type Representation } from '../../http/representation.ts';
import type { StoredObject } from '../../ports/objects.ts';
import type { FoundMovie, MovieCall, QueuedMovie } from '../../services/movies/movies.ts';
import { type Context, operation, serviceOrigin } from '../services.ts';
import { movieFileReply, moviePath, moviesOf, namedMovie, previewFile } from './movie-files.ts';
import * as parameters from './movie-parameters.ts';
import { failureOf, movieStatus, progressOf, statusOf } from './movie-status.ts';
import { failedPage, playerPage, waitingPage } from './play-movie.ts';

/** Clients of the original service look for these in an answer of status 200. */
const ANSWERED: readonly Failure['kind'][] = ['no-frames', 'too-few-images', 'queue-full'];

/** Pixels of a player: more than any screen has. */
const PLAYER_SIDE = { min: 1, max: 16_384 };

function callOf({ headers, waitUntil }: Context): MovieCall {
  return { client: clientKey(headers), waitUntil };
}

function queuedReply({ movie, seconds, queue, message }: QueuedMovie): Promise<Representation> {
  const adjusted = message === null ? {} : { message };
  return jsonReply({ id: movie.id, eta: seconds, queue, token: movie.token, ...adjusted }, { policy: NO_STORE });
}

async function queue(requested: RequestedMovie, context: Context): Promise<Representation> {
  try {
    return await queuedReply(await moviesOf(context).queue(requested, callOf(context)));
  } catch (error) {
    if (!(error instanceof Failure) || !ANSWERED.includes(error.kind)) throw error;
    return jsonReply({ error: error.message, errno: errnoOf(error) }, { policy: NO_STORE });
  }
}

const queueing = {
  tag: 'Movies',
  responses: {
    'application/json':
      '{id, eta, queue, token}: for getMovieStatus, seconds until the movie is finished, its place beyond the workers, the ' +
      'handle of its job; message: what is not as it was asked for. {error, errno} where there are no or too few images (12, ' +
      '16) or too many movies wait (40).',
    'text/javascript': 'The same as JSONP.',
  },
  jsonp: true,
  hasSideEffects: true,
  edge: 'own',
} as const;

export const queueMovie = operation({
  ...queueing,
  name: 'queueMovie',
  summary: 'Queues a movie of one or more layers.',
  parameters: parameters.queued.v2,
  parametersInV1: parameters.queued.v1,
  canonical: (values) => {
    parameters.checkLabels(values);
    return parameters.requestedMovie(values);
  },
  handle: queue,
});

export const postMovie = operation({
  ...queueing,
  name: 'postMovie',
  summary: 'Queues a movie as queueMovie does; the events come as an object.',
  method: 'post',
  parameters: parameters.posted.v2,
  parametersInV1: parameters.posted.v1,
  canonical: parameters.requestedMovie,
  handle: queue,
});

export const reQueueMovie = operation({
  ...queueing,
  name: 'reQueueMovie',
  summary: 'Builds a movie again whose files have gone or that failed.',
  parameters: {
    id: parameters.id,
    force: boolean('Builds it anew in any case, with the images that there are now.').default(false),
  },
  parametersInV1: { id: parameters.id },
  otherResponses: { 409: 'The movie is under way, or is there.', 503: 'Too many movies wait.' },
  canonical: ({ id, force }) => ({ id, force: force ?? false }),
  handle: async ({ id, force }, context) => {
    const addressOf = (found: FoundMovie) => serviceOrigin(context) + moviePath(found, 'movie.mp4');
    return queuedReply(await moviesOf(context).requeue(id, force, callOf(context), addressOf));
  },
});

export const getMovieStatus = operation({
  name: 'getMovieStatus',
  summary: 'Where a movie is: queued (0), being built (1), finished (2) or invalid (3).',
  tag: 'Movies',
  responses: {
    'application/json':
      '{status, statusLabel, ...}: progress, currentFrame, numFrames, queuePosition and eta before it is finished; then its ' +
      'frames, times, size, title, thumbnails and url, and expired where its files have gone; error where it is invalid.',
    'text/javascript': 'The same as JSONP.',
  },
  parameters: {
    id: parameters.id,
    format: parameters.format,
    verbose: boolean('Also when it was asked for, its length, scale, layers, events and field of view.').default(false),
    token: handle('The handle of its job, of which jobStatus tells; 0 for none.', '9f0c').optional(),
  },
  jsonp: true,
  edge: 'own',
  canonical: (values) => values,
  handle: async (values, context) => {
    const { token } = values;
    return jsonReply(await movieStatus({ ...values, token }, context), { policy: NO_STORE });
  },
});

interface Wanted {
  readonly id: string;
  readonly format: MovieFormat;
  readonly hq: boolean;
}

interface WantedFile {
  readonly found: FoundMovie;
  readonly name: MovieFileName;
  /** Null: not there. */
  readonly file: { readonly key: string; readonly stored: StoredObject } | null;
}

/** A movie and its file; where that has gone, the movie is on its way again. */
async function wantedFile({ id, format, hq }: Wanted, context: Context): Promise<WantedFile> {
  const movies = moviesOf(context);
  const found = await context.stopwatch.measure('index', () => movies.find(id));
  const name = storedFileName(format, hq);
  const isMade = statusOf(found.build, format) === MOVIE_STATUS.finished;
  const file = isMade ? await context.stopwatch.measure('read', () => movies.file(found.build, name)) : null;
  if (file || found.build.status !== MOVIE_STATUS.finished) return { found, name, file };
  await movies.rebuild(found.build, callOf(context));
  return { found: await movies.find(id), name, file: null };
}

/** The status of a file that is not there: a format may be finished before all of its files are. */
function unreadyStatus({ build }: FoundMovie, format: MovieFormat): MovieStatus {
  const status = statusOf(build, format);
  return status === MOVIE_STATUS.finished ? build.status : status;
}

const soon = (seconds: number): string => (seconds === 1 ? 'a second' : `about ${seconds} seconds`);

/** What is said of a movie that is not there yet, with the key `error` for clients that know no other. */
async function unreadyFields(found: FoundMovie, format: MovieFormat, context: Context) {
  const fields = await progressOf(found, unreadyStatus(found, format), context);
  const state =
    fields.status === MOVIE_STATUS.queued ? 'waits to be built' : `is being built (${Math.round(fields.progress * 100)} %)`;
  return { error: `Expected a finished movie, got one that ${state}; ask again in ${soon(fields.eta)}.`, ...fields };
}

const isInvalid = (found: FoundMovie, format: MovieFormat) => unreadyStatus(found, format) === MOVIE_STATUS.invalid;

export const downloadMovie = operation({
  name: 'downloadMovie',
  summary: 'A movie as a file.',
  tag: 'Movies',
  responses: {
    'video/mp4': 'The movie.',
    'video/webm': 'The movie.',
    'video/x-flv': 'The movie.',
    'application/json': 'Status 202: {error, status, progress, eta, ...} of a movie that is not finished, or is built again.',
  },
  otherResponses: {
    202: 'The movie is not finished, or is built again.',
    206: 'A part of the file.',
    304: 'The file that the client has.',
    409: 'The movie could not be built.',
    416: 'No such part.',
  },
  parameters: { id: parameters.id, format: parameters.format, hq: parameters.hq },
  jsonp: false,
  edge: 'own',
  canonical: (values) => values,
  handle: async (wanted, context): Promise<Representation> => {
    const { found, name, file } = await wantedFile(wanted, context);
    if (file) {
      const fileName = publicFileName(namedMovie(found), name);
      return movieFileReply(name, file, `attachment; filename="${fileName}"`, context);
    }
    if (isInvalid(found, wanted.format)) throw new Failure('failed-movie', failureOf(found.build));
    const fields = await unreadyFields(found, wanted.format, context);
    const headers = { 'Retry-After': String(Math.min(fields.eta, MOVIE_PAGE_REFRESH_SECONDS)) };
    return { ...(await jsonReply(fields, { policy: NO_STORE, headers })), status: 202 };
  },
});

/** The files that a browser may play, that of the format asked for first; flv is for players of old. */
function sourcesOf(found: FoundMovie, { format, hq }: Wanted) {
  const names = [storedFileName('mp4', hq), storedFileName('webm', hq)];
  if (format === 'webm') names.reverse();
  const stored = names.filter((name) => found.build.files.some((file) => file.name === name));
  return stored.map((name) => ({ path: moviePath(found, name), type: MOVIE_FILES[name] }));
}

interface WantedPage extends Wanted {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** The player, or a page that says why there is none. */
async function playedPage({ width, height, ...wanted }: WantedPage, context: Context): Promise<Representation> {
  const played = { ...wanted, format: wanted.format === 'flv' ? ('mp4' as const) : wanted.format };
  const { found, name, file } = await wantedFile(played, context);
  const title = publicFileName(namedMovie(found), name);
  if (file) {
    const { build } = found;
    const size = { width: width ?? build.width, height: height ?? build.height };
    return playerPage({ title, ...size, poster: moviePath(found, previewFile('full')), sources: sourcesOf(found, played) });
  }
  if (isInvalid(found, played.format)) return failedPage(title, failureOf(found.build));
  const { status, progress, eta } = await unreadyFields(found, played.format, context);
  const state = status === MOVIE_STATUS.queued ? 'waits to be built' : `is being built: ${Math.round(progress * 100)} %`;
  return waitingPage(title, `This movie ${state}. It will play here in ${soon(eta)}.`);
}

export const playMovie = operation({
  name: 'playMovie',
  summary: 'A page that plays a movie.',
  tag: 'Movies',
  responses: { 'text/html': 'The page.' },
  otherResponses: { 202: 'A page that says how far the movie is.', 409: 'A page that says why the movie could not be built.' },
  parameters: {
    id: parameters.id,
    format: parameters.format,
    hq: parameters.hq,
    width: integer('Pixels of the player; those of the movie by default.', PLAYER_SIDE).optional(),
    height: integer('Pixels of the player; those of the movie by default.', PLAYER_SIDE).optional(),
  },
  jsonp: false,
  edge: 'own',
  canonical: (values) => values,
  handle: async (wanted, context): Promise<Representation> => {
    try {
      return await playedPage(wanted, context);
    } catch (error) {
      const failure = asFailure(error);
      if (isOurFault(failure)) throw error;
      return failedPage('No movie', failure.message, httpStatusOf(failure));
    }
  },
});

// queueMovie, estimateMovie, postMovie, reQueueMovie, getMovieStatus, downloadMovie, playMovie.

import type { MovieFormat, MovieStatus } from '../../movies/movie.ts';
import { MOVIE_FORMATS, MOVIE_STATUS, publicFileName, storedFileName } from '../../movies/movie.ts';
import { PRESETS } from '../../movies/movie-plan.ts';
import { DEFAULT_FIELD, type MovieRequest, parseMovieRequest, type RequestedMovie } from '../../movies/movie-recipe.ts';
import type { FoundMovie, QueuedMovie } from '../../movies/movie-service.ts';
import { errnoOf, toldFailure } from '../../platform/http/errors.ts';
import { boolean, choice, date, decimal, handle, integer, jsonBody, type Values } from '../../platform/http/parameters.ts';
import { isActionForm } from '../../platform/http/request.ts';
import { jsonReply, MEDIA_TYPES, NO_STORE, namedFile, type Representation } from '../../platform/http/response.ts';
import { MOVIE_LIMITS, MOVIE_PAGE_REFRESH_SECONDS, MOVIE_STATUS_WAIT } from '../../platform/limits/movies.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import * as scene from '../pictures/scene-parameters.ts';
import { type Context, operation, serviceOrigin } from '../services.ts';
import { failedPage, movieFileReply, moviePath, moviesOf, namedMovie, playerPage, waitingPage } from './movie-files.ts';
import * as status from './movie-status.ts';

const { frames, frameRate, defaultFrameRate, lengthSeconds, requestedFrames, leastImages } = MOVIE_LIMITS;
const { mostSeconds, mostWaitersOfClient, unwatchedMs } = MOVIE_STATUS_WAIT;

const movieId = handle('Id of the movie, from queueMovie.', 'VXvX5Bcd');

const movieFormat = choice('File format; flv has the video stream of mp4.', MOVIE_FORMATS);

const hq = boolean('The file of higher quality; mp4 only.').default(false);

/** Parameters of v1; unknown ones are ignored. */
const parametersInV1 = {
  startTime: date('Start of the movie; the first frame is the first image at or after it.'),
  endTime: date('End of the movie; the last frame is the last image at or before it.'),
  layers: scene.layers,
  imageScale: scene.imageScale,
  ...scene.fieldOfView,
  ...scene.overlaysInV1,
  format: movieFormat.default('mp4'),
  frameRate: decimal(`Frames per second; ${defaultFrameRate} without frameRate and movieLength.`, frameRate).optional(),
  movieLength: decimal('Length of the movie in seconds; ignored with frameRate.', lengthSeconds).optional(),
  maxFrames: integer(`Maximum number of frames; values above ${frames.most} are lowered to it.`, {
    min: frames.least,
    max: requestedFrames,
  }).optional(),
  switchSources: scene.switchSources,
};

const presets = Object.entries(PRESETS)
  .map(([size, { width, height }]) => `${size} ${width}x${height}`)
  .join(', ');

const parameters = {
  ...parametersInV1,
  size: integer(`Pixels of the movie: 0 those of the field of view, ${presets}.`, { min: 0, max: 4 }).default(0),
  ...scene.overlays,
  projection: scene.projection,
  ...scene.layerOperations,
  followViewport: boolean('The field of view rotates with the Sun.').default(false),
  reqObservationDate: date('Time at which the rotating field of view is the requested one; with followViewport.').optional(),
};

const events = { events: scene.eventsNotation, ...scene.eventLabels };

/** Parameters of queueMovie; the documentation of the original service spells eventLabels as eventsLabels. */
const queueParameters = { parameters: { ...parameters, ...events }, parametersInV1: { ...parametersInV1, ...events } };

/** The parsed request, without the format, because every movie is encoded in all formats. @throws Failure naming the parameter at fault */
function requestedMovie({ format: _format, ...request }: MovieRequest & { readonly format?: string }): RequestedMovie {
  return parseMovieRequest(request);
}

/** As `requestedMovie`. @throws Failure `missing-parameter` also for events without either spelling of their labels */
function labelledMovie(request: Parameters<typeof requestedMovie>[0]): RequestedMovie {
  const { events, eventsLabels, eventLabels } = request;
  const hasEvents = typeof events === 'string' && events.trim() !== '';
  if (hasEvents && eventsLabels === undefined && eventLabels === undefined) {
    throw badParameter('eventsLabels', 'true or false', undefined);
  }
  return requestedMovie(request);
}

/** Failures that scripts expect with status 200, and the sentences of the web client for them in the action form, which has their status. */
const REPORTED_FAILURES: Readonly<Partial<Record<Failure['kind'], string>>> = {
  'no-frames': 'No images found for requested time range. Please try a different time.',
  'too-few-images': 'Too few images found for requested time range. Please try a different time.',
  'queue-full': 'Too many movies are waiting to be made. Please try again later.',
};

function queuedResponse({ movie, seconds, queue, message }: QueuedMovie): Promise<Representation> {
  const body = { id: movie.id, eta: seconds, queue, token: movie.token, ...(message === null ? {} : { message }) };
  return jsonReply<typeof status.queuedMovie>(body, { policy: NO_STORE });
}

async function queue(requested: RequestedMovie, context: Context): Promise<Representation> {
  try {
    return await queuedResponse(await moviesOf(context).queue(requested, context));
  } catch (error) {
    const sentence = error instanceof Failure ? REPORTED_FAILURES[error.kind] : undefined;
    if (!(error instanceof Failure) || sentence === undefined) throw error;
    if (isActionForm(context.url)) throw new Failure(error.kind, sentence, { details: error.message });
    return jsonReply<typeof status.queueBody>({ error: error.message, errno: errnoOf(error) }, { policy: NO_STORE });
  }
}

const queued = jsonBody('The queued movie; {error, errno} without images, with too few, and for a full queue.', status.queueBody);

const UNKNOWN_MOVIE = { 404: 'No movie has this id.' } as const;

const NOT_QUEUED = {
  404: 'A datasource does not exist or has no images.',
  503: { description: 'The queue is full. Retry-After says when to try again.', headers: ['Retry-After'] },
} as const;

const queueing = { tag: 'Movies', jsonp: true, hasSideEffects: true, edge: 'none' } as const;

export const queueMovie = operation({
  ...queueing,
  name: 'queueMovie',
  summary: 'Queues a movie of one or more layers.',
  description:
    `A movie has a frame for each image of its richest layer, at most ${frames.most}. ` +
    `Fewer than ${leastImages} images in the time range are too few. ` +
    'Poll getMovieStatus with the `id` until the status is 2. Equal requests share one build. The field of view is given as for ' +
    `takeScreenshot, or is ${DEFAULT_FIELD.width}x${DEFAULT_FIELD.height} pixels around the centre of the Sun.`,
  responses: { 'application/json': queued },
  otherResponses: NOT_QUEUED,
  ...queueParameters,
  canonical: labelledMovie,
  handle: queue,
});

async function estimate(requested: RequestedMovie, context: Context): Promise<Representation> {
  const { build, exists, seconds, queue, message } = await moviesOf(context).estimate(requested, context);
  const { frameRate, width, height, frames } = build;
  const duration = Math.round((1000 * frames.length) / frameRate) / 1000;
  const movie = { frames: frames.length, frameRate, duration, width, height, eta: seconds, queue };
  const body = { ...movie, ...(exists ? { exists } : {}), ...(message === null ? {} : { message }) };
  return jsonReply<typeof status.estimateBody>(body, { policy: NO_STORE });
}

const estimateMovie = operation({
  name: 'estimateMovie',
  summary: 'Frames, length, size and expected time of a movie, without queueing it.',
  description:
    'Takes the parameters of queueMovie; the movies that queueMovie refuses with status 200 are failures of status 404. `eta` is the time at the end of the present queue, by the speed of recent builds; that of the build which queueMovie would join; or 0 for a movie that exists.',
  tag: 'Movies',
  responses: { 'application/json': jsonBody('What queueMovie would make now.', status.estimateBody) },
  otherResponses: { 404: 'A datasource does not exist, or has no images or too few in the time range.' },
  parameters: queueParameters.parameters,
  parametersInV1: null,
  jsonp: true,
  edge: 'none',
  canonical: labelledMovie,
  handle: estimate,
});

const postMovie = operation({
  ...queueing,
  name: 'postMovie',
  summary: 'Queues a movie like queueMovie, with events as an object.',
  description:
    'The parameters of queueMovie as a JSON object. `eventsState` selects events by source, type, method and single event.',
  responses: { 'application/json': queued },
  otherResponses: NOT_QUEUED,
  method: 'post',
  parameters: { ...parameters, ...scene.eventsObjects },
  parametersInV1: { ...parametersInV1, ...scene.eventsObjects },
  canonical: requestedMovie,
  handle: queue,
});

const reQueueMovie = operation({
  ...queueing,
  name: 'reQueueMovie',
  summary: 'Builds a movie again that failed or whose files have expired.',
  description:
    'Expired movies are also built again by downloadMovie. With `force`, the movie gets the images that arrived since.',
  responses: { 'application/json': jsonBody('The queued movie.', status.queuedMovie) },
  parameters: {
    id: movieId,
    force: boolean('Plans and builds any movie anew, with the images that the archive has now.').default(false),
  },
  parametersInV1: { id: movieId },
  otherResponses: { ...NOT_QUEUED, ...UNKNOWN_MOVIE, 409: 'The movie is queued, being built, or exists.' },
  canonical: ({ id, force }) => ({ id, force: force ?? false }),
  handle: async ({ id, force }, context) => {
    const urlOf = (found: FoundMovie) => serviceOrigin(context) + moviePath(found, 'movie.mp4');
    return queuedResponse(await moviesOf(context).requeue(id, force, context, urlOf));
  },
});

const getMovieStatus = operation({
  name: 'getMovieStatus',
  summary: 'Status of a movie: queued (0), being built (1), finished (2) or invalid (3).',
  tag: 'Movies',
  description: 'In v1 the response has only the status, unless `verbose` is true.',
  responses: { 'application/json': jsonBody('The movie: unfinished, finished or invalid.', status.movieStatusSchema) },
  bodyInV1: jsonBody('The status; with `verbose` the whole movie.', status.movieStatusInV1),
  otherResponses: UNKNOWN_MOVIE,
  parameters: {
    id: movieId,
    format: movieFormat,
    verbose: boolean('Adds the time of the request, length, scale, layers, events and field of view.').default(false),
    token: handle('Handle of its job, for jobStatus; 0 for none.', '9f0c').optional(),
    wait: integer(
      'Seconds for which the response waits until status, progress or the place in the queue change; 0 for none. ' +
        `More than ${mostWaitersOfClient} waiting requests of a client see changes after ${unwatchedMs / 1000} seconds.`,
      { min: 0, max: mostSeconds },
    ).default(0),
  },
  jsonp: true,
  edge: 'none',
  handle: async ({ id, format, verbose, token, wait }, context) => {
    const found = await status.changedMovie(id, format, wait, context);
    const isShort = context.version === 'v1' && !verbose;
    const body = isShort ? { status: status.statusOf(found.build, format) } : await status.statusFields(found, format, context);
    const rest = isShort ? {} : { jobStatus: status.jobStatus(found, token), ...(verbose ? status.verboseFields(found) : {}) };
    return jsonReply<typeof status.movieStatusInV1>({ ...body, ...rest }, { policy: NO_STORE });
  },
});

const fileParameters = { id: movieId, format: movieFormat, hq };

type FileRequest = Values<typeof fileParameters>;

/** A movie and its file, null where none is stored; a movie whose file has expired is queued again. */
async function findFile({ id, format, hq }: FileRequest, context: Context) {
  const movies = moviesOf(context);
  const found = await context.stopwatch.measure('index', () => movies.find(id));
  const name = storedFileName(format, hq);
  const isFinished = status.statusOf(found.build, format) === MOVIE_STATUS.finished;
  const file = isFinished ? await context.stopwatch.measure('read', () => movies.file(found.build, name)) : null;
  if (file || found.build.status !== MOVIE_STATUS.finished) return { found, name, file };
  await movies.rebuild(found, context);
  return { found: await movies.find(id), name, file: null };
}

/** Status of a missing file: that of the build where the file of a finished format has been lost while others are built. */
function unreadyStatus({ build }: FoundMovie, format: MovieFormat): MovieStatus {
  const own = status.statusOf(build, format);
  return own === MOVIE_STATUS.finished ? build.status : own;
}

const duration = (seconds: number): string => (seconds === 1 ? 'a second' : `about ${seconds} seconds`);

const stateOf = ({ status, progress }: { status: MovieStatus; progress: number }): string =>
  status === MOVIE_STATUS.queued ? 'waiting to be built' : `being built (${Math.round(progress * 100)} %)`;

/** Progress of an unfinished movie, with `error` for clients that know no other field. */
async function unreadyFields(found: FoundMovie, format: MovieFormat, context: Context) {
  const fields = await status.progressOf(found, unreadyStatus(found, format), context);
  return { error: `This movie is still ${stateOf(fields)}. Try again in ${duration(fields.eta)}.`, ...fields };
}

const isInvalid = (found: FoundMovie, format: MovieFormat) => unreadyStatus(found, format) === MOVIE_STATUS.invalid;

const downloadMovie = operation({
  name: 'downloadMovie',
  summary: 'A movie as a file.',
  tag: 'Movies',
  responses: { [MEDIA_TYPES.mp4]: 'The movie.', [MEDIA_TYPES.webm]: 'The movie.', 'video/x-flv': 'The movie.' },
  description:
    'mp4 (H.264; `hq` for higher quality), webm (VP9) or flv. Ranges are served, so that players can seek. Files expire; a movie ' +
    'whose files have expired is built again, with status 202 until then.',
  headers: ['Content-Disposition', 'Last-Modified'],
  otherResponses: {
    ...UNKNOWN_MOVIE,
    202: {
      description: 'The movie is not finished, or is being built again.',
      content: { 'application/json': jsonBody('Its progress.', status.unreadyMovie) },
      headers: ['Cache-Control', 'Content-Disposition', 'Retry-After'],
    },
    409: 'The movie could not be built.',
    503: NOT_QUEUED[503],
  },
  parameters: fileParameters,
  edge: 'large',
  handle: async (request, context): Promise<Representation> => {
    const { found, name, file } = await findFile(request, context);
    if (file) return movieFileReply(name, file, namedFile('attachment', publicFileName(namedMovie(found), name)), context);
    if (isInvalid(found, request.format)) throw new Failure('failed-movie', status.failureOf(found.build));
    const fields = await unreadyFields(found, request.format, context);
    const headers = {
      'Retry-After': String(Math.min(fields.eta, MOVIE_PAGE_REFRESH_SECONDS)),
      // A name other than the movie's, because `curl -OJ` would store the status under the name of the video.
      ...namedFile('inline', `${found.movie.id}.status.json`),
    };
    return jsonReply(fields, { policy: NO_STORE, headers, status: 202 });
  },
});

/** Files for the video element, the requested format first; browsers do not play flv. */
function sourcesOf({ build }: FoundMovie, { format, hq }: FileRequest) {
  const names = [storedFileName('mp4', hq), storedFileName('webm', hq)];
  if (format === 'webm') names.reverse();
  return names.filter((name) => build.files.some((file) => file.name === name));
}

/** A side of the player; the maximum is above any screen's. */
const side = integer('Pixels of the player; by default those of the movie.', { min: 1, max: 16_384 }).optional();
const pageParameters = { ...fileParameters, width: side, height: side };

async function moviePage(
  { width, height, ...request }: Values<typeof pageParameters>,
  context: Context,
): Promise<Representation> {
  const played = { ...request, format: request.format === 'flv' ? ('mp4' as const) : request.format };
  const { found, name, file } = await findFile(played, context);
  const title = publicFileName(namedMovie(found), name);
  if (file) {
    const { build } = found;
    const size = { width: width ?? build.width, height: height ?? build.height };
    return playerPage(title, found, size, sourcesOf(found, played));
  }
  if (isInvalid(found, played.format)) return failedPage(title, status.failureOf(found.build));
  const fields = await unreadyFields(found, played.format, context);
  return waitingPage(title, `This movie is ${stateOf(fields)}. It will play here in ${duration(fields.eta)}.`);
}

const page = (content: string) => ({ 'text/html': content });

const playMovie = operation({
  name: 'playMovie',
  summary: 'A page that plays a movie.',
  tag: 'Movies',
  responses: { 'text/html': 'The page.' },
  description: 'Other sites may embed the page. While the movie is being built, it shows the progress and reloads itself.',
  otherResponses: {
    202: { description: 'The movie is not finished.', content: page('Its progress.'), headers: ['Cache-Control', 'Retry-After'] },
    404: { description: 'No movie has this id.', content: page('The reason.') },
    409: { description: 'The movie could not be built.', content: page('The reason.') },
    503: {
      description: 'The movie has to be built again, and the queue is full.',
      content: page('The reason.'),
      headers: ['Retry-After'],
    },
  },
  parameters: pageParameters,
  edge: 'none',
  handle: (request, context) =>
    moviePage(request, context).catch((error: unknown) => {
      const { sentence, facts } = toldFailure(error, context.services.logFault);
      return failedPage('No movie', sentence, facts);
    }),
});

export const movieOperations = [queueMovie, estimateMovie, postMovie, reQueueMovie, getMovieStatus, downloadMovie, playMovie];

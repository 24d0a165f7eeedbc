// Responses about movies: their schemas, and that of getMovieStatus.
import { z } from '@hono/zod-openapi';
import type { MovieFormat, MovieStatus } from '../../movies/movie.ts';
import { MOVIE_STATUS, movieTitle, PREVIEWS, storedFileName } from '../../movies/movie.ts';
import type { FoundMovie } from '../../movies/movie-service.ts';
import type { MovieBuild } from '../../movies/movie-tables.ts';
import { selectionEntries, selectionsOf, visibilityOf } from '../../picture/events/paths.ts';
import { eventsStateOf, printEventsText } from '../../picture/events/selection.ts';
import { dateTimeText, named, number, text, whole } from '../../platform/http/parameters.ts';
import { EVENT_SOURCES } from '../../sun/events/event-types.ts';
import { formatDateTime } from '../../sun/time.ts';
import { type Context, serviceOrigin } from '../services.ts';
import { moviePath, moviesOf, namedMovie, previewUrls } from './movie-files.ts';

/** reQueueMovie, whose failures have a status, and queueMovie. */
export const queuedMovie = () =>
  named('QueuedMovie', 'A movie that is queued, being built or finished.', {
    id: text('Id of the movie, for getMovieStatus, downloadMovie and playMovie.'),
    eta: z.number().min(0).describe('Estimated seconds until it is finished.'),
    queue: z.int().min(0).describe('Builds that have to finish before it starts.'),
    token: text('Handle of its job, for getMovieStatus.'),
    message: text('Deviations from the request, as fewer frames.').optional(),
  });

const refusedMovie = () =>
  named('RefusedMovie', 'A movie that cannot be made or queued, with status 200 because clients depend on that.', {
    error: text('A sentence for people.'),
    errno: whole('12 for no images in the range, 16 for too few, 40 for a full queue.'),
  });

/** queueMovie and postMovie. */
export const queueBody = () => z.union([queuedMovie(), refusedMovie()]);

export const estimateBody = () =>
  named('MovieEstimate', 'What queueMovie would make now.', {
    frames: z.int().min(1),
    frameRate: number('Frames per second.'),
    duration: number('Length in seconds.'),
    width: whole('Pixels.'),
    height: whole('Pixels.'),
    eta: z.number().min(0).describe('Estimated seconds until it would be finished.'),
    queue: z.int().min(0).describe('Builds that would have to finish before it starts.'),
    exists: z.literal(true).optional().describe('It has been built: queueMovie returns it at once.'),
    message: text('Deviations from the request, as fewer frames.').optional(),
  });

const eventsTree = () =>
  named('EventsTree', 'Selected events of one source.', {
    labels_visible: z.boolean(),
    layers: z.array(z.object({ event_type: z.string(), frms: z.array(z.string()), event_instances: z.array(z.string()) })),
    layers_v2: z.array(z.string()).optional(),
  });

const visibilitySelections = () =>
  z.partialRecord(
    z.enum(EVENT_SOURCES),
    z.object({ marker_visibility: z.boolean().optional(), label_visibility: z.boolean().optional() }),
  );

const arcsec = (description: string) => number(`${description} of the field of view, arcseconds, y down.`).optional();

/** What a movie of any status has. */
const commonFields = () => ({
  jobStatus: z
    .union([z.int(), z.literal(false), z.literal('')])
    .optional()
    .describe(
      'State of the job of `token`: 1 queued, 2 running, 3 failed, 4 done; false for another movie, empty without token.',
    ),
  timestamp: dateTimeText('Verbose: time of the request.').optional(),
  duration: number('Verbose: length in seconds.').optional(),
  imageScale: number('Verbose: arcseconds per pixel.').optional(),
  layers: text('Verbose: layers as requested.').optional(),
  events: text('Verbose: events in their notation.').optional(),
  eventsState: z.record(z.string(), eventsTree()).optional().describe('Verbose: events by `tree_<SOURCE>`.'),
  event_selections: z.array(z.string()).optional().describe('Verbose: events by paths, as they were sent where they were.'),
  event_visibility_selections: visibilitySelections().optional().describe('Verbose: what is shown of each source.'),
  x1: arcsec('Verbose: left side'),
  y1: arcsec('Verbose: upper side'),
  x2: arcsec('Verbose: right side'),
  y2: arcsec('Verbose: lower side'),
});

const statusLabel = () => text('The status as a word.');

const progressFields = () => ({
  status: z.union([z.literal(0), z.literal(1)]).describe('0 queued, 1 being built.'),
  statusLabel: statusLabel(),
  progress: z.number().min(0).max(1).describe('Part of the frames that are drawn.'),
  currentFrame: z.int().min(0),
  numFrames: z.int(),
  queuePosition: z.int().min(0).describe('Place among the queued builds from 1; 0 while it is being built.'),
  eta: z.number().min(0).describe('Estimated seconds until it is finished.'),
});

const unfinished = () =>
  named('UnfinishedMovie', 'A movie that is queued or being built.', { ...progressFields(), ...commonFields() });

const finished = () =>
  named('FinishedMovie', 'A movie that can be downloaded and played.', {
    status: z.literal(2),
    statusLabel: statusLabel(),
    frameRate: number('Frames per second.'),
    numFrames: z.int(),
    startDate: dateTimeText('Time of the first frame.'),
    endDate: dateTimeText('Time of the last frame.'),
    width: whole('Pixels.'),
    height: whole('Pixels.'),
    title: z.string(),
    thumbnails: previews('Addresses of the previews.'),
    url: text('Address of the file.'),
    expired: z.literal(true).optional().describe('The file has been removed; downloadMovie has it built again.'),
    message: text('Frames and events that are left out.').optional(),
    ...commonFields(),
  });

const invalid = () =>
  named('InvalidMovie', 'A movie that could not be built.', {
    status: z.literal(3),
    statusLabel: statusLabel(),
    error: text('The reason, a sentence for people.'),
    ...commonFields(),
  });

/** Addresses of preview pictures by their size. */
export const previews = (description: string) =>
  z
    .object(Object.fromEntries(PREVIEWS.map((size) => [size, z.string()])) as Record<(typeof PREVIEWS)[number], z.ZodString>)
    .describe(description);

export const movieStatusSchema = () => z.union([unfinished(), finished(), invalid()]);

/** getMovieStatus in v1, which has only the status unless it is verbose. */
export const movieStatusInV1 = () =>
  z.union([
    named('MovieStatusV1', 'Without `verbose`.', {
      status: z.int().min(0).max(3).describe('0 queued, 1 being built, 2 finished, 3 invalid.'),
    }),
    movieStatusSchema(),
  ]);

/** downloadMovie with status 202. */
export const unreadyMovie = () =>
  named('UnreadyMovie', 'A movie that is not finished, or is being built again.', {
    error: text('A sentence for people.'),
    ...progressFields(),
  });

const LABELS: Readonly<Record<MovieStatus, string>> = { 0: 'Queued', 1: 'Processing', 2: 'Completed', 3: 'Invalid' };

/** Job states in the numbering of the original service. */
const JOB_STATUS: Readonly<Record<MovieStatus, number>> = { 0: 1, 1: 2, 2: 4, 3: 3 };

/** Status of a format. flv is remuxed from the finished mp4, so it is finished with the whole build. */
export function statusOf({ status, statusMp4, statusWebm }: MovieBuild, format: MovieFormat): MovieStatus {
  if (format === 'webm') return statusWebm;
  return format === 'flv' && statusMp4 === MOVIE_STATUS.finished ? status : statusMp4;
}

export const failureOf = ({ error }: MovieBuild): string => error ?? 'The movie could not be built.';

const framesOf = ({ frameCount, framesSkipped }: MovieBuild): number => frameCount - framesSkipped;

/** State of the job of a token; '' without a token, false for the token of another movie. */
export function jobStatus({ movie, build }: FoundMovie, token: string | undefined): number | false | '' {
  if (token === undefined || token === '0') return '';
  return token === movie.token ? JOB_STATUS[build.status] : false;
}

/** Maximum progress of an unfinished movie, because encoding and uploading follow the last drawn frame. */
const MAX_PROGRESS = 0.99;

export async function progressOf<S extends MovieStatus>({ build }: FoundMovie, status: S, context: Context) {
  const { position, seconds } = await moviesOf(context).outlook(build);
  const progress = Math.min(MAX_PROGRESS, Math.floor((build.framesDone / build.frameCount) * 1000) / 1000);
  return {
    status,
    statusLabel: LABELS[status],
    progress,
    currentFrame: build.framesDone,
    numFrames: build.frameCount,
    queuePosition: position,
    eta: seconds,
  };
}

function omissions({ framesSkipped, frameCount, eventsMissing }: MovieBuild): string[] {
  const sources = eventsMissing.join(' and ');
  return [
    ...(framesSkipped > 0 ? [`${framesSkipped} of ${frameCount} frames are left out: their images are damaged or missing.`] : []),
    ...(sources
      ? [`Events of ${sources} are missing: not every request to them succeeded. reQueueMovie with force builds it anew.`]
      : []),
  ];
}

async function finishedFields(found: FoundMovie, format: MovieFormat, context: Context) {
  const { build } = found;
  const file = storedFileName(format, false);
  const exists = (await moviesOf(context).file(build, file)) !== null;
  const message = omissions(build).join(' ');
  return {
    status: MOVIE_STATUS.finished,
    statusLabel: LABELS[MOVIE_STATUS.finished],
    frameRate: build.frameRate,
    numFrames: framesOf(build),
    startDate: formatDateTime(build.firstFrameMs),
    endDate: formatDateTime(build.lastFrameMs),
    width: build.width,
    height: build.height,
    title: movieTitle(namedMovie(found)),
    thumbnails: previewUrls(found, context),
    url: serviceOrigin(context) + moviePath(found, file),
    ...(exists ? {} : { expired: true as const }),
    ...(message ? { message } : {}),
  };
}

export async function statusFields(found: FoundMovie, format: MovieFormat, context: Context) {
  const status = statusOf(found.build, format);
  if (status === MOVIE_STATUS.finished) return finishedFields(found, format, context);
  if (status !== MOVIE_STATUS.invalid) return progressOf(found, status, context);
  return { status, statusLabel: LABELS[status], error: failureOf(found.build) };
}

/** Removes rounding errors of binary fractions. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

export function verboseFields({ movie, build }: FoundMovie) {
  const { layers, events, event_selections: selections, event_visibility_selections: visibility } = movie.request;
  const { scene } = build.recipe;
  const { left, top, right, bottom } = scene.region;
  return {
    timestamp: formatDateTime(movie.createdAtMs),
    duration: rounded(framesOf(build) / build.frameRate),
    imageScale: scene.imageScaleArcsecPerPixel,
    layers,
    events: typeof events === 'string' ? events : printEventsText(scene.events),
    eventsState: eventsStateOf(scene.events),
    event_selections: selections === undefined ? selectionsOf(scene.events) : selectionEntries(selections),
    event_visibility_selections: visibility ?? visibilityOf(scene.events),
    x1: rounded(left),
    y1: rounded(top),
    x2: rounded(right),
    y2: rounded(bottom),
  };
}

/** The movie of an id, after a change or `wait` seconds; of the status and the number of frames, as of the place in the queue. */
export async function changedMovie(id: string, format: MovieFormat, wait: number, context: Context): Promise<FoundMovie> {
  const stateOf = ({ build }: FoundMovie) => [statusOf(build, format), build.status, build.framesDone].join();
  const changed = () => moviesOf(context).watch.changed({ id, client: context.client, seconds: wait, stateOf });
  return wait > 0 ? changed() : context.stopwatch.measure('index', changed);
}

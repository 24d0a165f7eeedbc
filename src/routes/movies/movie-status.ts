// The response of getMovieStatus.
import type { MovieFormat } from '../../domain/movies/formats.ts';
import { movieTitle, storedFileName } from '../../domain/movies/names.ts';
import { MOVIE_STATUS, type MovieStatus } from '../../domain/movies/state.ts';
import { eventsStateOf } from '../../domain/recipe/events/events-state.ts';
import { printEventsText } from '../../domain/recipe/events/events-text.ts';
import { formatDateTime } from '../../domain/time.ts';
import type { JsonBody } from '../../http/openapi/json-bodies.ts';
import type { MovieBuild } from '../../ports/movies.ts';
import type { FoundMovie } from '../../services/movies/movies.ts';
import { type Context, serviceOrigin } from '../services.ts';
import { moviePath, moviesOf, namedMovie, previewUrls } from './movie-files.ts';
import type { movieStatusInV1, movieStatus as movieStatusSchema } from './movie-schemas.ts';

type Status = JsonBody<typeof movieStatusSchema>;
type StatusInV1 = JsonBody<typeof movieStatusInV1>;

const LABELS: Readonly<Record<MovieStatus, string>> = { 0: 'Queued', 1: 'Processing', 2: 'Completed', 3: 'Invalid' };

/** Job states in the numbering of the original service. */
const JOB_STATUS: Readonly<Record<MovieStatus, number>> = { 0: 1, 1: 2, 2: 4, 3: 3 };

const NO_REASON = 'The movie could not be built.';

/** Status of a format. flv is remuxed from the finished mp4, so it is finished with the whole build. */
export function statusOf({ status, statusMp4, statusWebm }: MovieBuild, format: MovieFormat): MovieStatus {
  if (format === 'webm') return statusWebm;
  return format === 'flv' && statusMp4 === MOVIE_STATUS.finished ? status : statusMp4;
}

export const failureOf = ({ error }: MovieBuild): string => error ?? NO_REASON;

/** Frames of the finished movie. */
const framesOf = ({ frameCount, framesSkipped }: MovieBuild): number => frameCount - framesSkipped;

/** State of the job of a token; '' without a token, false for the token of another movie. */
function jobStatus({ movie, build }: FoundMovie, token: string | undefined): number | false | '' {
  if (token === undefined || token === '0') return '';
  return token === movie.token ? JOB_STATUS[build.status] : false;
}

/** Maximum progress of an unfinished movie, because encoding and uploading follow the last drawn frame. */
const MAX_PROGRESS = 0.99;

/** Progress of a queued or running build. */
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

/** Sentences about missing frames and events. */
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

function statusFields(found: FoundMovie, format: MovieFormat, context: Context): Promise<Status> {
  const status = statusOf(found.build, format);
  if (status === MOVIE_STATUS.finished) return finishedFields(found, format, context);
  if (status !== MOVIE_STATUS.invalid) return progressOf(found, status, context);
  return Promise.resolve({ status, statusLabel: LABELS[status], error: failureOf(found.build) });
}

/** Removes rounding errors of binary fractions. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

function verboseFields({ movie, build }: FoundMovie) {
  const { layers, events } = movie.request;
  const { scene } = build.recipe;
  const { left, top, right, bottom } = scene.region;
  return {
    timestamp: formatDateTime(movie.createdAtMs),
    duration: rounded(framesOf(build) / build.frameRate),
    imageScale: scene.imageScaleArcsecPerPixel,
    layers,
    events: typeof events === 'string' ? events : printEventsText(scene.events),
    eventsState: eventsStateOf(scene.events),
    x1: rounded(left),
    y1: rounded(top),
    x2: rounded(right),
    y2: rounded(bottom),
  };
}

export interface StatusRequest {
  readonly id: string;
  readonly format: MovieFormat;
  readonly verbose: boolean;
  readonly token: string | undefined;
  /** Seconds to wait for a change. */
  readonly wait: number;
}

/** Changes with the status and the number of frames, for which clients wait, as for the place in the queue. */
const stateOf = ({ build }: FoundMovie, format: MovieFormat): string =>
  [statusOf(build, format), build.status, build.framesDone].join();

/**
 * Fields of getMovieStatus; v1 has only the status unless it is verbose.
 * @throws Failure `unknown-movie`
 */
export async function movieStatus(request: StatusRequest, context: Context): Promise<StatusInV1> {
  const { format, verbose, token } = request;
  const { id, wait } = request;
  const waiting = { id, client: context.client, seconds: wait, stateOf: (one: FoundMovie) => stateOf(one, format) };
  const changed = () => moviesOf(context).changed(waiting);
  const found = await (wait > 0 ? changed() : context.stopwatch.measure('index', changed));
  if (context.version === 'v1' && !verbose) return { status: statusOf(found.build, format) };
  const fields = await statusFields(found, format, context);
  return { ...fields, jobStatus: jobStatus(found, token), ...(verbose ? verboseFields(found) : {}) };
}

// The parameters of movies.

import { MOVIE_FORMATS } from '../../movies/movie.ts';
import { PRESETS } from '../../movies/movie-plan.ts';
import { type MovieRequest, parseMovieRequest, type RequestedMovie } from '../../movies/movie-recipe.ts';
import { boolean, choice, date, decimal, handle, integer } from '../../platform/http/parameters.ts';
import { MOVIE_LIMITS } from '../../platform/limits/movies.ts';
import { badParameter } from '../../platform/util/errors.ts';
import * as scene from '../pictures/scene-parameters.ts';

const { frames, frameRate, defaultFrameRate, lengthSeconds, requestedFrames } = MOVIE_LIMITS;

export const id = handle('Id of the movie, from queueMovie.', 'VXvX5Bcd');

export const format = choice('File format; flv has the video stream of mp4.', MOVIE_FORMATS);

export const hq = boolean('The file of higher quality; mp4 only.').default(false);

/** Parameters of v1; unknown ones are ignored. */
const parametersInV1 = {
  startTime: date('Start of the movie; the first frame is the first image at or after it.'),
  endTime: date('End of the movie; the last frame is the last image at or before it.'),
  layers: scene.layers,
  imageScale: scene.imageScale,
  ...scene.fieldOfView,
  ...scene.overlaysInV1,
  format: format.default('mp4'),
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
  ...scene.laterOverlays,
  projection: scene.projection,
  ...scene.layerOperations,
  followViewport: boolean('The field of view rotates with the Sun.').default(false),
  reqObservationDate: date('Time at which the rotating field of view is the requested one; with followViewport.').optional(),
};

const events = { events: scene.eventsNotation, ...scene.eventLabels };

/** Parameters of queueMovie; the documentation of the original service spells eventLabels as eventsLabels. */
export const queued = { v2: { ...parameters, ...events }, v1: { ...parametersInV1, ...events } };

export const posted = { v2: { ...parameters, ...scene.eventsObjects }, v1: { ...parametersInV1, ...scene.eventsObjects } };

/** The parsed request, without the format, because every movie is encoded in all formats. @throws Failure naming the parameter at fault */
export function requestedMovie({ format: _format, ...request }: MovieRequest & { readonly format?: string }): RequestedMovie {
  return parseMovieRequest(request);
}

/** As `requestedMovie`. @throws Failure `missing-parameter` also for events without either spelling of their labels */
export function labelledMovie(request: Parameters<typeof requestedMovie>[0]): RequestedMovie {
  const { events, eventsLabels, eventLabels } = request;
  const hasEvents = typeof events === 'string' && events.trim() !== '';
  if (hasEvents && eventsLabels === undefined && eventLabels === undefined) {
    throw badParameter('eventsLabels', 'true or false', undefined);
  }
  return requestedMovie(request);
}

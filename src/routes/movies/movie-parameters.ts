// The parameters of movies.
import { badParameter } from '../../domain/errors.ts';
import { MOVIE_FORMATS } from '../../domain/movies/formats.ts';
import { MOVIE_LIMITS } from '../../domain/movies/frame-timing.ts';
import { type MovieRequest, parseMovieRequest, type RequestedMovie } from '../../domain/movies/movie-request.ts';
import { boolean, choice, date, decimal, handle, integer } from '../../http/parameters.ts';
import * as scene from '../rendering/scene-parameters.ts';

const { frames, frameRate, lengthSeconds, requestedFrames } = MOVIE_LIMITS;

export const id = handle('Id of the movie, from queueMovie.', 'VXvX5Bcd');

export const format = choice('File format; flv has the video stream of mp4.', MOVIE_FORMATS);

export const hq = boolean('The file of higher quality; mp4 only.').default(false);

const { movieIcons, grid, ...overlays } = scene.overlays;

/** Parameters of v1. The celestial bodies that the web client sends are ignored, as are all unknown parameters. */
const parametersInV1 = {
  startTime: date('Start of the movie; the first frame is the first image at or after it.'),
  endTime: date('End of the movie; the last frame is the last image at or before it.'),
  layers: scene.layers,
  imageScale: scene.imageScale,
  ...scene.fieldOfView,
  ...overlays,
  format: format.default('mp4'),
  frameRate: decimal('Frames per second; 15 without frameRate and movieLength.', frameRate).optional(),
  movieLength: decimal('Length of the movie in seconds; ignored with frameRate.', lengthSeconds).optional(),
  maxFrames: integer(`Maximum number of frames; values above ${frames.most} are lowered to it.`, {
    min: frames.least,
    max: requestedFrames,
  }).optional(),
  switchSources: scene.switchSources,
};

const parameters = {
  ...parametersInV1,
  size: integer('Pixels of the movie: 0 those of the field of view, 1 1280x720, 2 1920x1080, 3 2560x1440, 4 3840x2160.', {
    min: 0,
    max: 4,
  }).default(0),
  movieIcons,
  grid,
  followViewport: boolean('The field of view rotates with the Sun.').default(false),
  reqObservationDate: date('Time at which the rotating field of view is the requested one; with followViewport.').optional(),
};

const events = { events: scene.eventsNotation, ...scene.eventLabels };

/** Parameters of queueMovie; the documentation of the original service spells eventLabels as eventsLabels. */
export const queued = { v2: { ...parameters, ...events }, v1: { ...parametersInV1, ...events } };

/** Parameters of postMovie. */
export const posted = { v2: { ...parameters, ...scene.eventsObjects }, v1: { ...parametersInV1, ...scene.eventsObjects } };

/**
 * The parsed request, without the format, because every movie is encoded in all formats.
 * @throws Failure naming the parameter at fault
 */
export function requestedMovie({ format: _format, ...request }: MovieRequest & { readonly format?: string }): RequestedMovie {
  return parseMovieRequest(request);
}

/** @throws Failure `missing-parameter` for events without either spelling of their labels */
export function checkLabels({
  events,
  eventsLabels,
  eventLabels,
}: Pick<MovieRequest, 'events' | 'eventsLabels' | 'eventLabels'>) {
  const hasEvents = typeof events === 'string' && events.trim() !== '';
  if (hasEvents && eventsLabels === undefined && eventLabels === undefined) {
    throw badParameter('eventsLabels', 'true or false', undefined);
  }
}

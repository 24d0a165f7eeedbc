// The parameters of movies.
import { badParameter } from '../../domain/errors.ts';
import { MOVIE_FORMATS } from '../../domain/movies/formats.ts';
import { MOVIE_LIMITS } from '../../domain/movies/frame-timing.ts';
import { type MovieRequest, parseMovieRequest, type RequestedMovie } from '../../domain/movies/movie-request.ts';
import { boolean, choice, date, decimal, handle, integer } from '../../http/parameters.ts';
import * as scene from '../rendering/scene-parameters.ts';

const { frames, frameRate, lengthSeconds, requestedFrames } = MOVIE_LIMITS;

export const id = handle('Movie, as queueMovie names it.', 'VXvX5Bcd');

export const format = choice('Kind of file; flv holds the same pictures as mp4.', MOVIE_FORMATS);

export const hq = boolean('The file of higher quality, which mp4 alone has.').default(false);

const { movieIcons, ...overlays } = scene.overlays;

/** Those of v1. The celestial bodies that the web client sends along are not drawn, and ignored like all that has no name here. */
const parametersInV1 = {
  startTime: date('Start of the movie: its first frame is the first image from then on.'),
  endTime: date('End of the movie: its last frame is the last image until then.'),
  layers: scene.layers,
  imageScale: scene.imageScale,
  ...scene.fieldOfView,
  ...overlays,
  format: format.default('mp4'),
  frameRate: decimal('Frames per second; 15 where there is no movieLength either.', frameRate).optional(),
  movieLength: decimal('Seconds that the movie shall take, where there is no frameRate.', lengthSeconds).optional(),
  maxFrames: integer(`Frames at most; more than ${frames.most} are that many.`, {
    min: frames.least,
    max: requestedFrames,
  }).optional(),
  switchSources: scene.switchSources,
};

const parameters = {
  ...parametersInV1,
  size: integer('Pixels of the movie: 0 as asked for, 1 1280x720, 2 1920x1080, 3 2560x1440, 4 3840x2160.', {
    min: 0,
    max: 4,
  }).default(0),
  movieIcons,
  followViewport: boolean('The field of view rotates with the Sun.').default(false),
  reqObservationDate: date('When the field of view is the one that was asked for, with followViewport.').optional(),
};

const events = { events: scene.eventsNotation.unwrap(), ...scene.eventLabels };

/** Of queueMovie; the spelling eventsLabels is that of the documents. */
export const queued = { v2: { ...parameters, ...events }, v1: { ...parametersInV1, ...events } };

/** Of postMovie. */
export const posted = { v2: { ...parameters, ...scene.eventsObjects }, v1: { ...parametersInV1, ...scene.eventsObjects } };

/**
 * The parsed request, without the format, because every movie is encoded in all formats.
 * @throws Failure naming the parameter at fault
 */
export function requestedMovie({ format: _format, ...request }: MovieRequest & { readonly format?: string }): RequestedMovie {
  return parseMovieRequest(request);
}

/** @throws Failure `missing-parameter` unless one of the spellings is there */
export function checkLabels({ eventsLabels, eventLabels }: Pick<MovieRequest, 'eventsLabels' | 'eventLabels'>): void {
  if (eventsLabels === undefined && eventLabels === undefined) throw badParameter('eventsLabels', 'true or false', undefined);
}

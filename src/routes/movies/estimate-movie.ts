// estimateMovie: what queueMovie would make.
import { Failure } from '../../domain/errors.ts';
import type { RequestedMovie } from '../../domain/movies/movie-request.ts';
import { NO_STORE } from '../../http/cache-policy.ts';
import { errnoOf } from '../../http/errors.ts';
import { type JsonBody, jsonBody } from '../../http/openapi/json-bodies.ts';
import { jsonReply, type Representation } from '../../http/representation.ts';
import { EXAMPLE_DAY } from '../examples.ts';
import { type Context, operation } from '../services.ts';
import { moviesOf } from './movie-files.ts';
import * as parameters from './movie-parameters.ts';
import { estimateBody } from './movie-schemas.ts';

const reply = (body: JsonBody<typeof estimateBody>) => jsonReply<JsonBody<typeof estimateBody>>(body, { policy: NO_STORE });

/** Failures in a response of status 200, as those of queueMovie. */
const NOT_MADE: readonly Failure['kind'][] = ['no-frames', 'too-few-images'];

async function estimate(requested: RequestedMovie, context: Context): Promise<Representation> {
  try {
    const { plan, seconds, queue, message } = await moviesOf(context).estimate(requested);
    const { frameRate, width, height } = plan;
    const frames = plan.frames.length;
    const duration = Math.round((1000 * frames) / frameRate) / 1000;
    const facts = { frames, frameRate, duration, width, height, eta: seconds, queue };
    return await reply({ ...facts, ...(message === null ? {} : { message }) });
  } catch (error) {
    if (!(error instanceof Failure) || !NOT_MADE.includes(error.kind)) throw error;
    return reply({ error: error.message, errno: errnoOf(error) });
  }
}

export const estimateMovie = operation({
  name: 'estimateMovie',
  summary: 'Frames, length, size and expected time of a movie, without queueing it.',
  description:
    'Takes the parameters of queueMovie. `eta` is the time at the end of the present queue, by the speed of recent builds.',
  tag: 'Movies',
  responses: {
    'application/json': jsonBody(
      'What queueMovie would make now; {error, errno} without images, and with too few.',
      estimateBody,
      {
        frames: 144,
        frameRate: 12,
        duration: 12,
        width: 1280,
        height: 720,
        eta: 9,
        queue: 0,
      },
    ),
  },
  otherResponses: { 404: 'A datasource does not exist or has no images.' },
  example: {
    ...EXAMPLE_DAY,
    layers: '[11,1,100]',
    imageScale: 8,
    x0: 0,
    y0: 0,
    width: 1280,
    height: 720,
    frameRate: 12,
    events: '[AR,all,1]',
    eventsLabels: true,
  },
  parameters: parameters.queued.v2,
  parametersInV1: null,
  jsonp: true,
  edge: 'none',
  canonical: (values) => {
    parameters.checkLabels(values);
    return parameters.requestedMovie(values);
  },
  handle: estimate,
});

// getObservationDateVideos: the shared movies that cover the date of the web client.
import { USER_VIDEOS } from '../../config/limits/sharing.ts';
import { type JsonBody, jsonBody } from '../../http/openapi/json-bodies.ts';
import { date, integer } from '../../http/parameters.ts';
import { jsonReply } from '../../http/representation.ts';
import { EXAMPLE_DATE, EXAMPLE_THUMBNAILS } from '../examples.ts';
import { namingHost, operation, serviceOrigin } from '../services.ts';
import { EXAMPLE_VIDEO, observationVideos } from './sharing-schemas.ts';

const POLICY = `public, max-age=${USER_VIDEOS.lifetimeSeconds}`;

export const getObservationDateVideos = operation({
  name: 'getObservationDateVideos',
  summary: 'Movies that users have shared whose frames span a time, latest start first.',
  tag: 'Video host',
  responses: {
    'application/json': jsonBody('The videos, latest start first.', observationVideos, [
      {
        ...EXAMPLE_VIDEO,
        thumbnails: { small: EXAMPLE_THUMBNAILS.small, medium: EXAMPLE_THUMBNAILS.medium },
        imageScale: 8,
        width: 1280,
        height: 720,
        roi: { top: -360, left: -640, bottom: 360, right: 640, width: 1280, height: 720, imageScale: 8 },
      },
    ]),
  },
  description: 'For markers on a picture: each video has its field of view. The list is empty where no video host is configured.',
  example: { date: EXAMPLE_DATE },
  parameters: {
    date: date('The time that the movies cover.'),
    num: integer('Largest number of videos.', { min: 1, max: USER_VIDEOS.maxCount }).default(USER_VIDEOS.maxCount),
    skip: integer('Number of videos to skip.', { min: 0, max: USER_VIDEOS.maxSkip }).default(0),
  },
  jsonp: true,
  edge: 'own',
  canonical: (values) => values,
  handle: async ({ date: atMs, num, skip }, context) => {
    const { sharing } = context.services;
    const query = { atMs, count: num, skip };
    const list = (await sharing?.userVideos.covering(query, serviceOrigin(context))) ?? [];
    return jsonReply<JsonBody<typeof observationVideos>>(list, { policy: namingHost(POLICY, context) });
  },
});

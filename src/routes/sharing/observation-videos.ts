// getObservationDateVideos: the shared movies that cover the date of the web client.
import { USER_VIDEOS } from '../../config/limits/sharing.ts';
import { date, integer } from '../../http/parameters.ts';
import { jsonReply } from '../../http/representation.ts';
import { namingHost, operation, serviceOrigin } from '../services.ts';

const POLICY = `public, max-age=${USER_VIDEOS.lifetimeSeconds}`;

export const getObservationDateVideos = operation({
  name: 'getObservationDateVideos',
  summary: 'Movies that users have shared whose frames span a time, latest start first.',
  tag: 'Video host',
  responses: {
    'application/json':
      'The elements of getUserVideos, with the thumbnails small and medium, numbers, and roi {top, left, bottom, right, width, ' +
      'height, imageScale}: pixels at imageScale from disk centre, y down.',
    'text/javascript': 'The JSON as JSONP.',
  },
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
    return jsonReply(list, { policy: namingHost(POLICY, context) });
  },
});

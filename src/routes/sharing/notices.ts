// Notices of the web client about its use, of which nothing is stored, and the operations about such a store.
import { Failure } from '../../domain/errors.ts';
import { NO_STORE } from '../../http/cache-policy.ts';
import { choice } from '../../http/parameters.ts';
import { jsonReply } from '../../http/representation.ts';
import { randomHex } from '../../util/digest.ts';
import { operation } from '../services.ts';

const TAG = 'Web client';
const SEED_BYTES = 32;

export const enable3D = operation({
  name: 'enable3D',
  summary: 'Notice of the web client that its user turned on the three-dimensional view. Nothing is stored.',
  tag: TAG,
  responses: { 'application/json': '{status_code, status_txt, data}: data is empty.' },
  parameters: {},
  jsonp: false,
  edge: 'none',
  canonical: (values) => values,
  handle: async () => jsonReply({ status_code: 200, status_txt: 'OK', data: '' }, { policy: NO_STORE }),
});

export const logNotificationStatistics = operation({
  name: 'logNotificationStatistics',
  summary: 'Notice of the web client whether its user permits notifications. Nothing is stored.',
  tag: TAG,
  responses: { 'application/json': 'The word.', 'text/javascript': 'The JSON as JSONP.' },
  parameters: { notifications: choice('Permission of the user.', ['granted', 'denied']) },
  jsonp: true,
  edge: 'none',
  canonical: (values) => values,
  handle: async ({ notifications }) => jsonReply(notifications, { policy: NO_STORE }),
});

export const getRandomSeed = operation({
  name: 'getRandomSeed',
  summary: 'A random number of 256 bits from the cryptographic generator of the platform.',
  tag: TAG,
  responses: { 'application/json': '{seed}: 64 hexadecimal digits.', 'text/javascript': 'The JSON as JSONP.' },
  parameters: {},
  jsonp: true,
  edge: 'none',
  canonical: (values) => values,
  handle: async () => jsonReply({ seed: randomHex(SEED_BYTES) }, { policy: NO_STORE }),
});

export const getUsageStatistics = operation({
  name: 'getUsageStatistics',
  summary: 'Always fails with errno 26, because this service collects no statistics of its use.',
  tag: TAG,
  responses: { 'application/json': 'Never sent.' },
  otherResponses: { 400: 'The collection of statistics is off.' },
  parameters: {},
  jsonp: false,
  edge: 'none',
  canonical: (values) => values,
  handle: async () => {
    throw new Failure('unsupported', 'Statistics of the use of this service are not collected.');
  },
});

// Notices of the web client about its use, of which nothing is stored, and the operations about such a store.
import { NO_STORE } from '../../platform/http/cache-policy.ts';
import { type JsonBody, jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { choice } from '../../platform/http/parameters.ts';
import { jsonReply } from '../../platform/http/response.ts';
import { randomHex } from '../../platform/util/bytes.ts';
import { Failure } from '../../platform/util/errors.ts';
import { operation } from '../services.ts';
import { noticeTaken, permission, randomSeed, usageStatistics } from './sharing-schemas.ts';

const TAG = 'Web client';
const SEED_BYTES = 32;

const TAKEN = { status_code: 200, status_txt: 'OK', data: '' } as const;

const enable3D = operation({
  name: 'enable3D',
  summary: 'Notice of the web client that its user turned on the three-dimensional view.',
  description: 'Nothing is stored.',
  tag: TAG,
  responses: { 'application/json': jsonBody('An empty envelope.', noticeTaken) },
  edge: 'none',
  handle: async () => jsonReply<JsonBody<typeof noticeTaken>>(TAKEN, { policy: NO_STORE }),
});

const logNotificationStatistics = operation({
  name: 'logNotificationStatistics',
  summary: 'Notice of the web client whether its user permits notifications.',
  description: 'Nothing is stored.',
  tag: TAG,
  responses: { 'application/json': jsonBody('The word.', permission) },
  parameters: { notifications: choice('Permission of the user.', ['granted', 'denied'] as const) },
  jsonp: true,
  edge: 'none',
  handle: async ({ notifications }) => jsonReply<JsonBody<typeof permission>>(notifications, { policy: NO_STORE }),
});

const getRandomSeed = operation({
  name: 'getRandomSeed',
  summary: 'A random number of 256 bits.',
  description: 'From the cryptographic generator of the platform.',
  tag: TAG,
  responses: { 'application/json': jsonBody('The number.', randomSeed) },
  jsonp: true,
  edge: 'none',
  handle: async () => jsonReply<JsonBody<typeof randomSeed>>({ seed: randomHex(SEED_BYTES) }, { policy: NO_STORE }),
});

const getUsageStatistics = operation({
  name: 'getUsageStatistics',
  summary: 'Statistics of the use of the service, which are not collected.',
  description: 'Always fails with errno 26.',
  tag: TAG,
  responses: { 'application/json': jsonBody('Not sent, because no statistics are collected.', usageStatistics) },
  otherResponses: { 400: 'The collection of statistics is off.' },
  edge: 'none',
  handle: async () => {
    throw new Failure('unsupported', 'Statistics of the use of this service are not collected.');
  },
});

export const notices = [enable3D, logNotificationStatistics, getRandomSeed, getUsageStatistics];

// getSolarBodiesGlossary, getSolarBodies and getTrajectoryTime: planets and probes in the sky of an observer.
import { BODY_TIMES } from '../../config/limits/bodies.ts';
import { lastPassageEnd, nextPassageStart } from '../../domain/bodies/passages.ts';
import { OBSERVERS } from '../../domain/bodies/sky.ts';
import { SETTLED } from '../../http/cache-policy.ts';
import { choice, choiceList, integer, name } from '../../http/parameters.ts';
import { jsonReply } from '../../http/representation.ts';
import { SECOND_MS } from '../../util/durations.ts';
import { operation } from '../services.ts';
import { bodiesRecord, glossaryRecord } from './body-records.ts';

const wholeSecond = (ms: number): number => Math.floor(ms / SECOND_MS) * SECOND_MS;

const time = (description: string) => integer(description, { min: BODY_TIMES.firstMs, max: BODY_TIMES.lastMs });

export const getSolarBodiesGlossary = operation({
  name: 'getSolarBodiesGlossary',
  summary: 'The observers, the celestial bodies that each can see, and the bodies that have trajectories.',
  tag: 'Celestial bodies',
  responses: { 'application/json': 'version, observers, enabledTrajectories and mods.', 'text/javascript': 'The same as JSONP.' },
  parameters: {},
  jsonp: true,
  edge: 'shared',
  canonical: () => ({}),
  key: (canonical) => canonical,
  handle: async (_values, { services }) => jsonReply(glossaryRecord(await services.stateTables.sky()), { policy: SETTLED }),
});

export const getSolarBodies = operation({
  name: 'getSolarBodies',
  summary: 'Positions of the planets and probes within 12 degrees of the Sun, and their trajectories while they stay there.',
  tag: 'Celestial bodies',
  responses: {
    'application/json':
      'labels: by observer and body, the position or null. trajectories: by observer, body and milliseconds since 1970, or []. ' +
      'x and y are helioprojective arcseconds, x to the west, y to the north; distances are in astronomical units.',
    'text/javascript': 'The same as JSONP.',
  },
  parameters: {
    time: time('Milliseconds since 1970, UTC; a fraction of a second is dropped.'),
    observers: choiceList('Observers; those of the glossary when absent.', OBSERVERS).optional(),
  },
  jsonp: true,
  edge: 'shared',
  canonical: (values) => ({ time: wholeSecond(values.time), observers: values.observers }),
  key: (canonical) => canonical,
  handle: async ({ time: atMs, observers }, { services }) => {
    const sky = await services.stateTables.sky();
    return jsonReply(bodiesRecord(sky, observers ?? sky.observers, atMs), { policy: SETTLED });
  },
});

export const getTrajectoryTime = operation({
  name: 'getTrajectoryTime',
  summary: 'The start of the next passage of a body near the Sun, or the end of the last one.',
  tag: 'Celestial bodies',
  responses: {
    'application/json': 'time: milliseconds since 1970, or null without such a passage.',
    'text/javascript': 'The same as JSONP.',
  },
  parameters: {
    observer: name('An observer of the glossary; others have no passages.'),
    body: name('A body of that observer; others have no passages.'),
    time: time('Milliseconds since 1970, UTC. A passage at this time is neither the next nor the last.'),
    direction: choice('Towards later or earlier times.', ['next', 'last']),
  },
  jsonp: true,
  edge: 'shared',
  canonical: (values) => ({ ...values, time: wholeSecond(values.time) }),
  key: (canonical) => canonical,
  handle: async ({ observer, body, time: atMs, direction }, { services }) => {
    const sight = (await services.stateTables.sky()).sight(observer, body);
    const find = direction === 'next' ? nextPassageStart : lastPassageEnd;
    return jsonReply({ time: sight && find(sight, atMs, BODY_TIMES) }, { policy: SETTLED });
  },
});

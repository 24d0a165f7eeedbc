// shortenURL, getNewsFeed, and what the web client asks of statistics and notices.

import { z } from '@hono/zod-openapi';
import { choice, handle, jsonBody, named, notation, text } from '../../platform/http/parameters.ts';
import { isActionForm } from '../../platform/http/request.ts';
import { jsonReply, NO_STORE, redirectReply, textReply, XML_TYPE } from '../../platform/http/response.ts';
import { randomHex } from '../../platform/util/bytes.ts';
import { Failure } from '../../platform/util/errors.ts';
import { writeAtom, writeRss } from '../../sharing/news/news-feed.ts';
import { namingHost, operation, serviceOrigin } from '../services.ts';

export const enveloped = <T extends z.ZodType, More extends z.ZodRawShape = Record<never, never>>(
  name: string,
  data: T,
  more = {} as More,
) => named(name, null, { status_code: z.int(), status_txt: z.string(), data, ...more });
export const inEnvelope = <T>(data: T) => ({ status_code: 200, status_txt: 'OK', data });

/** shortenURL. */
const shortLink = () => {
  const link = z.object({
    long_url: text('The address.'),
    url: text('Its short link; the address itself where it is not shortened.'),
    hash: text('Id of the link, for goto; empty where the address is not shortened.'),
    global_hash: text('As hash.'),
    new_hash: z.int().min(0).max(1).describe('1 when the link is new.'),
  });
  return enveloped('ShortLink', link);
};

/** enable3D. */
const noticeTaken = () => enveloped('Notice', z.literal(''));

/** logNotificationStatistics. */
const permission = () => z.enum(['granted', 'denied']).describe('The word of the request.');

const randomSeed = () => named('RandomSeed', null, { seed: text('64 hexadecimal digits.') });

const usageStatistics = () => z.record(z.string(), z.unknown());

const TAG = 'Links and news';

const shortenURL = operation({
  name: 'shortenURL',
  summary: 'A short link to a page of this service. Other addresses are returned unchanged.',
  tag: TAG,
  description: 'The same address always has the same link.',
  responses: { 'application/json': jsonBody('The link.', shortLink) },
  otherResponses: { 502: 'The URL shortener refused.' },
  parameters: {
    queryString: notation('Address of the page, or its query string only, URL-encoded.', {
      what: 'an http address or a query string',
      example: '?date=2024-05-10T12:00:00Z&imageScale=2.4',
    }),
  },
  jsonp: true,
  hasSideEffects: true,
  edge: 'none',
  handle: async ({ queryString }, context) => {
    const data = await context.services.links.shorten(queryString, serviceOrigin(context), context.admission);
    return jsonReply<typeof shortLink>(inEnvelope(data), { policy: NO_STORE });
  },
});

const goto = operation({
  name: 'goto',
  summary: 'Redirects to the page of a short link.',
  description: 'The target of the links of shortenURL.',
  tag: TAG,
  responses: {},
  otherResponses: { 302: 'The page is at Location.', 404: 'No link has this id.' },
  parameters: { id: handle('Short link: the hash of shortenURL.', '0123456789abcdef') },
  edge: 'none',
  handle: async ({ id }, context) => {
    const target = await context.services.links.target(id, serviceOrigin(context));
    return redirectReply(target, { policy: NO_STORE, headers: { 'Referrer-Policy': 'no-referrer' } });
  },
});

const getNewsFeed = operation({
  name: 'getNewsFeed',
  summary: 'News of the service as an RSS 2.0 feed.',
  description:
    'In the form `/?action=` as Atom, which the web client reads. Without a configured blog, the news of helioedge. With `callback` the feed is one string.',
  tag: TAG,
  responses: { 'text/xml': 'The feed.' },
  jsonp: true,
  edge: 'given',
  handle: async (_values, context) => {
    const origin = serviceOrigin(context);
    const { feed, maxAgeMs } = await context.services.news.news(origin, context.waitUntil);
    const xml = isActionForm(context.url) ? writeAtom(feed) : writeRss(feed);
    const shared = `public, max-age=${Math.ceil(maxAgeMs / 1000)}`;
    // The built-in news has links to this service.
    const policy = xml.includes(origin) ? namingHost(shared, context) : shared;
    return { ...(await textReply(XML_TYPE, xml, { policy })), isJsonString: true };
  },
});

export const linksAndNews = [shortenURL, goto, getNewsFeed];

const SEED_BYTES = 32;

const OF_WEB_CLIENT = { tag: 'Web client', edge: 'none' } as const;

const enable3D = operation({
  ...OF_WEB_CLIENT,
  name: 'enable3D',
  summary: 'Notice of the web client that its user turned on the three-dimensional view.',
  description: 'Nothing is stored.',
  responses: { 'application/json': jsonBody('An empty envelope.', noticeTaken) },
  handle: async () => jsonReply<typeof noticeTaken>(inEnvelope(''), { policy: NO_STORE }),
});

const logNotificationStatistics = operation({
  ...OF_WEB_CLIENT,
  name: 'logNotificationStatistics',
  summary: 'Notice of the web client whether its user permits notifications.',
  description: 'Nothing is stored.',
  responses: { 'application/json': jsonBody('The word.', permission) },
  parameters: { notifications: choice('Permission of the user.', ['granted', 'denied'] as const) },
  jsonp: true,
  handle: async ({ notifications }) => jsonReply<typeof permission>(notifications, { policy: NO_STORE }),
});

const getRandomSeed = operation({
  ...OF_WEB_CLIENT,
  name: 'getRandomSeed',
  summary: 'A random number of 256 bits.',
  description: 'From the cryptographic generator of the platform.',
  responses: { 'application/json': jsonBody('The number.', randomSeed) },
  jsonp: true,
  handle: async () => jsonReply<typeof randomSeed>({ seed: randomHex(SEED_BYTES) }, { policy: NO_STORE }),
});

const getUsageStatistics = operation({
  ...OF_WEB_CLIENT,
  name: 'getUsageStatistics',
  summary: 'Statistics of the use of the service, which are not collected.',
  description: 'Always fails with errno 26.',
  responses: { 'application/json': jsonBody('Not sent, because no statistics are collected.', usageStatistics) },
  otherResponses: { 400: 'The collection of statistics is off.' },
  handle: async () => {
    throw new Failure('unsupported', 'Statistics of the use of this service are not collected.');
  },
});

export const notices = [enable3D, logNotificationStatistics, getRandomSeed, getUsageStatistics];

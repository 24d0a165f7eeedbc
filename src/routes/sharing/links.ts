// shortenURL, and goto, to which the links of our own shortener lead.
import { Failure } from '../../domain/errors.ts';
import { NO_STORE } from '../../http/cache-policy.ts';
import { handle, notation } from '../../http/parameters.ts';
import { jsonReply, redirectReply } from '../../http/representation.ts';
import type { ShortLinks } from '../../services/sharing/short-links.ts';
import { type Context, operation, serviceOrigin } from '../services.ts';

const TAG = 'Links and news';

function linksOf({ services }: Context): ShortLinks {
  if (services.links) return services.links;
  throw new Failure('unsupported', 'Expected a service with short links, got one that keeps none.');
}

export const shortenURL = operation({
  name: 'shortenURL',
  summary: 'A short link to a page of this service. Addresses of others come back as they are.',
  tag: TAG,
  responses: {
    'application/json': '{status_code, status_txt, data: {long_url, url, hash, global_hash, new_hash}}.',
    'text/javascript': 'The JSON as JSONP.',
  },
  parameters: {
    queryString: notation('Address of the page, or its query string alone, URL-encoded.', {
      what: 'an http address or a query string',
      example: '?date=2024-05-10T12:00:00Z&imageScale=2.4',
    }),
  },
  jsonp: true,
  hasSideEffects: true,
  edge: 'own',
  canonical: (values) => values,
  handle: async ({ queryString }, context) => {
    const data = await linksOf(context).shorten(queryString, serviceOrigin(context));
    return jsonReply({ status_code: 200, status_txt: 'OK', data }, { policy: NO_STORE });
  },
});

export const goto = operation({
  name: 'goto',
  summary: 'Leads to the page of a short link.',
  tag: TAG,
  responses: { 'text/plain': 'A redirect.' },
  otherResponses: { 302: 'The page is at Location.' },
  parameters: { id: handle('Short link: the hash of shortenURL.', '0123456789abcdef') },
  jsonp: false,
  edge: 'own',
  canonical: (values) => values,
  handle: async ({ id }, context) => {
    const target = await linksOf(context).target(id, serviceOrigin(context));
    return redirectReply(target, { policy: NO_STORE, headers: { 'Referrer-Policy': 'no-referrer' } });
  },
});

// getNewsFeed.
import { textReply, XML_TYPE } from '../../http/representation.ts';
import { operation, serviceOrigin } from '../services.ts';

export const getNewsFeed = operation({
  name: 'getNewsFeed',
  summary: 'News of the service as an RSS 2.0 feed.',
  tag: 'Links and news',
  responses: { 'text/xml': 'The feed.', 'text/javascript': 'The feed as JSONP: one string.' },
  parameters: {},
  jsonp: true,
  edge: 'own',
  canonical: (values) => values,
  handle: async (_values, context) => {
    const { xml, lifeMs } = await context.services.news.news(serviceOrigin(context), context.waitUntil);
    const policy = `public, max-age=${Math.ceil(lifeMs / 1000)}`;
    return { ...(await textReply(XML_TYPE, xml, { policy })), isJsonString: true };
  },
});

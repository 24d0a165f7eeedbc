// The changes of states as RSS 2.0.
import { SERVICE_NAME } from '../../config/identity.ts';
import { PRIVATE_COPY } from '../../http/cache-policy.ts';
import { type Representation, textReply } from '../../http/response.ts';
import type { StateChange } from '../../ports/status.ts';
import { escapeXml } from '../../util/markup.ts';

const RSS_TYPE = 'application/rss+xml; charset=utf-8';

/** @param origin Of the service, which also makes the ids of the items */
export function statusFeed(changes: readonly StateChange[], origin: string): Promise<Representation> {
  const items = changes.map(
    ({ id, atMs, subject, before, state, sentence }) => `<item>
<title>${escapeXml(`${subject}: ${state}`)}</title>
<link>${escapeXml(`${origin}/status`)}</link>
<guid isPermaLink="false">${escapeXml(`${origin}/status#${id}`)}</guid>
<pubDate>${new Date(atMs).toUTCString()}</pubDate>
<description>${escapeXml(`It was ${before}. ${sentence}`)}</description>
</item>`,
  );
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>${escapeXml(SERVICE_NAME)}: status</title>
<link>${escapeXml(`${origin}/status`)}</link>
<description>Changes of what is late, failing or well again.</description>
<atom:link href="${escapeXml(`${origin}/status.rss`)}" rel="self" type="application/rss+xml"/>
${items.join('\n')}
</channel></rss>
`;
  return textReply(RSS_TYPE, text, { policy: PRIVATE_COPY });
}

// The status of the service: /status for people, /status.rss for readers of feeds, /metrics for Prometheus.
import { Hono } from 'hono';
import { SERVICE_NAME } from '../../config/identity.ts';
import { NO_STORE, PRIVATE_COPY } from '../../http/cache-policy.ts';
import { type Representation, send, textReply } from '../../http/response.ts';
import type { OperationCount, StateChange } from '../../ports/status.ts';
import type { StatusService } from '../../services/status/service-status.ts';
import { escapeXml } from '../../util/markup.ts';
import { type Operators, operatorFor, permit } from '../internal/admin-scopes.ts';
import { METRICS_TYPE, metricsText } from './metrics.ts';
import { statusPage } from './status-page.ts';

interface StatusServices extends Operators {
  readonly status: StatusService;
  readonly requestCounts: () => Promise<readonly OperationCount[]>;
}

/** `/metrics` is for operators with the scope `metrics`. */
export function statusRoutes({ status, requestCounts, ...operators }: StatusServices): Hono {
  return new Hono()
    .get('/status', async (c) => send(c.req.raw, await statusPage(await status.read(), await status.dayCounts())))
    .get('/status.rss', async (c) => send(c.req.raw, await statusFeed(await status.changes(), new URL(c.req.url).origin)))
    .get('/metrics', async (c) => {
      permit(await operatorFor(c, operators), 'metrics');
      return send(
        c.req.raw,
        await textReply(METRICS_TYPE, metricsText(await status.read(), await requestCounts()), { policy: NO_STORE }),
      );
    });
}

const RSS_TYPE = 'application/rss+xml; charset=utf-8';

/** The changes of states as RSS 2.0. @param origin Of the service, which also makes the ids of the items */
function statusFeed(changes: readonly StateChange[], origin: string): Promise<Representation> {
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

// The status of the service: /status for people, /status.rss for readers of feeds, /metrics for Prometheus.
import { Hono } from 'hono';
import { NO_STORE } from '../../http/cache-policy.ts';
import { send, textReply } from '../../http/response.ts';
import type { StatusService } from '../../services/status/service-status.ts';
import { type Operator, operatorFor } from '../internal/admin-scopes.ts';
import { METRICS_TYPE, metricsText } from './metrics.ts';
import { statusFeed } from './status-feed.ts';
import { statusPage } from './status-page.ts';

/** @param operators Holders of tokens, of whom those with the scope `metrics` may read `/metrics` */
export function statusRoutes(status: StatusService, operators: readonly Operator[]): Hono {
  return new Hono()
    .get('/status', async (c) => send(c.req.raw, await statusPage(await status.read(), await status.dayCounts())))
    .get('/status.rss', async (c) => send(c.req.raw, await statusFeed(await status.changes(), new URL(c.req.url).origin)))
    .get('/metrics', async (c) => {
      await operatorFor(c, operators);
      return send(c.req.raw, await textReply(METRICS_TYPE, metricsText(await status.read()), { policy: NO_STORE }));
    });
}

// The status of the service: /status for people, /status.rss for readers of feeds, /metrics for Prometheus.
import { Hono } from 'hono';
import { NO_STORE } from '../../http/cache-policy.ts';
import { send, textReply } from '../../http/response.ts';
import type { StatusService } from '../../services/status/service-status.ts';
import { type Operators, operatorFor } from '../internal/admin-scopes.ts';
import { METRICS_TYPE, metricsText } from './metrics.ts';
import { statusFeed } from './status-feed.ts';
import { statusPage } from './status-page.ts';

interface StatusServices extends Operators {
  readonly status: StatusService;
}

/** `/metrics` is for operators with the scope `metrics`. */
export function statusRoutes({ status, ...operators }: StatusServices): Hono {
  return new Hono()
    .get('/status', async (c) => send(c.req.raw, await statusPage(await status.read(), await status.dayCounts())))
    .get('/status.rss', async (c) => send(c.req.raw, await statusFeed(await status.changes(), new URL(c.req.url).origin)))
    .get('/metrics', async (c) => {
      await operatorFor(c, operators);
      return send(c.req.raw, await textReply(METRICS_TYPE, metricsText(await status.read()), { policy: NO_STORE }));
    });
}

// Webhooks: POST /admin/webhooks registers one, GET lists them, DELETE /admin/webhooks/<id> removes one; a test, and the end of a
// pause.
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { WEBHOOKS } from '../../config/limits/webhooks.ts';
import { findSource, memberSources } from '../../domain/catalogue/sources.ts';
import { badParameter } from '../../domain/errors.ts';
import { findEventType } from '../../domain/events/event-types.ts';
import { formatIso } from '../../domain/time.ts';
import type { Webhook, WebhookOrder } from '../../domain/webhooks/webhook.ts';
import { jsonResponse } from '../../http/response.ts';
import type { Webhooks } from '../../services/webhooks/webhooks.ts';
import { numberOf } from './admin-audit.ts';
import { type AdminVariables, needs } from './admin-scopes.ts';
import { jsonRequest } from './json-request.ts';

const BODY = {
  schema: z.strictObject({
    address: z.string(),
    sources: z.array(z.int().min(0)).max(WEBHOOKS.sources).default([]),
    eventTypes: z.array(z.string()).max(WEBHOOKS.eventTypes).default([]),
  }),
  what:
    '{"address": <https address>, "sources": [<numbers of datasources>], "eventTypes": [<types as FL>]} ' +
    `with at most ${WEBHOOKS.sources} sources and ${WEBHOOKS.eventTypes} types`,
  maxBytes: WEBHOOKS.requestBytes,
};

/** @throws Failure `bad-parameter` for an unknown source or type, and for neither */
function checkedOrder({ address, sources, eventTypes }: z.output<typeof BODY.schema>): WebhookOrder {
  const unknownSource = sources.find((id) => !findSource(id) || memberSources(id).length > 0);
  if (unknownSource !== undefined)
    throw badParameter('sources', 'numbers of datasources as getDataSources has them', unknownSource);
  const unknownType = eventTypes.find((pin) => !findEventType(pin));
  if (unknownType !== undefined) throw badParameter('eventTypes', 'types of events as FL or CE', unknownType);
  if (sources.length + eventTypes.length === 0) throw badParameter('sources', 'a datasource or a type of events', '');
  return { address, sources: [...new Set(sources)], eventTypes: [...new Set(eventTypes)] };
}

const timeOf = (ms: number | null) => (ms === null ? null : formatIso(ms));

const webhookJson = (hook: Webhook) => ({
  id: hook.id,
  address: hook.address,
  sources: hook.sources,
  eventTypes: hook.eventTypes,
  created: formatIso(hook.createdAtMs),
  state: hook.pausedAtMs === null ? 'active' : 'paused',
  paused: timeOf(hook.pausedAtMs),
  failingSince: timeOf(hook.failingSinceMs),
  lastReceived: timeOf(hook.receivedAtMs),
  sentence: hook.sentence,
});

const idOf = (c: Context) => numberOf('id', c.req.param('id'), 0, Number.MAX_SAFE_INTEGER);

export function webhookRoutes(webhooks: Webhooks): Hono<AdminVariables> {
  const one = new Hono<AdminVariables>()
    .delete('/', needs('webhooks'), async (c) => {
      const id = idOf(c);
      await webhooks.remove(id);
      c.set('change', { action: 'remove-webhook', subject: String(id) });
      return jsonResponse({});
    })
    .post('/test', needs('webhooks'), async (c) => {
      const { id, status, sentence } = await webhooks.test(idOf(c));
      return jsonResponse({ id, isReceived: sentence === null, status, sentence });
    })
    .post('/resume', needs('webhooks'), async (c) => {
      const id = idOf(c);
      await webhooks.resume(id);
      c.set('change', { action: 'resume-webhook', subject: String(id) });
      return jsonResponse({});
    });
  return new Hono<AdminVariables>()
    .get('/', needs('webhooks'), async () => jsonResponse({ webhooks: (await webhooks.list()).map(webhookJson) }))
    .post('/', needs('webhooks'), async (c) => {
      const order = checkedOrder(await jsonRequest(c.req.raw, BODY));
      const { webhook, secret } = await webhooks.add(order, new URL(c.req.url).origin);
      c.set('change', { action: 'add-webhook', subject: `${webhook.id} ${webhook.address}` });
      return jsonResponse({ ...webhookJson(webhook), secret }, { status: 201 });
    })
    .route('/:id', one);
}

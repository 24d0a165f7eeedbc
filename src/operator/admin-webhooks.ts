// Webhooks: POST /admin/webhooks registers one, GET lists them, DELETE /admin/webhooks/<id> removes one; a test, and the end of a
// pause.
import { z } from 'zod';
import { jsonResponse } from '../platform/http/response.ts';
import { WEBHOOKS } from '../platform/limits/webhooks.ts';
import { badParameter } from '../platform/util/errors.ts';
import { findSource, memberSources } from '../sun/catalogue/sources.ts';
import { findEventType } from '../sun/events/event-types.ts';
import { formatIso } from '../sun/time.ts';
import { numberOf } from './admin-audit.ts';
import { type Asked, jsonRequest, operatorRoute } from './admin-scopes.ts';
import type { Webhook, WebhookOrder } from './webhooks/d1-webhooks.ts';

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

const idOf = ({ groups }: Asked) => numberOf('id', groups.id, 0, Number.MAX_SAFE_INTEGER);
const row = (place: string, handle: (asked: Asked) => Promise<Response>) => operatorRoute(place, 'webhooks', handle);

export const webhookRoutes = [
  row('GET /admin/webhooks', async ({ services }) =>
    jsonResponse({ webhooks: (await services.webhooks.list()).map(webhookJson) }),
  ),
  row('POST /admin/webhooks', async ({ services, request, url, changed }) => {
    const order = checkedOrder(await jsonRequest(request, BODY));
    const { webhook, secret } = await services.webhooks.add(order, url.origin);
    changed({ action: 'add-webhook', subject: `${webhook.id} ${webhook.address}` });
    return jsonResponse({ ...webhookJson(webhook), secret }, { status: 201 });
  }),
  row('DELETE /admin/webhooks/:id', async (asked) => {
    const id = idOf(asked);
    await asked.services.webhooks.remove(id);
    asked.changed({ action: 'remove-webhook', subject: String(id) });
    return jsonResponse({});
  }),
  row('POST /admin/webhooks/:id/test', async (asked) => {
    const { id, status, sentence } = await asked.services.webhooks.test(idOf(asked));
    return jsonResponse({ id, isReceived: sentence === null, status, sentence });
  }),
  row('POST /admin/webhooks/:id/resume', async (asked) => {
    const id = idOf(asked);
    await asked.services.webhooks.resume(id);
    asked.changed({ action: 'resume-webhook', subject: String(id) });
    return jsonResponse({});
  }),
];

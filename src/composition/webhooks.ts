// Webhooks: what operators do with them, and what the clock and their queue do.
import { SHARING_VARIABLES } from '../config/settings/sharing.ts';
import { WEBHOOK_VARIABLES } from '../config/settings/webhooks.ts';
import { readVariables } from '../config/variable.ts';
import type { EventService } from '../services/events/event-service.ts';
import { SecretBox } from '../services/sharing/sharing-access.ts';
import { Webhooks } from '../services/webhooks/webhooks.ts';
import { D1AddedImages } from '../storage/images/d1-added-images.ts';
import { D1Webhooks } from '../storage/webhooks/d1-webhooks.ts';
import { postMessage } from '../upstreams/webhook-receiver.ts';
import type { Platform } from './platform.ts';

type Needs = Pick<Platform, 'databases' | 'variables' | 'send' | 'clock' | 'log'>;

export function webhookServices(
  { databases, variables, send, clock, log }: Needs,
  { events }: { readonly events: Pick<EventService, 'eventsBetween'> },
) {
  const { sessionKey, publicOrigin } = readVariables(SHARING_VARIABLES, variables);
  const webhooks = new Webhooks({
    webhooks: new D1Webhooks(databases),
    images: new D1AddedImages(databases),
    events,
    box: sessionKey === null ? null : new SecretBox(sessionKey),
    publicOrigin,
    rules: readVariables(WEBHOOK_VARIABLES, variables),
    post: postMessage,
    send,
    clock,
    log,
  });
  const deliverWebhook: Webhooks['deliver'] = (message, attempt) => webhooks.deliver(message, attempt);
  return { webhooks, sendWebhooks: () => webhooks.run(), deliverWebhook };
}

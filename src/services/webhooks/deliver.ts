// Sends due deliveries and records the results. A delivery is claimed before it is sent, so that one whose result was not recorded is sent
// again under the same id: at least once, never lost.
import { WEBHOOKS } from '../../config/limits/webhooks.ts';
import { type AddressRules, webhookAddress } from '../../domain/webhooks/address.ts';
import { signedHeaders, type WebhookMessage } from '../../domain/webhooks/signature.ts';
import type { Answer, Delivery, Webhook } from '../../domain/webhooks/webhook.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import type { D1Deliveries, Settlement } from '../../storage/webhooks/d1-deliveries.ts';
import type { PostMessage } from '../../upstreams/webhook-receiver.ts';
import { mapConcurrently } from '../../util/concurrency.ts';
import { DAY_MS } from '../../util/durations.ts';
import { backoffMs } from '../../util/retry.ts';
import type { SecretBox } from '../sharing/sharing-access.ts';

interface SendPorts {
  /** Null without SESSION_KEY. */
  readonly box: Pick<SecretBox, 'open'> | null;
  readonly rules: AddressRules;
  readonly post: PostMessage;
  readonly clock: Clock;
}

export interface DeliverPorts extends SendPorts {
  readonly deliveries: Pick<D1Deliveries, 'claim' | 'settle'>;
  readonly log: Log;
}

/** Status of a receiver that is gone for good. */
const GONE = 410;

/** Context that binds the sealed secret of a webhook to its address. */
export const secretContext = ({ address }: Pick<Webhook, 'address'>) => `webhook ${address}`;

/** Signs a message and sends it once. The address is checked each time, because its rules may have changed since it was registered. */
export async function send(ports: SendPorts, webhook: Webhook, message: WebhookMessage): Promise<Answer> {
  const { box, rules, post, clock } = ports;
  const unsent = (sentence: string): Answer => ({ status: null, sentence, retryAfterMs: null });
  const address = webhookAddress(webhook.address, rules);
  if (!address) return unsent('The address is not permitted. Remove the webhook and register another address.');
  const secret = box && (await box.open(webhook.sealedSecret, secretContext(webhook)));
  if (!secret)
    return unsent('The secret cannot be read, because SESSION_KEY has changed. Remove the webhook and register it anew.');
  const nowMs = clock();
  return post(address, { body: message.body, headers: await signedHeaders(secret, message, nowMs), nowMs });
}

/** Sends what is due to these webhooks. One that fails gets no further delivery in this run. @returns the deliveries received */
export async function deliverDue(ports: DeliverPorts, hooks: readonly Webhook[]): Promise<number> {
  const { deliveries, clock } = ports;
  const endsAtMs = clock() + WEBHOOKS.workMs;
  let [left, received] = [WEBHOOKS.sent as number, 0];
  await mapConcurrently(hooks, WEBHOOKS.parallel, async (hook) => {
    for (let sent = 0; sent < WEBHOOKS.sentToOne && left > 0 && clock() < endsAtMs; sent += 1) {
      const delivery = await deliveries.claim(hook.id, clock());
      if (!delivery) return;
      left -= 1;
      const isReceived = await deliver(ports, hook, delivery);
      if (!isReceived) return;
      received += 1;
    }
  });
  return received;
}

async function deliver(ports: DeliverPorts, hook: Webhook, delivery: Delivery): Promise<boolean> {
  const answer = await send(ports, hook, delivery);
  const settlement = settlementOf(hook, delivery, answer, ports.clock());
  await ports.deliveries.settle(delivery, settlement);
  if (settlement.pause !== null) ports.log({ webhook: hook.id, paused: settlement.pause });
  return settlement.state === 'received';
}

/** What follows from an answer: the next attempt, the end of the delivery, a pause of the webhook. */
function settlementOf(hook: Webhook, { attempts, dueAtMs }: Delivery, answer: Answer, nowMs: number): Settlement {
  const { status, retryAfterMs } = answer;
  const sentence = answer.sentence?.slice(0, WEBHOOKS.sentenceCharacters) ?? null;
  const common = { status, sentence, nowMs };
  if (sentence === null) return { ...common, state: 'received', dueAtMs, pause: null };
  const { firstRetryMs, longestRetryMs } = WEBHOOKS;
  const waitMs = Math.max(backoffMs(attempts, firstRetryMs, longestRetryMs), Math.min(retryAfterMs ?? 0, longestRetryMs));
  const state = attempts >= WEBHOOKS.attempts ? 'dead' : 'waiting';
  return { ...common, state, dueAtMs: nowMs + waitMs, pause: pauseOf(hook, answer, nowMs) };
}

function pauseOf({ failingSinceMs }: Webhook, { status, sentence }: Answer, nowMs: number): string | null {
  if (status === GONE) return 'Paused because the receiver says that it is gone (status 410).';
  if (failingSinceMs === null || nowMs - failingSinceMs < WEBHOOKS.pauseMs) return null;
  return `Paused because nothing has been received for ${WEBHOOKS.pauseMs / DAY_MS} days. The last failure: ${sentence}`;
}

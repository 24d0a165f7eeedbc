// Webhooks: what operators do with them, what the clock announces, and the deliveries of their queue. A webhook has one delivery in the queue,
// which is repeated there; its cursors move when that is received, or has failed for good and is a dead letter. At least once, never lost.
import { WEBHOOKS } from '../../platform/limits/webhooks.ts';
import type { Send } from '../../platform/ports/queues.ts';
import type { Clock, Log } from '../../platform/ports/timing.ts';
import { fromBase64, hmacSha256, toBase64 } from '../../platform/util/bytes.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { backoffMs } from '../../platform/util/retry.ts';
import { Service } from '../../platform/util/service.ts';
import { isLoopback, isPlainHttp } from '../../platform/util/url.ts';
import type { SecretBox } from '../../sharing/videos/sharing-access.ts';
import { type AnnouncePorts, delivery, lookAtEvents, newCursors, nextDelivery } from './announce.ts';
import type { Answer, SignedBody, Webhook, WebhookMessage, WebhookOrder } from './webhook.ts';
import type { PostMessage } from './webhook-receiver.ts';

/** The specification allows 24 to 64. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** A new secret: `whsec_` and 32 random bytes in base64. */
const newWebhookSecret = (): string => PREFIX + toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));

/** The headers that identify and sign a message at the time of an attempt. */
async function signedHeaders(secret: string, { id, body }: SignedBody, nowMs: number): Promise<Readonly<Record<string, string>>> {
  const timestamp = Math.floor(nowMs / SECOND_MS);
  const signature = await hmacSha256(fromBase64(secret.slice(PREFIX.length)), `${id}.${timestamp}.${body}`);
  return {
    'Webhook-Id': id,
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': `v1,${toBase64(signature)}`,
  };
}

/** Two labels or more (RFC 1123), the last of which begins with a letter: no IPv4 address in any notation, and no IPv6 address. */
const HOST_NAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Domains that are not in the public DNS: RFC 6761, 6762, 7686, 8375 and 9476, the domain that ICANN reserves for private use, and those
 * that routers and metadata services use. `home.arpa` is in `arpa`, which has no other hosts.
 */
const PRIVATE_DOMAINS =
  'alt arpa corp example home internal intranet invalid lan local localdomain localhost mail onion private test'.split(' ');

interface AddressRules {
  /** Whether http addresses of this machine are permitted as well, at any port. */
  readonly reachesLoopback: boolean;
}

/** Form that `webhookAddress` accepts, for an error. */
const ADDRESS_FORM = `an https address of at most ${WEBHOOKS.addressCharacters} characters with a public host name, without port, credentials and fragment,`;

/** The address of a webhook; null for text that is none, or one that is not permitted. */
export function webhookAddress(text: string, { reachesLoopback }: AddressRules): URL | null {
  const url = text.length <= WEBHOOKS.addressCharacters ? URL.parse(text) : null;
  if (!url || !isPlainHttp(url) || url.hash !== '') return null;
  if (reachesLoopback && url.protocol === 'http:' && isLoopback(url)) return url;
  const isPublic = HOST_NAME.test(url.hostname) && !PRIVATE_DOMAINS.includes(url.hostname.split('.').at(-1)!);
  return url.protocol === 'https:' && url.port === '' && isPublic ? url : null;
}

interface Ports extends AnnouncePorts {
  /** Null without SESSION_KEY. */
  readonly box: SecretBox | null;
  /** For addresses in deliveries; null: that of the request that registers. */
  readonly publicOrigin: string | null;
  readonly rules: AddressRules;
  readonly post: PostMessage;
  readonly send: Send;
  readonly clock: Clock;
  readonly log: Log;
}

/** Status of a receiver that is gone for good. */
const GONE = 410;

const secretContext = ({ address }: Pick<Webhook, 'address'>) => `webhook ${address}`;

export class Webhooks extends Service<Ports> {
  /** Registers a webhook, and returns its secret here alone. @throws Failure `bad-parameter`; `conflict` for one too many; `not-implemented` */
  async add(order: WebhookOrder, requestOrigin: string): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
    const { webhooks, images, box, rules, publicOrigin, clock } = this.ports;
    const url = webhookAddress(order.address, rules);
    if (!url) throw badParameter('address', ADDRESS_FORM, order.address);
    if (!box) throw new Failure('not-implemented', 'Webhooks need SESSION_KEY, which is not set. `npm run deploy` makes it.');
    const address = url.href;
    const secret = newWebhookSecret();
    const webhook = await webhooks.add({
      ...order,
      address,
      origin: publicOrigin ?? requestOrigin,
      sealedSecret: await box.seal(secret, secretContext({ address })),
      createdAtMs: clock(),
      cursors: newCursors(order.sources, await images.lastSequences()),
    });
    if (webhook) return { webhook, secret };
    throw new Failure('conflict', `There are ${WEBHOOKS.count} webhooks, which is the most. Remove one first.`);
  }

  list(): Promise<readonly Webhook[]> {
    return this.ports.webhooks.list();
  }

  /** @throws Failure `unknown-id` */
  async remove(id: number): Promise<void> {
    if (!(await this.ports.webhooks.remove(id))) throw unknownWebhook(id);
  }

  /** Ends a pause. @throws Failure `unknown-id`; `conflict` for a webhook that is not paused */
  async resume(id: number): Promise<void> {
    await this.#find(id);
    if (!(await this.ports.webhooks.resume(id))) throw new Failure('conflict', `Webhook ${id} is not paused.`);
  }

  /** Sends a test message at once, which is neither stored nor repeated. @throws Failure `unknown-id` */
  async test(id: number): Promise<Answer & { readonly id: string }> {
    const hook = await this.#find(id);
    const message = delivery('test', { sentence: 'This is a test of the webhook.', webhook: id }, this.ports.clock());
    return { ...(await this.#post(hook, message)), id: message.id };
  }

  /** A minute's work: announces what is new to webhooks without a delivery in the queue. */
  async run(): Promise<void> {
    const { webhooks, clock } = this.ports;
    await webhooks.keepDeliveries();
    await this.#announce(await webhooks.idle(clock()));
  }

  /**
   * An attempt at a delivery. One that is received, or that its webhook gets again after a pause, is settled; then the next one follows.
   * @param attempt From 1. The last one of `WEBHOOKS.attempts` moves the cursors, and the queue makes a dead letter of the delivery.
   * @returns seconds until the next attempt; null for a settled one
   */
  async deliver(message: WebhookMessage, attempt: number): Promise<number | null> {
    const { webhooks, clock, log } = this.ports;
    const hook = await webhooks.find(message.webhook);
    if (!hook) return null;
    const isNext = JSON.stringify(message.from) === JSON.stringify(hook.cursors);
    const { firstRetryMs, longestRetryMs, lostMs, attempts } = WEBHOOKS;
    const backMs = backoffMs(attempt, firstRetryMs, longestRetryMs);
    if (hook.pausedAtMs !== null) return isNext ? null : backMs / SECOND_MS;
    const answer = await this.#post(hook, message);
    const nowMs = clock();
    const waitMs = Math.max(backMs, Math.min(answer.retryAfterMs ?? 0, longestRetryMs));
    const isReceived = answer.sentence === null;
    const pause = isReceived ? null : pauseOf(hook, answer, nowMs);
    const isOver = isReceived || (attempt >= attempts && pause === null);
    const sentence = pause ?? answer.sentence?.slice(0, WEBHOOKS.sentenceCharacters) ?? null;
    const busyUntilMs = isOver ? 0 : nowMs + waitMs + lostMs;
    await webhooks.settle(message, { sentence, isPaused: pause !== null, isOver, busyUntilMs, nowMs });
    if (pause !== null) log({ webhook: hook.id, paused: pause });
    if (isReceived && isNext) await this.#announce(await webhooks.idle(nowMs, hook.id));
    return isReceived || (pause !== null && isNext) ? null : Math.ceil(waitMs / SECOND_MS);
  }

  async #announce(hooks: readonly Webhook[]): Promise<void> {
    const { webhooks, images, send, clock } = this.ports;
    if (hooks.length === 0) return;
    const watching = hooks.filter(({ eventTypes }) => eventTypes.length > 0);
    const [sequences, looked] = await Promise.all([images.lastSequences(), lookAtEvents(this.ports, watching, clock())]);
    const lastEvent = watching.length > 0 ? await webhooks.lastEvent() : 0;
    const nowMs = clock();
    for (const hook of hooks) {
      const { next, to } = await nextDelivery(this.ports, hook, { sequences, lastEvent, looked, nowMs });
      if (next === null) {
        if (JSON.stringify(to) !== JSON.stringify(hook.cursors)) await webhooks.move(hook, to);
      } else if (await webhooks.reserve(hook, nowMs + WEBHOOKS.lostMs)) {
        const message: WebhookMessage = { kind: 'webhook', webhook: hook.id, ...next, from: hook.cursors, to };
        await send('WEBHOOKS', [message]);
      }
    }
  }

  /** Signs a message and sends it once. The address is checked each time, because its rules may have changed since it was registered. */
  async #post(webhook: Webhook, message: SignedBody): Promise<Answer> {
    const { box, rules, post, clock } = this.ports;
    const unsent = (sentence: string): Answer => ({ status: null, sentence, retryAfterMs: null });
    const address = webhookAddress(webhook.address, rules);
    if (!address) return unsent('The address is not permitted. Remove the webhook and register another address.');
    const secret = box && (await box.open(webhook.sealedSecret, secretContext(webhook)));
    if (!secret)
      return unsent('The secret cannot be read, because SESSION_KEY has changed. Remove the webhook and register it anew.');
    const nowMs = clock();
    return post(address, { body: message.body, headers: await signedHeaders(secret, message, nowMs), nowMs });
  }

  async #find(id: number): Promise<Webhook> {
    const hook = await this.ports.webhooks.find(id);
    if (!hook) throw unknownWebhook(id);
    return hook;
  }
}

function pauseOf({ failingSinceMs }: Webhook, { status, sentence }: Answer, nowMs: number): string | null {
  if (status === GONE) return 'Paused because the receiver says that it is gone (status 410).';
  if (failingSinceMs === null || nowMs - failingSinceMs < WEBHOOKS.pauseMs) return null;
  return `Paused because nothing has been received for ${WEBHOOKS.pauseMs / DAY_MS} days. The last failure: ${sentence}`;
}

const unknownWebhook = (id: number) => new Failure('unknown-id', `No webhook has the number ${id}.`, { parameter: 'id' });

// Webhooks: what operators do with them, what the clock announces, and the deliveries of their queue. A webhook has one delivery in the queue,
// which is repeated there; its cursors move when that is received, or has failed for good and is a dead letter. At least once, never lost.
import { listedAddresses, viewAddress } from '../../archive/image-addresses.ts';
import type { D1ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import type { ListedImage } from '../../archive/ports.ts';
import type { EventService } from '../../events/event-service.ts';
import { WEBHOOKS } from '../../platform/limits/webhooks.ts';
import type { Send } from '../../platform/ports/queues.ts';
import type { Clock, Log } from '../../platform/ports/timing.ts';
import { sequenceOf, shardOfSource } from '../../platform/storage/shards.ts';
import { fromBase64, hmacSha256, jsonBytes, randomHex, toBase64 } from '../../platform/util/bytes.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { badParameter, Failure, traceOf } from '../../platform/util/errors.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { backoffMs, retryAfterMs } from '../../platform/util/retry.ts';
import { Service } from '../../platform/util/service.ts';
import { isLoopback, isPlainHttp } from '../../platform/util/url.ts';
import type { SecretBox } from '../../sharing/videos/sharing-access.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { EVENT_SOURCES, type EventSource, findEventType } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { formatExact } from '../../sun/time.ts';
import type {
  Answer,
  D1Webhooks,
  KnownEvent,
  ShardCursor,
  SignedBody,
  Webhook,
  WebhookCursors,
  WebhookMessage,
  WebhookOrder,
} from './d1-webhooks.ts';

interface Latest {
  /** Rejects while an image database does not respond. */
  readonly sequences: Promise<ReadonlyMap<number, number>>;
  readonly lastEvent: number;
  /** Types of events whose sources have just answered. */
  readonly looked: ReadonlySet<string>;
  readonly nowMs: number;
}

const ID_BYTES = 16;

export const delivery = (type: string, data: Readonly<Record<string, unknown>>, nowMs: number): SignedBody => ({
  id: `msg_${randomHex(ID_BYTES)}`,
  body: JSON.stringify({ type, timestamp: formatExact(nowMs), data }),
});

/** Cursors of a new webhook, which is told of nothing that is there already. */
function newCursors(sources: readonly number[], lastSequences: ReadonlyMap<number, number>): WebhookCursors {
  const shards = [...new Set(sources.map(shardOfSource))].map((shard) => [shard, cursorAt(lastSequences.get(shard) ?? 0)]);
  return { shards: Object.fromEntries(shards), events: { announced: null, lookedAtMs: 0 } };
}

const cursorAt = (sequence: number): ShardCursor => ({ announced: sequence, seen: sequence, seenAtMs: 0 });

/** The next delivery of a webhook, of events before images, and its cursors behind it; null where nothing is new. */
async function nextDelivery(ports: Ports, hook: Webhook, latest: Latest) {
  const { shards } = hook.cursors;
  const ofEvents = await newEvents(ports, hook, latest);
  if (ofEvents.events.length > 0) {
    const next = delivery('events.added', { events: ofEvents.events }, latest.nowMs);
    return { next, to: { shards, events: ofEvents.cursor } };
  }
  const ofImages = await newImages(ports, hook, latest);
  const { images } = ofImages;
  const next = images.length > 0 ? delivery('images.added', { images }, latest.nowMs) : null;
  return { next, to: { shards: ofImages.shards, events: ofEvents.cursor } };
}

/** The first of the items that are found for which a delivery has room beside others: at least one where there is no other. */
function fitting<Found extends { readonly item: object }>(
  found: readonly Found[],
  others: readonly object[] = [],
): readonly Found[] {
  const isTooLarge = (some: readonly Found[]) =>
    others.length + some.length > 1 && jsonBytes([...others, ...some.map(({ item }) => item)]).length > WEBHOOKS.bytes;
  let fit = found;
  while (fit.length > 0 && isTooLarge(fit)) fit = fit.slice(0, fit.length >> 1);
  return fit;
}

/** The settled images after the cursors of the shards, and the moved cursors. */
async function newImages({ images: added }: Ports, hook: Webhook, { sequences, nowMs }: Latest) {
  const images: object[] = [];
  const shards: Record<string, ShardCursor> = {};
  for (const [shard, sources] of Map.groupBy(hook.sources, shardOfSource)) {
    const last = (await sequences).get(shard) ?? 0;
    const cursor = hook.cursors.shards[shard] ?? cursorAt(last);
    let { announced } = cursor;
    const limit = WEBHOOKS.items - images.length;
    if (cursor.seen > announced && nowMs - cursor.seenAtMs >= WEBHOOKS.settleMs && limit > 0) {
      const found = await added.added({ sources, after: announced, through: cursor.seen, limit });
      const fit = fitting(
        found.map((image) => ({ id: image.id, item: imageItem(image, hook.origin) })),
        images,
      );
      images.push(...fit.map(({ item }) => item));
      const isWhole = found.length < limit && fit.length === found.length;
      announced = isWhole ? cursor.seen : fit.length > 0 ? sequenceOf(fit.at(-1)!.id) : announced;
    }
    const isSeen = announced === cursor.seen && last > cursor.seen;
    shards[shard] = isSeen ? { announced, seen: last, seenAtMs: nowMs } : { ...cursor, announced };
  }
  return { images, shards };
}

/** The events after the cursor, and the moved cursor. It begins after the first answer of a source, which has what is there already. */
async function newEvents({ webhooks }: Ports, hook: Webhook, { lastEvent, looked, nowMs }: Latest) {
  const { eventTypes } = hook;
  const cursor = hook.cursors.events;
  const isLooked = eventTypes.length > 0 && eventTypes.every((pin) => looked.has(pin));
  const lookedAtMs = isLooked ? nowMs : cursor.lookedAtMs;
  const isBegun = eventTypes.some((pin) => looked.has(pin));
  if (cursor.announced === null) return { events: [], cursor: { announced: isBegun ? lastEvent : null, lookedAtMs } };
  if (lastEvent <= cursor.announced) return { events: [], cursor: { ...cursor, lookedAtMs } };
  const found = await webhooks.eventsAfter(cursor.announced, eventTypes, WEBHOOKS.items);
  const fit = fitting(found);
  const announced = found.length < WEBHOOKS.items && fit.length === found.length ? lastEvent : fit.at(-1)!.number;
  return { events: fit.map(({ item }) => item), cursor: { announced, lookedAtMs } };
}

function imageItem(image: ListedImage, origin: string) {
  const { id, sourceId, takenAtMs, fileName, byteLength, sha256 } = image;
  return {
    id,
    sourceId,
    name: findSource(sourceId)?.nickname ?? String(sourceId),
    date: formatExact(takenAtMs),
    file: fileName,
    size: byteLength,
    sha256,
    ...listedAddresses(image, origin),
    page: viewAddress(origin, sourceId, takenAtMs),
  };
}

/** Remembers the events of the types of these webhooks, when a look is due. @returns the types whose sources have answered */
async function lookAtEvents(
  { events, webhooks }: Ports,
  hooks: readonly Pick<Webhook, 'eventTypes' | 'cursors'>[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if (!hooks.some(({ cursors }) => nowMs - cursors.events.lookedAtMs >= WEBHOOKS.eventsEveryMs)) return new Set();
  const pins = new Set(hooks.flatMap(({ eventTypes }) => eventTypes));
  const sources = EVENT_SOURCES.filter((source) => [...pins].some((pin) => findEventType(pin)?.source === source));
  const startMs = nowMs - WEBHOOKS.eventsBackMs;
  const isWatched = ({ pin, source }: SolarEvent) => pins.has(pin) && findEventType(pin)?.source === source;
  const pick = (event: SolarEvent) => (isWatched(event) && event.startMs >= startMs ? knownEvent(event) : null);
  const found = await events.eventsBetween({ startMs, endMs: nowMs }, sources, pick);
  await webhooks.addEvents(found.events, nowMs);
  const answered = new Set<EventSource>(found.states.filter(({ state }) => state !== 'failed').map(({ source }) => source));
  return new Set([...pins].filter((pin) => answered.has(findEventType(pin)!.source)));
}

function knownEvent({ source, pin, id, group, shortLabel, label, startMs, endMs, peakMs, link }: SolarEvent): KnownEvent {
  const item = {
    id,
    source,
    type: pin,
    name: findEventType(pin)?.concept ?? pin,
    method: group.name.slice(0, WEBHOOKS.labelCharacters),
    label: (shortLabel || label).slice(0, WEBHOOKS.labelCharacters),
    start: formatExact(startMs),
    end: formatExact(endMs),
    peak: peakMs === null ? null : formatExact(peakMs),
    page: link?.url ?? null,
  };
  return { key: `${source} ${pin} ${id}`, pin, item };
}

/** Never rejects. */
export async function postMessage(
  address: URL,
  { body, headers, nowMs }: { readonly body: string; readonly headers: Readonly<Record<string, string>>; readonly nowMs: number },
  responseMs: number = WEBHOOKS.responseMs,
): Promise<Answer> {
  const signal = AbortSignal.timeout(responseMs);
  try {
    const response = await fetch(address, {
      method: 'POST',
      body,
      headers: { ...headers, 'Content-Type': 'application/json', 'User-Agent': SERVICE_NAME },
      redirect: 'manual',
      signal,
    });
    // The body may be endless, and its connection may fail while it is discarded.
    await response.body?.cancel().catch(() => undefined);
    const { status } = response;
    if (response.ok) return { status, sentence: null, retryAfterMs: null };
    const isRedirect = status >= 300 && status < 400;
    const sentence = isRedirect
      ? `The receiver redirects (status ${status}), which is not followed.`
      : `The receiver responded with status ${status}.`;
    return { status, sentence, retryAfterMs: retryAfterMs(response.headers.get('Retry-After'), nowMs) };
  } catch {
    const sentence = signal.aborted
      ? `The receiver did not respond within ${responseMs / SECOND_MS} seconds.`
      : 'The receiver could not be reached, or closed the connection.';
    return { status: null, sentence, retryAfterMs: null };
  }
}

/** The specification allows 24 to 64. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

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

/** Form that `webhookAddress` accepts, for an error. */
const ADDRESS_FORM = `an https address of at most ${WEBHOOKS.addressCharacters} characters with a public host name, without port, credentials and fragment,`;

/** The address of a webhook; null for text that is none, or one that is not permitted. */
export function webhookAddress(text: string, { reachesLoopback }: Pick<Ports, 'reachesLoopback'>): URL | null {
  const url = text.length <= WEBHOOKS.addressCharacters ? URL.parse(text) : null;
  if (!url || !isPlainHttp(url) || url.hash !== '') return null;
  if (reachesLoopback && url.protocol === 'http:' && isLoopback(url)) return url;
  const isPublic = HOST_NAME.test(url.hostname) && !PRIVATE_DOMAINS.includes(url.hostname.split('.').at(-1)!);
  return url.protocol === 'https:' && url.port === '' && isPublic ? url : null;
}

interface Ports {
  readonly images: Pick<D1ImageIndex, 'added' | 'lastSequences'>;
  readonly webhooks: D1Webhooks;
  readonly events: Pick<EventService, 'eventsBetween'>;
  /** Null without SESSION_KEY. */
  readonly box: SecretBox | null;
  /** For addresses in deliveries; null: that of the request that registers. */
  readonly publicOrigin: string | null;
  /** Whether http addresses of this machine are permitted as well, at any port. */
  readonly reachesLoopback: boolean;
  readonly post: typeof postMessage;
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
    const { webhooks, box, publicOrigin, clock } = this.ports;
    const url = webhookAddress(order.address, this.ports);
    if (!url) throw badParameter('address', ADDRESS_FORM, order.address);
    if (!box) throw new Failure('not-implemented', 'Webhooks need SESSION_KEY, which is not set. `npm run deploy` makes it.');
    const address = url.href;
    const secret = PREFIX + toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
    const webhook = await webhooks.add({
      ...order,
      address,
      origin: publicOrigin ?? requestOrigin,
      sealedSecret: await box.seal(secret, secretContext({ address })),
      createdAtMs: clock(),
      cursors: newCursors(order.sources, await this.#lastSequences([order])),
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
    const active = await webhooks.active();
    await this.#announce(active.filter(isIdle(clock())), active);
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
    const isRecorded = await webhooks.settle(message, hook, { sentence, isPaused: pause !== null, isOver, busyUntilMs, nowMs });
    const isPaused = pause !== null && isRecorded;
    if (isPaused) log({ webhook: hook.id, paused: pause });
    if (isReceived && isNext) {
      // What fails here is announced by a later look, while this message would be sent again.
      const failed = (error: unknown) => log({ webhook: hook.id, failed: traceOf(error) });
      await webhooks
        .active()
        .then((hooks) => this.#announce(hooks.filter(({ id }) => id === hook.id).filter(isIdle(nowMs))))
        .catch(failed);
    }
    return isReceived || (isPaused && isNext) ? null : Math.ceil(waitMs / SECOND_MS);
  }

  /** The last sequences of the shards; none for webhooks of events alone. */
  async #lastSequences(hooks: readonly Pick<Webhook, 'sources'>[]): Promise<ReadonlyMap<number, number>> {
    return hooks.some(({ sources }) => sources.length > 0) ? this.ports.images.lastSequences() : new Map();
  }

  /**
   * Announces what is new to each of these webhooks, also after one fails. @throws the last failure
   * @param active Webhooks for whose types events are looked up: of those with a delivery in the queue as well, before the events are too old
   */
  async #announce(hooks: readonly Webhook[], active = hooks): Promise<void> {
    const { webhooks, clock, log } = this.ports;
    const watching = active.filter(({ eventTypes }) => eventTypes.length > 0);
    if (hooks.length + watching.length === 0) return;
    const sequences = this.#lastSequences(hooks);
    const [looked] = await Promise.all([lookAtEvents(this.ports, watching, clock()), sequences.catch(() => undefined)]);
    const lastEvent = watching.length > 0 ? await webhooks.lastEvent() : 0;
    const latest = { sequences, lastEvent, looked, nowMs: clock() };
    const failures: unknown[] = [];
    for (const hook of hooks) {
      await this.#announceTo(hook, latest).catch((error: unknown) => {
        log({ webhook: hook.id, failed: traceOf(error) });
        failures.push(error);
      });
    }
    if (failures.length > 0) throw failures.at(-1);
  }

  async #announceTo(hook: Webhook, latest: Latest): Promise<void> {
    const { webhooks, send } = this.ports;
    const { next, to } = await nextDelivery(this.ports, hook, latest);
    if (next === null) {
      if (JSON.stringify(to) !== JSON.stringify(hook.cursors)) await webhooks.move(hook, to);
    } else if (await webhooks.reserve(hook, latest.nowMs + WEBHOOKS.lostMs)) {
      const message: WebhookMessage = { kind: 'webhook', webhook: hook.id, ...next, from: hook.cursors, to };
      await send('WEBHOOKS', [message]);
    }
  }

  /** Signs a message and sends it once. The address is checked each time, because its rules may have changed since it was registered. */
  async #post(webhook: Webhook, message: SignedBody): Promise<Answer> {
    const { box, post, clock } = this.ports;
    const unsent = (sentence: string): Answer => ({ status: null, sentence, retryAfterMs: null });
    const address = webhookAddress(webhook.address, this.ports);
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

/** Whether a webhook has no delivery in the queue. */
const isIdle =
  (nowMs: number) =>
  ({ busyUntilMs }: Webhook): boolean =>
    busyUntilMs <= nowMs;

const unknownWebhook = (id: number) => new Failure('unknown-id', `No webhook has the number ${id}.`, { parameter: 'id' });

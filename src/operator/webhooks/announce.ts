// What is new for a webhook, by cursors over the numbers of images and events, so that nothing is lost when a run ends early.
import { listedAddresses, viewAddress } from '../../archive/image-addresses.ts';
import type { D1AddedImages } from '../../archive/image-index/d1-added-images.ts';
import type { ListedImage } from '../../archive/ports.ts';
import type { EventService } from '../../events/event-service.ts';
import { WEBHOOKS } from '../../platform/limits/webhooks.ts';
import { sequenceOf, shardOfSource } from '../../platform/storage/shards.ts';
import { jsonBytes, randomHex } from '../../platform/util/bytes.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { EVENT_SOURCES, type EventSource, findEventType } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { formatExact } from '../../sun/time.ts';
import type { D1Webhooks, KnownEvent } from './d1-webhooks.ts';
import type { ShardCursor, SignedBody, Webhook, WebhookCursors } from './webhook.ts';

export interface AnnouncePorts {
  readonly images: D1AddedImages;
  readonly webhooks: D1Webhooks;
  readonly events: Pick<EventService, 'eventsBetween'>;
}

interface Latest {
  readonly sequences: ReadonlyMap<number, number>;
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
export function newCursors(sources: readonly number[], lastSequences: ReadonlyMap<number, number>): WebhookCursors {
  const shards = [...new Set(sources.map(shardOfSource))].map((shard) => [shard, cursorAt(lastSequences.get(shard) ?? 0)]);
  return { shards: Object.fromEntries(shards), events: { announced: null, lookedAtMs: 0 } };
}

const cursorAt = (sequence: number): ShardCursor => ({ announced: sequence, seen: sequence, seenAtMs: 0 });

/** The next delivery of a webhook, of events before images, and its cursors behind it; null where nothing is new. */
export async function nextDelivery(
  ports: AnnouncePorts,
  hook: Webhook,
  latest: Latest,
): Promise<{ readonly next: SignedBody | null; readonly to: WebhookCursors }> {
  const { shards } = hook.cursors;
  const ofEvents = await newEvents(ports, hook, latest, WEBHOOKS.items);
  if (ofEvents.events.length > 0) {
    const next = delivery('events.added', { events: ofEvents.events }, latest.nowMs);
    return { next, to: { shards, events: ofEvents.cursor } };
  }
  const ofImages = await newImages(ports, hook, latest);
  const images = ofImages.images.map((image) => imageItem(image, hook.origin));
  const next = images.length > 0 ? delivery('images.added', { images }, latest.nowMs) : null;
  return { next, to: { shards: ofImages.shards, events: ofEvents.cursor } };
}

/** The settled images after the cursors of the shards, and the moved cursors. */
async function newImages({ images: added }: AnnouncePorts, hook: Webhook, { sequences, nowMs }: Latest) {
  const images: ListedImage[] = [];
  const shards: Record<string, ShardCursor> = {};
  for (const [shard, sources] of Map.groupBy(hook.sources, shardOfSource)) {
    const last = sequences.get(shard) ?? 0;
    const cursor = hook.cursors.shards[shard] ?? cursorAt(last);
    let { announced } = cursor;
    const limit = WEBHOOKS.items - images.length;
    if (cursor.seen > announced && nowMs - cursor.seenAtMs >= WEBHOOKS.settleMs && limit > 0) {
      const found = await added.added({ sources, after: announced, through: cursor.seen, limit });
      images.push(...found);
      announced = found.length < limit ? cursor.seen : sequenceOf(found.at(-1)!.id);
    }
    const isSeen = announced === cursor.seen && last > cursor.seen;
    shards[shard] = isSeen ? { announced, seen: last, seenAtMs: nowMs } : { ...cursor, announced };
  }
  return { images, shards };
}

/** The events after the cursor, and the moved cursor. It begins after the first look, which finds what is there already. */
async function newEvents({ webhooks }: AnnouncePorts, hook: Webhook, { lastEvent, looked, nowMs }: Latest, limit: number) {
  const { eventTypes } = hook;
  const cursor = hook.cursors.events;
  const isLooked = eventTypes.length > 0 && eventTypes.every((pin) => looked.has(pin));
  const lookedAtMs = isLooked ? nowMs : cursor.lookedAtMs;
  if (cursor.announced === null) return { events: [], cursor: { announced: isLooked ? lastEvent : null, lookedAtMs } };
  if (lastEvent <= cursor.announced) return { events: [], cursor: { ...cursor, lookedAtMs } };
  const found = await webhooks.eventsAfter(cursor.announced, eventTypes, limit);
  const isCut = () => jsonBytes(found.map(({ item }) => item)).length > WEBHOOKS.bytes;
  const whole = found.length;
  while (found.length > 1 && isCut()) found.length = Math.ceil(found.length / 2);
  const announced = whole < limit && found.length === whole ? lastEvent : found.at(-1)!.number;
  return { events: found.map(({ item }) => item), cursor: { announced, lookedAtMs } };
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
export async function lookAtEvents(
  { events, webhooks }: AnnouncePorts,
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

// Finds out what is new for each webhook and adds deliveries of it. What is new follows from cursors over the numbers of images and events,
// whatever added them: an upload, the mirror, files in the bucket. So nothing is lost when a run ends early, and nothing is announced twice.
import { WEBHOOKS } from '../../config/limits/webhooks.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import { sequenceOf, shardOfSource } from '../../domain/shards.ts';
import { formatExact } from '../../domain/time.ts';
import type { NewDelivery, ShardCursor, Webhook, WebhookCursors } from '../../domain/webhooks/webhook.ts';
import type { ListedImage } from '../../ports/images.ts';
import type { Clock } from '../../ports/timing.ts';
import type { D1AddedImages } from '../../storage/images/d1-added-images.ts';
import type { D1Deliveries } from '../../storage/webhooks/d1-deliveries.ts';
import type { D1KnownEvents } from '../../storage/webhooks/d1-known-events.ts';
import type { D1Webhooks } from '../../storage/webhooks/d1-webhooks.ts';
import { randomHex } from '../../util/bytes.ts';
import { listedAddresses, viewAddress } from '../images/image-addresses.ts';
import type { NewEvents } from './new-events.ts';

export interface AnnouncePorts {
  readonly webhooks: Pick<D1Webhooks, 'announce'>;
  readonly deliveries: Pick<D1Deliveries, 'counts'>;
  readonly images: D1AddedImages;
  readonly knownEvents: Pick<D1KnownEvents, 'after' | 'last'>;
  readonly newEvents: NewEvents;
  readonly clock: Clock;
}

const ID_BYTES = 16;

/** `items` under the name that they have in `data`. */
export function delivery(
  type: NewDelivery['type'],
  data: Readonly<Record<string, unknown>>,
  { items, nowMs }: { readonly items: number; readonly nowMs: number },
): NewDelivery {
  const body = JSON.stringify({ type, timestamp: formatExact(nowMs), data });
  return { id: `msg_${randomHex(ID_BYTES)}`, type, items, body };
}

/** Cursors of a new webhook, which is told of nothing that is there already. */
export function newCursors(sources: readonly number[], lastSequences: ReadonlyMap<number, number>): WebhookCursors {
  const shards = [...new Set(sources.map(shardOfSource))].map((shard) => [shard, cursorAt(lastSequences.get(shard) ?? 0)]);
  return { shards: Object.fromEntries(shards), events: { announced: null, lookedAtMs: 0 } };
}

const cursorAt = (sequence: number): ShardCursor => ({ announced: sequence, seen: sequence, seenAtMs: 0 });

/** Adds deliveries of what is new for these webhooks. @returns the images and events announced */
export async function announceNews(ports: AnnouncePorts, hooks: readonly Webhook[]): Promise<number> {
  const { deliveries, images, knownEvents, newEvents } = ports;
  if (hooks.length === 0) return 0;
  const [counts, sequences, looked] = await Promise.all([
    deliveries.counts(),
    images.lastSequences(),
    newEvents.look(hooks.filter(({ eventTypes }) => eventTypes.length > 0)),
  ]);
  const lastEvent = hooks.some(({ eventTypes }) => eventTypes.length > 0) ? await knownEvents.last() : 0;
  let announced = 0;
  for (const hook of hooks) {
    const room = WEBHOOKS.waiting - (counts.get(hook.id)?.waiting ?? 0);
    // A delivery of images and one of events may both be partly filled.
    const most = Math.min(WEBHOOKS.itemsPerMinute, WEBHOOKS.items * (room - 1));
    if (most > 0) announced += await announceTo(ports, hook, { most, sequences, lastEvent, looked });
  }
  return announced;
}

interface News {
  /** Images and events. */
  readonly most: number;
  readonly sequences: ReadonlyMap<number, number>;
  readonly lastEvent: number;
  /** Types of events whose sources have just answered. */
  readonly looked: ReadonlySet<string>;
}

async function announceTo(ports: AnnouncePorts, hook: Webhook, news: News): Promise<number> {
  const nowMs = ports.clock();
  const { images, shards } = await newImages(ports, hook, news);
  const { events, cursor } = await eventsFor(ports, hook, news, news.most - images.length);
  const ofImages = pagesOf(images).map((page) => {
    return delivery(
      'images.added',
      { images: page.map((image) => imageItem(image, hook.origin)) },
      { items: page.length, nowMs },
    );
  });
  const ofEvents = pagesOf(events).map((page) => delivery('events.added', { events: page }, { items: page.length, nowMs }));
  const moved = { shards, events: cursor };
  if (JSON.stringify(moved) !== JSON.stringify(hook.cursors)) {
    await ports.webhooks.announce(hook, [...ofImages, ...ofEvents], moved, nowMs);
  }
  return images.length + events.length;
}

/** The settled images after the cursors of the shards, and the moved cursors. */
async function newImages({ images: added, clock }: AnnouncePorts, hook: Webhook, { most, sequences }: News) {
  const nowMs = clock();
  const images: ListedImage[] = [];
  const shards: Record<string, ShardCursor> = {};
  for (const [shard, sources] of Map.groupBy(hook.sources, shardOfSource)) {
    const last = sequences.get(shard) ?? 0;
    const cursor = hook.cursors.shards[shard] ?? cursorAt(last);
    let { announced } = cursor;
    const limit = most - images.length;
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
async function eventsFor({ knownEvents, clock }: AnnouncePorts, hook: Webhook, { lastEvent, looked }: News, limit: number) {
  const { eventTypes } = hook;
  const cursor = hook.cursors.events;
  const isLooked = eventTypes.length > 0 && eventTypes.every((pin) => looked.has(pin));
  const lookedAtMs = isLooked ? clock() : cursor.lookedAtMs;
  if (cursor.announced === null) {
    return { events: [], cursor: { announced: isLooked ? lastEvent : null, lookedAtMs } };
  }
  if (limit <= 0 || lastEvent <= cursor.announced) return { events: [], cursor: { ...cursor, lookedAtMs } };
  const found = await knownEvents.after(cursor.announced, eventTypes, limit);
  const announced = found.length < limit ? lastEvent : found.at(-1)!.number;
  return { events: found.map(({ item }) => item), cursor: { announced, lookedAtMs } };
}

function pagesOf<T>(items: readonly T[]): (readonly T[])[] {
  const pages = Math.ceil(items.length / WEBHOOKS.items);
  return Array.from({ length: pages }, (_, i) => items.slice(i * WEBHOOKS.items, (i + 1) * WEBHOOKS.items));
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

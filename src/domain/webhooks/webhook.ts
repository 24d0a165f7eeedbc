// Webhooks, what they have been told of, and their deliveries.

/** What an operator registers. */
export interface WebhookOrder {
  readonly address: string;
  /** Datasources whose new images are announced. */
  readonly sources: readonly number[];
  /** Pins of the types whose new events are announced. */
  readonly eventTypes: readonly string[];
}

/** How far the images of a shard are announced: sequence numbers of its images. */
export interface ShardCursor {
  /** The last one that is announced. */
  readonly announced: number;
  /** The last one of the shard when it was looked at, and when that was. */
  readonly seen: number;
  readonly seenAtMs: number;
}

export interface WebhookCursors {
  /** By shard. */
  readonly shards: Readonly<Record<string, ShardCursor>>;
  /** Number of the last event that is announced, and when the sources were asked; null before they have answered. */
  readonly events: { readonly announced: number | null; readonly lookedAtMs: number };
}

export interface Webhook extends WebhookOrder {
  readonly id: number;
  /** Origin of the addresses in its deliveries. */
  readonly origin: string;
  readonly sealedSecret: string;
  readonly createdAtMs: number;
  /** Null while it is active. */
  readonly pausedAtMs: number | null;
  /** Time of the first failure since the last received delivery; null without one. */
  readonly failingSinceMs: number | null;
  readonly receivedAtMs: number | null;
  /** The last failure since the last received delivery, or why it is paused. */
  readonly sentence: string | null;
  readonly cursors: WebhookCursors;
}

export type DeliveryState = 'waiting' | 'received' | 'dead';

export const DELIVERY_STATES = ['waiting', 'received', 'dead'] as const satisfies readonly DeliveryState[];

export type DeliveryType = 'images.added' | 'events.added' | 'test';

export interface NewDelivery {
  readonly id: string;
  readonly type: DeliveryType;
  readonly items: number;
  /** JSON; empty when it has been received. */
  readonly body: string;
}

export interface Delivery extends NewDelivery {
  readonly webhookId: number;
  readonly state: DeliveryState;
  readonly createdAtMs: number;
  readonly attempts: number;
  /** Time of the next attempt, and of the last one. */
  readonly dueAtMs: number;
  readonly triedAtMs: number | null;
  /** Of the last response; null without one. */
  readonly status: number | null;
  readonly sentence: string | null;
}

/** What a receiver said. */
export interface Answer {
  /** Null without a response. */
  readonly status: number | null;
  /** Why the delivery is not received; null for a received one. */
  readonly sentence: string | null;
  /** Milliseconds of Retry-After; null without it. */
  readonly retryAfterMs: number | null;
}

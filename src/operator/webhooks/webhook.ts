// Webhooks, what they have been told of, and the messages of their queue.
import { isJsonObject } from '../../platform/util/bytes.ts';

export interface WebhookOrder {
  readonly address: string;
  /** Datasources whose new images are announced. */
  readonly sources: readonly number[];
  /** Pins of the types whose new events are announced. */
  readonly eventTypes: readonly string[];
}

/** Place in the images of a shard up to which they are announced: sequence numbers. */
export interface ShardCursor {
  /** The last one that is announced. */
  readonly announced: number;
  /** Newest sequence number of the shard at the last look. */
  readonly seen: number;
  readonly seenAtMs: number;
}

export interface WebhookCursors {
  readonly shards: Readonly<Record<string, ShardCursor>>;
  /** Number of the last event that is announced, and when the sources were asked; null before they have answered. */
  readonly events: { readonly announced: number | null; readonly lookedAtMs: number };
}

export interface Webhook extends WebhookOrder {
  readonly id: number;
  readonly origin: string;
  readonly sealedSecret: string;
  readonly createdAtMs: number;
  readonly pausedAtMs: number | null;
  /** Time of the first failure since the last received delivery; null without one. */
  readonly failingSinceMs: number | null;
  readonly receivedAtMs: number | null;
  /** The last failure since the last received delivery, or why it is paused. */
  readonly sentence: string | null;
  readonly cursors: WebhookCursors;
  /** While it has a delivery in the queue: when that counts as lost. */
  readonly busyUntilMs: number;
}

export interface SignedBody {
  /** Stays the same at every attempt. */
  readonly id: string;
  readonly body: string;
}

/** A delivery in the queue. The webhook has one at a time, whose result moves its cursors. */
export interface WebhookMessage extends SignedBody {
  readonly kind: 'webhook';
  readonly webhook: number;
  /** Cursors of the webhook before and after it. Unset: one that an earlier version has left. */
  readonly from?: WebhookCursors;
  readonly to?: WebhookCursors;
}

export const isWebhookMessage = (body: unknown): body is WebhookMessage =>
  isJsonObject(body) && body.kind === 'webhook' && [body.id, body.body].every((text) => typeof text === 'string');

export interface Answer {
  /** Null without a response. */
  readonly status: number | null;
  /** Why the delivery is not received; null for a received one. */
  readonly sentence: string | null;
  /** Milliseconds of Retry-After; null without it. */
  readonly retryAfterMs: number | null;
}

// The queues to which the service sends messages.

/** `JOBS`: nudges of movies. `LONG_JOBS`: work that may take minutes, a message an invocation. `OBJECTS`: notifications of the bucket.
 * `WEBHOOKS`: deliveries. */
type QueueName = 'JOBS' | 'LONG_JOBS' | 'OBJECTS' | 'WEBHOOKS';

/** Sends messages, to be delivered in `delaySeconds`, at once unless given. */
export type Send = (queue: QueueName, messages: readonly unknown[], delaySeconds?: number) => Promise<void>;

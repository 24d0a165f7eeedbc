import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../util/durations.ts';

export const WEBHOOKS = {
  /** Webhooks of the service. Each minute looks at the shards of each: a call for each that has new images. */
  count: 16,
  /** Sources and types of events of one. */
  sources: 16,
  eventTypes: 40,
  addressCharacters: 500,
  /** Bytes of the body of a registration. */
  requestBytes: 4096,
  /** Images or events of a delivery, and its bytes: a message of a queue has up to 128,000. */
  items: 100,
  bytes: 100_000,
  /** Milliseconds after which every image with a lower number has its row: numbers are issued before rows are added. */
  settleMs: 45 * SECOND_MS,
  /** Attempts at a delivery, over 18 hours; milliseconds before the second one, doubled before each further one, and the longest. */
  attempts: 24,
  firstRetryMs: MINUTE_MS,
  longestRetryMs: HOUR_MS,
  responseMs: 10 * SECOND_MS,
  /** Milliseconds after which an attempt without a result counts as lost, and its items are sent again. */
  lostMs: 10 * MINUTE_MS,
  /** Milliseconds of failures without a received delivery after which a webhook is paused. */
  pauseMs: 3 * DAY_MS,
  sentenceCharacters: 300,
  /** Milliseconds between two looks at the sources of events, and how long an event may have begun before its source reports it. */
  eventsEveryMs: 5 * MINUTE_MS,
  eventsBackMs: 2 * DAY_MS,
  /** Reported events that are remembered: 10 MB at most. Milliseconds, longer than events are looked for. */
  knownEvents: 20_000,
  knownEventMs: 3 * DAY_MS,
  eventsPerStatement: 500,
  labelCharacters: 200,
} as const;

// Limits of webhooks: how many there are, what they store, how long a delivery is tried.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../util/durations.ts';

export const WEBHOOKS = {
  /** Webhooks of the service. Each minute looks at the shards of each: a call for each that has new images. */
  count: 16,
  /** Sources and types of events of one. */
  sources: 16,
  eventTypes: 40,
  /** Characters of an address. */
  addressCharacters: 500,
  /** Bytes of the body of a registration. */
  requestBytes: 4096,
  /** Images or events of a delivery: at most 80 kB. */
  items: 100,
  /** Images or events that one webhook is told of in a minute: the ten deliveries that a minute sends to it. */
  itemsPerMinute: 1000,
  /**
   * Deliveries of one webhook that wait, that have failed for good and that have been received. While so many wait, none is added: what is
   * new is announced later. Of the others the oldest are deleted.
   */
  waiting: 100,
  dead: 100,
  received: 100,
  /** Milliseconds for which received and failed deliveries are kept. */
  receivedMs: 7 * DAY_MS,
  deadMs: 30 * DAY_MS,
  /** Milliseconds after which every image with a lower number has its row: numbers are issued before rows are added. */
  settleMs: 45 * SECOND_MS,
  /** Attempts at a delivery, over 20 hours; milliseconds before the second one, doubled before each further one, and the longest. */
  attempts: 12,
  firstRetryMs: MINUTE_MS,
  longestRetryMs: 6 * HOUR_MS,
  /** Milliseconds for the response of a receiver. */
  responseMs: 10 * SECOND_MS,
  /** Milliseconds after which a delivery whose result was not recorded is sent again. */
  leaseMs: 2 * MINUTE_MS,
  /** Deliveries sent in a minute, of all webhooks and of one, receivers at once, and milliseconds after which no further one is sent. */
  sent: 60,
  sentToOne: 10,
  parallel: 3,
  workMs: 25 * SECOND_MS,
  /** Milliseconds of failures without a received delivery after which a webhook is paused. */
  pauseMs: 3 * DAY_MS,
  /** Characters of the sentence about a failure. */
  sentenceCharacters: 300,
  /** Deliveries in one response, and the most. */
  shown: 50,
  maxShown: 300,
  /** Milliseconds between two looks at the sources of events, and how long an event may have begun before its source reports it. */
  eventsEveryMs: 5 * MINUTE_MS,
  eventsBackMs: 2 * DAY_MS,
  /** Reported events that are remembered: 10 MB at most. Milliseconds, longer than events are looked for. */
  knownEvents: 20_000,
  knownEventMs: 3 * DAY_MS,
  /** Events that one statement stores. */
  eventsPerStatement: 500,
  /** Characters of the label of an event. */
  labelCharacters: 200,
} as const;

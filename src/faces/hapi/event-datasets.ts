// The datasets of events: their numbers by day, and the events themselves with their measured values.
import { EVENT_DAYS, EVENT_RANGE } from '../../platform/limits/events.ts';
import { HAPI } from '../../platform/limits/hapi.ts';
import { LISTS } from '../../platform/limits/images.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { Failure } from '../../platform/util/errors.ts';
import { findEventType, PIN_TYPES } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { dayStart } from '../../sun/time.ts';
import { contains, daysIn, daysOf, type HapiDataset, type HapiPorts, MICROSECOND_MS, scalar } from './dataset.ts';
import { type EventList, eventParameters, eventValues } from './event-columns.ts';
import { formatHapiTime } from './hapi-time.ts';
import { drawnCounts, type HapiRecord, TIME } from './parameters.ts';
import { HapiFailure } from './status.ts';

const eventExtent = (nowMs: number) => ({ startMs: EVENT_DAYS.first, stopMs: dayStart(nowMs) + DAY_MS });

/** Days of solar maximum have some dozens of most types. */
const DRAWN_EVENTS = drawnCounts(100);
/** Stands for a day that is not counted yet. */
const UNCOUNTED = -1;

function countsOf(pin: string, { events, clock, call }: HapiPorts): HapiDataset {
  const { concept, source } = findEventType(pin)!;
  return {
    id: `events_${pin}`,
    title: `${concept}: events per day`,
    description: `Numbers of events of the type ${concept} (${source}) in progress on each UTC day, counted when they are first asked for.`,
    parameters: [
      TIME,
      {
        ...scalar('events', 'integer', 'dimensionless', 'Events in progress on the day.'),
        fill: String(UNCOUNTED),
        jhvparams: pin === 'FL' ? { ...DRAWN_EVENTS, predefined: [{ name: 'Space weather', order: 2 }] } : DRAWN_EVENTS,
      },
    ],
    timeStampLocation: 'begin',
    cadence: 'P1D',
    maxRequestDuration: `P${HAPI.eventDays}D`,
    most: HAPI.eventDays,
    counted: 'days',
    extent: async () => eventExtent(clock()),
    count: async ({ startMs, stopMs }) => Math.ceil((stopMs - startMs) / DAY_MS),
    async *pages(range) {
      const { firstMs, lastMs } = daysIn(range);
      if (lastMs < firstMs) return;
      const chosen = [{ pin, source, method: null }];
      const days = { range: { startMs: firstMs, endMs: lastMs + DAY_MS }, resolution: 'D' } as const;
      const { bins } = await events.counting.timeline(chosen, days, call.waitUntil);
      const sums = new Map<number, number>();
      for (const { startMs, events: count } of bins.counts) sums.set(startMs, (sums.get(startMs) ?? 0) + count);
      yield bins.starts.flatMap((startMs, i) =>
        startMs < firstMs || startMs > lastMs
          ? []
          : [{ time: formatHapiTime(startMs), events: bins.known[i] === 1 ? (sums.get(startMs) ?? 0) : UNCOUNTED }],
      );
    },
  };
}

/** DONKI has ejections and flares under one pin, of which other values are measured. */
const LISTS_OF_EVENTS: readonly EventList[] = PIN_TYPES.flatMap(({ pin }): EventList[] =>
  pin === 'C3'
    ? [
        { pin, type: 'CE' },
        { pin, type: 'FL' },
      ]
    : [{ pin, type: null }],
);

const listId = ({ pin, type }: EventList) => ['event_list', pin, ...(type === null ? [] : [type])].join('_');

function listTitle({ pin, type }: EventList): string {
  const { concept, source } = findEventType(pin)!;
  const name = type === null ? concept : `${concept} ${findEventType(type)!.concept}`;
  return `${name} (${source}): events`;
}

const MILLISECOND_MS = 1;

/** An event that begins in a range, as a record. */
interface ListedEvent {
  readonly startMs: number;
  readonly values: HapiRecord;
}

/** The records by start and id, each later than the one before it. */
function inTime(events: readonly ListedEvent[]): { readonly atMs: number; readonly record: HapiRecord }[] {
  const ordered = events.toSorted((a, b) => a.startMs - b.startMs || (String(a.values.id) < String(b.values.id) ? -1 : 1));
  let lastMs = Number.NEGATIVE_INFINITY;
  return ordered.map(({ startMs, values }) => {
    lastMs = Math.max(startMs, lastMs + MILLISECOND_MS);
    return { atMs: lastMs, record: { time: formatHapiTime(lastMs), ...values } };
  });
}

const incomplete = () =>
  new Failure('busy', 'The source of these events has not delivered all days of the range yet. Try again in a minute.', {
    retryAfterSeconds: 60,
  });

function listOf(list: EventList, { events, clock, call: { waitUntil } }: HapiPorts): HapiDataset {
  const { pin, type } = list;
  const { source } = findEventType(pin)!;
  const title = listTitle(list);
  return {
    id: listId(list),
    title,
    description: `${title} with what their source measured, in the order of their starts. Events of one start are a millisecond apart; start has the time itself.`,
    parameters: eventParameters(list),
    timeStampLocation: 'begin',
    maxRequestDuration: `P${EVENT_RANGE.days - 1}D`,
    most: EVENT_RANGE.days,
    counted: 'days',
    extent: async () => eventExtent(clock()),
    async sample() {
      const [dayMs = null] = await events.counting.lastBegun([list], eventExtent(clock()).stopMs);
      return dayMs === null ? null : { startMs: dayMs, stopMs: dayMs + DAY_MS };
    },
    count: async (range) => daysOf(range),
    async *pages(range) {
      // Whole days, so that the times of events of one start do not depend on the range.
      const days = { startMs: dayStart(range.startMs), endMs: dayStart(range.stopMs - MICROSECOND_MS) + DAY_MS - 1 };
      const pick = (event: SolarEvent): ListedEvent | null =>
        event.pin === pin && (type === null || event.type === type) && event.startMs >= days.startMs
          ? { startMs: event.startMs, values: eventValues(list, event) }
          : null;
      const found = await events.eventsBetween(days, [source], pick, { waitUntil, pin });
      if (found.states.some(({ state }) => state === 'failed')) throw incomplete();
      if (found.states.some(({ isCut }) => isCut))
        throw new HapiFailure(1408, `A response has at most ${EVENT_RANGE.events} events. Divide the range.`);
      const records = inTime(found.events).filter(({ atMs }) => contains(range, atMs));
      for (let i = 0; i < records.length; i += LISTS.pageImages)
        yield records.slice(i, i + LISTS.pageImages).map(({ record }) => record);
    },
  };
}

/** The datasets of events that have a source here; of lists, those with an event on a counted day, which the clock counts from the newest. */
export async function eventDatasets(ports: HapiPorts): Promise<HapiDataset[]> {
  const { counting } = ports.events;
  const lists = LISTS_OF_EVENTS.filter(({ pin }) => counting.counts(pin));
  // Predictions begin later, and events of a sample archive may.
  const last = await counting.lastBegun(lists, eventExtent(ports.clock()).stopMs);
  return [
    ...PIN_TYPES.filter(({ pin }) => counting.counts(pin)).map(({ pin }) => countsOf(pin, ports)),
    ...lists.filter((_, i) => last[i] !== null).map((list) => listOf(list, ports)),
  ];
}

const COUNTS = /^events_(\w\w)$/;

/** The dataset of events with this id, whether it is in the catalogue or not; null for another id. */
export function findEventDataset(id: string, ports: HapiPorts): HapiDataset | null {
  const hasSource = (pin: string) => ports.events.counting.counts(pin);
  const [, pin] = COUNTS.exec(id) ?? [];
  if (pin !== undefined) return hasSource(pin) ? countsOf(pin, ports) : null;
  const list = LISTS_OF_EVENTS.find((one) => listId(one) === id);
  return list && hasSource(list.pin) ? listOf(list, ports) : null;
}

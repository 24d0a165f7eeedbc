// The datasets of events: their numbers by day, and the events themselves with the values that their sources measure.
import { bestAnalysis } from '../../events/records/donki.ts';
import { numberOf, type RawRecord, textOf } from '../../events/records/record.ts';
import { flareStrength } from '../../events/records/strength.ts';
import { EVENT_DAYS, EVENT_RANGE } from '../../platform/limits/events.ts';
import { HAPI } from '../../platform/limits/hapi.ts';
import { LISTS } from '../../platform/limits/images.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { Failure } from '../../platform/util/errors.ts';
import { findEventType, PIN_TYPES } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { dayStart } from '../../sun/time.ts';
import type { Context } from '../services.ts';
import type { Column, HapiDataset, HapiRow } from './dataset.ts';
import * as hapi from './dataset.ts';

/** Stands for a time that is not known: the last one that has the length of the others. */
const FILL_TIME = '9999-12-31T23:59:59.999999Z';

type EventColumn = Column<SolarEvent>;

/** The first value of some columns of the record of a source, as a number. */
const firstOf = (record: RawRecord, keys: readonly string[]) =>
  keys.map((key) => numberOf(record, key)).find((value) => value !== null);

const number = (name: string, units: string | null, description: string, ...keys: readonly string[]): EventColumn =>
  hapi.number(name, units, description, ({ raw }) => firstOf(raw, keys));

const text = (name: string, length: number, description: string, key: string): EventColumn =>
  hapi.text(name, length, description, ({ raw }) => textOf(raw, key));

const withUnit = (name: string, description: string, key: string, unitKey: string): readonly EventColumn[] => [
  number(name, null, `${description}, in ${name}_unit.`, key),
  text(`${name}_unit`, 20, `Unit of ${name} in the words of the source.`, unitKey),
];

/** A probability; other numbers stand for a missing one. */
const chance = (key: string, name: string, classes: string): EventColumn => {
  const within = (value: number | null) => (value !== null && value >= 0 && value <= 1 ? value : null);
  const description = `Probability of flares of class ${classes}, 0 to 1.`;
  return hapi.number(name, 'dimensionless', description, ({ raw }) => within(numberOf(raw, key)), hapi.DRAWN_SHARE);
};

const flareClass = (key: string): readonly EventColumn[] => [
  text('goes_class', 8, 'GOES class.', key),
  hapi.number(
    'goes_flux',
    'W/m2',
    'Peak flux from 0.1 to 0.8 nm that the GOES class states.',
    ({ raw }) => flareStrength(textOf(raw, key))?.value,
    hapi.DRAWN_FLUX,
  ),
];

const AREA = withUnit('area', 'Area, as if at the centre of the disc', 'area_atdiskcenter', 'area_unit');

/** Columns by pin, and by the type of an event of DONKI. */
const MEASURED: Readonly<Record<string, readonly EventColumn[]>> = {
  AR: [
    number('noaa_region', null, 'Number of NOAA.', 'ar_noaanum'),
    text('mcintosh_class', 8, 'McIntosh class.', 'ar_mcintoshcls'),
    text('magnetic_class', 32, 'Mount Wilson class.', 'ar_mtwilsoncls'),
    number('spots', 'dimensionless', 'Number of sunspots.', 'ar_numspots'),
    ...AREA,
  ],
  CE: [
    ...withUnit('speed', 'Radial speed', 'cme_radiallinvel', 'cme_radiallinvelunit'),
    ...withUnit('width', 'Angular width', 'cme_angularwidth', 'cme_angularwidthunit'),
    ...withUnit('mass', 'Mass', 'cme_mass', 'cme_massunit'),
  ],
  CH: AREA,
  EF: [...AREA, ...withUnit('onset_rate', 'Greatest rate of the positive flux', 'ef_pospeakfluxonsetrate', 'ef_onsetrateunit')],
  FI: [
    ...withUnit('length', 'Length', 'fi_length', 'fi_lengthunit'),
    number('tilt', 'deg', 'Tilt against the equator.', 'fi_tilt'),
    number('barbs', 'dimensionless', 'Number of barbs.', 'fi_numbarbs'),
  ],
  FL: [...flareClass('fl_goescls'), ...withUnit('peak_flux', 'Peak flux of the method', 'fl_peakflux', 'fl_peakfluxunit')],
  SG: [text('shape', 20, 'Shape.', 'sg_shape')],
  C3_CE: [
    hapi.number('speed', 'km/s', 'Speed of the most accurate analysis.', ({ raw }) => numberOf(bestAnalysis(raw) ?? {}, 'speed')),
    hapi.number('half_angle', 'deg', 'Half angle.', ({ raw }) => numberOf(bestAnalysis(raw) ?? {}, 'halfAngle')),
    hapi.text('speed_class', 8, 'Class of the speed (S, C, O, R, ER).', ({ raw }) => textOf(bestAnalysis(raw) ?? {}, 'type')),
  ],
  C3_FL: [...flareClass('classType'), number('noaa_region', null, 'Number of NOAA.', 'activeRegionNum')],
  FP: [
    chance('C', 'C', 'C'),
    chance('CPlus', 'C_plus', 'C and above'),
    chance('M', 'M', 'M'),
    chance('MPlus', 'M_plus', 'M and above'),
    chance('X', 'X', 'X'),
  ],
  F2: [
    number('peak_rate', 'ct/s', 'Peak count rate.', 'peakrate'),
    number('counts', 'ct', 'Counts.', 'totalcounts'),
    text('energy_band', 16, 'Highest energy band with counts, keV.', 'hi_band'),
  ],
};

const onSky = ({ position }: SolarEvent) => (position.kind === 'helioprojective' ? position : null);
const onSun = ({ position }: SolarEvent) => (position.kind === 'stonyhurst' ? position : null);

/** Columns of all lists, after the time. */
const COMMON: readonly EventColumn[] = [
  hapi.time('start', 'Start.', ({ startMs }) => startMs),
  hapi.time('end', 'End.', ({ endMs }) => endMs),
  hapi.time('peak', 'Time of the peak.', ({ peakMs }) => peakMs, FILL_TIME),
  hapi.text('id', 300, 'Id of the event at its source.', ({ id }) => id),
  hapi.text('method', 80, 'Recognition method, model or catalogue.', ({ group }) => group.name),
  hapi.text('label', 160, 'Measured values in words.', ({ shortLabel }) => shortLabel),
  hapi.number('x', 'arcsec', 'Measured position to the west, as seen from the Earth.', (event) => onSky(event)?.x),
  hapi.number('y', 'arcsec', 'Measured position to the north.', (event) => onSky(event)?.y),
  hapi.number(
    'longitude',
    'deg',
    'Measured position, Stonyhurst, to the west.',
    (event) => onSun(event)?.longitude ?? numberOf(event.raw, 'hgs_x'),
  ),
  hapi.number(
    'latitude',
    'deg',
    'Measured position, Stonyhurst, to the north.',
    (event) => onSun(event)?.latitude ?? numberOf(event.raw, 'hgs_y'),
  ),
];

const eventExtent = (nowMs: number) => ({ startMs: EVENT_DAYS.first, stopMs: dayStart(nowMs) + DAY_MS });

/** Days of solar maximum have some dozens of most types. */
const DRAWN_EVENTS = hapi.drawnCounts(100);
/** Stands for a day that is not counted yet. */
const UNCOUNTED = '-1';

function countsOf(pin: string, { services: { events, clock }, waitUntil }: Context): HapiDataset {
  const { concept, source } = findEventType(pin)!;
  return hapi.datasetOf<{ readonly startMs: number; readonly count: number | null }>({
    id: `events_${pin}`,
    title: `${concept}: events per day`,
    description: `Numbers of events of the type ${concept} (${source}) in progress on each UTC day, counted when they are first asked for.`,
    columns: [
      hapi.timeOfRecord(({ startMs }) => startMs),
      hapi.column('events', 'integer', 'dimensionless', 'Events in progress on the day.', ({ count }) => count, {
        fill: UNCOUNTED,
        jhvparams: pin === 'FL' ? { ...DRAWN_EVENTS, predefined: [{ name: 'Space weather', order: 2 }] } : DRAWN_EVENTS,
      }),
    ],
    cadence: 'P1D',
    maxRequestDuration: `P${HAPI.eventDays}D`,
    most: HAPI.eventDays,
    counted: 'days',
    extent: async () => eventExtent(clock()),
    count: async ({ startMs, stopMs }) => Math.ceil((stopMs - startMs) / DAY_MS),
    async *pages(range) {
      const { firstMs, lastMs } = hapi.daysIn(range);
      if (lastMs < firstMs) return;
      const chosen = [{ pin, source, method: null }];
      const days = { range: { startMs: firstMs, endMs: lastMs + DAY_MS }, resolution: 'D' } as const;
      const { bins } = await events.counting.timeline(chosen, days, waitUntil);
      const sums = new Map<number, number>();
      for (const { startMs, events: count } of bins.counts) sums.set(startMs, (sums.get(startMs) ?? 0) + count);
      const counted = bins.starts.map((startMs, i) => ({
        startMs,
        count: bins.known[i] === 1 ? (sums.get(startMs) ?? 0) : null,
      }));
      yield counted.filter(({ startMs }) => startMs >= firstMs && startMs <= lastMs);
    },
  });
}

/** Lists of the events of a pin. DONKI has ejections and flares under one, of which other values are measured. `type`: null for all. */
const EVENT_LISTS = PIN_TYPES.flatMap(({ pin }) =>
  (pin === 'C3' ? ['CE', 'FL'] : [null]).map((type) => {
    const name = type === null ? pin : `${pin}_${type}`;
    return { pin, type, id: `event_list_${name}`, columns: [...COMMON, ...(MEASURED[name] ?? [])] };
  }),
);

const MILLISECOND_MS = 1;

/** An event that begins in a range, without its record. */
interface ListedEvent {
  readonly startMs: number;
  readonly id: string;
  readonly row: HapiRow;
}

type TimedEvent = ListedEvent & { readonly atMs: number };

const TIME_COLUMN = hapi.time<TimedEvent>(
  'time',
  'Start, and a millisecond more for each other event of the list before it that starts at the same time, because times of HAPI increase.',
  ({ atMs }) => atMs,
);

/** Events by start and id, each later than the one before it. */
function inTime(events: readonly ListedEvent[]): TimedEvent[] {
  const ordered = events.toSorted((a, b) => a.startMs - b.startMs || (a.id < b.id ? -1 : 1));
  let atMs = Number.NEGATIVE_INFINITY;
  return ordered.map((event) => {
    atMs = Math.max(event.startMs, atMs + MILLISECOND_MS);
    return { ...event, atMs };
  });
}

const INCOMPLETE = 'The source of these events has not delivered all days of the range yet. Try again in a minute.';

function listOf(list: (typeof EVENT_LISTS)[number], { services: { events, clock }, waitUntil }: Context): HapiDataset {
  const { pin, type, id, columns } = list;
  const { concept, source } = findEventType(pin)!;
  const title = `${type === null ? concept : `${concept} ${findEventType(type)!.concept}`} (${source}): events`;
  return hapi.datasetOf<TimedEvent>({
    id,
    title,
    description: `${title} with what their source measured, in the order of their starts. Events of one start are a millisecond apart; start has the time itself.`,
    columns: [TIME_COLUMN, ...columns.map(([parameter], i): Column<TimedEvent> => [parameter, ({ row }) => row[i]])],
    maxRequestDuration: `P${EVENT_RANGE.days - 1}D`,
    most: EVENT_RANGE.days,
    counted: 'days',
    extent: async () => eventExtent(clock()),
    async sample() {
      const [dayMs = null] = await events.counting.lastBegun([list], eventExtent(clock()).stopMs);
      return dayMs === null ? null : { startMs: dayMs, stopMs: dayMs + DAY_MS };
    },
    count: async (range) => hapi.daysOf(range),
    async *pages(range) {
      // Whole days, so that the times of events of one start do not depend on the range.
      const days = { startMs: dayStart(range.startMs), endMs: dayStart(range.stopMs - hapi.MICROSECOND_MS) + DAY_MS - 1 };
      const pick = (event: SolarEvent): ListedEvent | null =>
        event.pin === pin && (type === null || event.type === type) && event.startMs >= days.startMs
          ? { startMs: event.startMs, id: event.id, row: hapi.rowOf(columns, event) }
          : null;
      const found = await events.eventsBetween(days, [source], pick, { waitUntil, pin });
      if (found.states.some(({ state }) => state === 'failed')) throw new Failure('busy', INCOMPLETE, { retryAfterSeconds: 60 });
      if (found.states.some(({ isCut }) => isCut))
        throw new hapi.HapiFailure(1408, `A response has at most ${EVENT_RANGE.events} events. Divide the range.`);
      const rows = inTime(found.events).filter(({ atMs }) => hapi.contains(range, atMs));
      for (let i = 0; i < rows.length; i += LISTS.pageImages) yield rows.slice(i, i + LISTS.pageImages);
    },
  });
}

/** The datasets of events that have a source here; of lists, those with an event on a counted day, which the clock counts from the newest. */
export async function eventDatasets(context: Context): Promise<HapiDataset[]> {
  const { clock, events } = context.services;
  const { counting } = events;
  const lists = EVENT_LISTS.filter(({ pin }) => counting.counts(pin));
  // Predictions begin later, and events of a sample archive may.
  const last = await counting.lastBegun(lists, eventExtent(clock()).stopMs);
  return [
    ...PIN_TYPES.filter(({ pin }) => counting.counts(pin)).map(({ pin }) => countsOf(pin, context)),
    ...lists.filter((_, i) => last[i] !== null).map((list) => listOf(list, context)),
  ];
}

const COUNTS = /^events_(\w\w)$/;

/** The dataset of events with this id, whether it is in the catalogue or not; null for another id. */
export function findEventDataset(id: string, context: Context): HapiDataset | null {
  const hasSource = (pin: string) => context.services.events.counting.counts(pin);
  const [, pin] = COUNTS.exec(id) ?? [];
  if (pin !== undefined) return hasSource(pin) ? countsOf(pin, context) : null;
  const list = EVENT_LISTS.find((one) => one.id === id);
  return list && hasSource(list.pin) ? listOf(list, context) : null;
}

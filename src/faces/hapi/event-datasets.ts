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
import type { HapiDataset, HapiParameter, HapiPorts, HapiRecord } from './dataset.ts';
import * as hapi from './dataset.ts';

/** Stands for a time that is not known: the last one that has the length of the others. */
const FILL_TIME = '9999-12-31T23:59:59.999999Z';

/** A parameter, and its value in the record of a source; null where it is not known. */
type Column = readonly [HapiParameter, (record: RawRecord) => string | number | null];

/** The first value of some columns, as a number. */
const number = (name: string, units: string | null, description: string, ...keys: readonly string[]): Column => [
  hapi.numberParameter(name, units, description),
  (record) => keys.map((key) => numberOf(record, key)).find((value) => value !== null) ?? null,
];

const text = (name: string, length: number, description: string, key: string): Column => [
  hapi.textParameter(name, length, description),
  (record) => textOf(record, key),
];

const withUnit = (name: string, description: string, key: string, unitKey: string): readonly Column[] => [
  number(name, null, `${description}, in ${name}_unit.`, key),
  text(`${name}_unit`, 20, `Unit of ${name} in the words of the source.`, unitKey),
];

/** A probability; other numbers stand for a missing one. */
const chance = (key: string, name: string, classes: string): Column => {
  const [parameter, read] = number(name, 'dimensionless', `Probability of flares of class ${classes}, 0 to 1.`, key);
  const within = (value: string | number | null) => (typeof value === 'number' && value >= 0 && value <= 1 ? value : null);
  return [{ ...parameter, jhvparams: hapi.DRAWN_SHARE }, (record) => within(read(record))];
};

const flareClass = (key: string): readonly Column[] => [
  text('goes_class', 8, 'GOES class.', key),
  [
    {
      ...hapi.numberParameter('goes_flux', 'W/m2', 'Peak flux from 0.1 to 0.8 nm that the GOES class states.'),
      jhvparams: hapi.DRAWN_FLUX,
    },
    (record) => flareStrength(textOf(record, key))?.value ?? null,
  ],
];

const ofAnalysis = ([parameter, read]: Column): Column => [
  parameter,
  (record) => {
    const analysis = bestAnalysis(record);
    return analysis ? read(analysis) : null;
  },
];

const AREA = withUnit('area', 'Area, as if at the centre of the disc', 'area_atdiskcenter', 'area_unit');

/** Columns by pin, and by the type of an event of DONKI. */
const MEASURED: Readonly<Record<string, readonly Column[]>> = {
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
    number('speed', 'km/s', 'Speed of the most accurate analysis.', 'speed'),
    number('half_angle', 'deg', 'Half angle.', 'halfAngle'),
    text('speed_class', 8, 'Class of the speed (S, C, O, R, ER).', 'type'),
  ].map(ofAnalysis),
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

const isotime = (name: string, fill: string | null, description: string): HapiParameter => ({
  ...hapi.TIME,
  name,
  fill,
  description,
});
const COMMON: readonly HapiParameter[] = [
  {
    ...hapi.TIME,
    description:
      'Start, and a millisecond more for each other event of the list before it that starts at the same time, because times of HAPI increase.',
  },
  isotime('start', null, 'Start.'),
  isotime('end', null, 'End.'),
  isotime('peak', FILL_TIME, 'Time of the peak.'),
  hapi.textParameter('id', 300, 'Id of the event at its source.'),
  hapi.textParameter('method', 80, 'Recognition method, model or catalogue.'),
  hapi.textParameter('label', 160, 'Measured values in words.'),
  hapi.numberParameter('x', 'arcsec', 'Measured position to the west, as seen from the Earth.'),
  hapi.numberParameter('y', 'arcsec', 'Measured position to the north.'),
  hapi.numberParameter('longitude', 'deg', 'Measured position, Stonyhurst, to the west.'),
  hapi.numberParameter('latitude', 'deg', 'Measured position, Stonyhurst, to the north.'),
];

/** A list of events: those of a pin, of DONKI those of a type. */
interface EventList {
  readonly pin: string;
  /** Null: all types of the pin. */
  readonly type: string | null;
}

const columnsOf = ({ pin, type }: EventList) => MEASURED[type === null ? pin : `${pin}_${type}`] ?? [];

const eventParameters = (list: EventList): readonly HapiParameter[] => [
  ...COMMON,
  ...columnsOf(list).map(([parameter]) => parameter),
];

function filled({ type, length }: HapiParameter, value: string | number | null): string | number {
  if (type === 'string') return hapi.fitted(String(value ?? ''), length!);
  return value ?? hapi.FILL_NUMBER;
}

/** The record of an event, without its time in the list. */
function eventValues(list: EventList, event: SolarEvent): HapiRecord {
  const { id, startMs, endMs, peakMs, group, shortLabel, position, raw } = event;
  const isOnSky = position.kind === 'helioprojective';
  const common: Record<string, string | number | null> = {
    id,
    method: group.name,
    label: shortLabel,
    x: isOnSky ? position.x : null,
    y: isOnSky ? position.y : null,
    longitude: isOnSky ? numberOf(raw, 'hgs_x') : position.longitude,
    latitude: isOnSky ? numberOf(raw, 'hgs_y') : position.latitude,
  };
  const entries = [
    ...COMMON.filter(({ name }) => name in common).map((parameter) => [
      parameter.name,
      filled(parameter, common[parameter.name]!),
    ]),
    ...columnsOf(list).map(([parameter, read]) => [parameter.name, filled(parameter, read(raw))]),
  ];
  const times = {
    start: hapi.formatHapiTime(startMs),
    end: hapi.formatHapiTime(endMs),
    peak: peakMs === null ? FILL_TIME : hapi.formatHapiTime(peakMs),
  };
  return { ...times, ...Object.fromEntries(entries) };
}

const eventExtent = (nowMs: number) => ({ startMs: EVENT_DAYS.first, stopMs: dayStart(nowMs) + DAY_MS });

/** Days of solar maximum have some dozens of most types. */
const DRAWN_EVENTS = hapi.drawnCounts(100);
/** Stands for a day that is not counted yet. */
const UNCOUNTED = -1;

function countsOf(pin: string, { events, clock, call }: HapiPorts): HapiDataset {
  const { concept, source } = findEventType(pin)!;
  return {
    id: `events_${pin}`,
    title: `${concept}: events per day`,
    description: `Numbers of events of the type ${concept} (${source}) in progress on each UTC day, counted when they are first asked for.`,
    parameters: [
      hapi.TIME,
      {
        ...hapi.scalar('events', 'integer', 'dimensionless', 'Events in progress on the day.'),
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
      const { firstMs, lastMs } = hapi.daysIn(range);
      if (lastMs < firstMs) return;
      const chosen = [{ pin, source, method: null }];
      const days = { range: { startMs: firstMs, endMs: lastMs + DAY_MS }, resolution: 'D' } as const;
      const { bins } = await events.counting.timeline(chosen, days, call.waitUntil);
      const sums = new Map<number, number>();
      for (const { startMs, events: count } of bins.counts) sums.set(startMs, (sums.get(startMs) ?? 0) + count);
      yield bins.starts.flatMap((startMs, i) =>
        startMs < firstMs || startMs > lastMs
          ? []
          : [{ time: hapi.formatHapiTime(startMs), events: bins.known[i] === 1 ? (sums.get(startMs) ?? 0) : UNCOUNTED }],
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
    return { atMs: lastMs, record: { time: hapi.formatHapiTime(lastMs), ...values } };
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
    count: async (range) => hapi.daysOf(range),
    async *pages(range) {
      // Whole days, so that the times of events of one start do not depend on the range.
      const days = { startMs: dayStart(range.startMs), endMs: dayStart(range.stopMs - hapi.MICROSECOND_MS) + DAY_MS - 1 };
      const pick = (event: SolarEvent): ListedEvent | null =>
        event.pin === pin && (type === null || event.type === type) && event.startMs >= days.startMs
          ? { startMs: event.startMs, values: eventValues(list, event) }
          : null;
      const found = await events.eventsBetween(days, [source], pick, { waitUntil, pin });
      if (found.states.some(({ state }) => state === 'failed')) throw incomplete();
      if (found.states.some(({ isCut }) => isCut))
        throw new hapi.HapiFailure(1408, `A response has at most ${EVENT_RANGE.events} events. Divide the range.`);
      const records = inTime(found.events).filter(({ atMs }) => hapi.contains(range, atMs));
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

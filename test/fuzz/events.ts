// Fuzzes the parsers of event records with unexpected values and with JSON of damaged bytes.
import { eventsInProgress } from '../../src/events/event-service.ts';
import { hapiRows } from '../../src/events/feeds/feeds.ts';
import { donkiCme, donkiFlare } from '../../src/events/records/donki.ts';
import { flarePrediction } from '../../src/events/records/flare-prediction.ts';
import { hekEvent } from '../../src/events/records/hek.ts';
import { parseLocation, type RawRecord, recordOf } from '../../src/events/records/record.ts';
import { parseRhessiLine, rhessiEvent } from '../../src/events/records/rhessi.ts';
import { eventTree, flatEvents } from '../../src/events/records/shapes.ts';
import { wsaEvent, wsaFootpoints, wsaHoles } from '../../src/events/records/wsa.ts';
import { withSelections } from '../../src/faces/sharing/client-state.ts';
import { parseSelections, selectionsOf } from '../../src/picture/events/paths.ts';
import { RECIPE_LIMITS } from '../../src/picture/limits.ts';
import { Failure } from '../../src/platform/util/errors.ts';
import { EVENT_SOURCES } from '../../src/sun/events/event-types.ts';
import type { SolarEvent } from '../../src/sun/events/solar-event.ts';
import { cmeRecord, flareRecord, hekRecord, NOON, predictions, rhessiLine } from '../support/events/event-records.ts';
import type { FuzzTarget } from './fuzzer.ts';
import { damagedOf, mutate, pick, type Random } from './mutate.ts';

const RING = 'POLYGON((-150 -270,-90 -270,-90 -230,-150 -270))';

/** A window of forecasts of WSA. */
const WSA_WINDOW = {
  forecast_time: '2024-01-01 12:00:00',
  forecast_range: ['2024-01-01 11:00:00', '2024-01-01 13:00:00'],
  forecast: [
    {
      coords: { lat: [10, 20, 15, 10], lon: [350, 355, 5, 350] },
      contour_coords: { lat: [10, 20, 15], lon: [350, 355, 5] },
      label: '0.5',
      label_coords: { lat: 15, lon: 355 },
    },
  ],
};

const RECORDS: readonly unknown[] = [
  WSA_WINDOW,
  { event_selections: ['HEK>>Flare', 'HEK>Flare', 'WSA>>Coronal Hole>>AGONG>>R3'], HEK: { marker_visibility: true } },
  hekRecord({ hpc_boundcc: RING, ar_noaanum: 11936, ar_mtwilsoncls: 'BETA-GAMMA' }),
  hekRecord({ event_type: 'FL', fl_goescls: 'X1.0', event_peaktime: '2014-01-01T10:00:00' }),
  hekRecord({ event_type: 'CE', frm_name: 'CACTus', cme_radiallinvel: 400, hpc_x: 3000, hpc_y: 2000 }),
  cmeRecord(),
  cmeRecord({ sourceLocation: '' }),
  flareRecord(),
  predictions({}, { NOAALatitude: 999 }),
];

const UNEXPECTED_VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 999, 1e308, -1e308, 5e-324, [], {}, [[[[[[[[[[1]]]]]]]]]], [null, 1, 'a', {}]],
  ...['', ' ', '\u0000', '\ud800', 'NaN', 'Infinity', '-0', 'N90E180', 'toString', '__proto__'],
  ...['2014-01-01T00:00:00', '0000-00-00T00:00:00', '9999-12-31T23:59:60Z'],
  ...['POLYGON((1e308 1e308,-1e308 1e308,0 0,0 -1))', 'POLYGON((900 0,980 0,1300 0,900 300))'],
];

const EXTRA_NAMES = ['__proto__', 'constructor', 'toString', 'id', 'views', 'hv_hpc_x', 'event_type', 'refs'];

/** A copy in which about one of `rate` nested values is replaced. */
function damaged(value: unknown, random: Random, rate: number): unknown {
  if (random() < 1 / rate) return random() < 0.1 ? 'x'.repeat(Math.floor(random() * 60_000)) : pick(random, UNEXPECTED_VALUES);
  if (Array.isArray(value)) return value.map((item) => damaged(item, random, rate));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, damaged(item, random, rate)]);
  if (random() < 0.1) entries.push([pick(random, EXTRA_NAMES), pick(random, UNEXPECTED_VALUES)]);
  return Object.fromEntries(entries);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

function eventsOf(record: RawRecord): SolarEvent[] {
  const rows = hapiRows(record, 100).map((row, i) => flarePrediction(row, 'Model', `row-${i}`));
  const request = { satellite: 'SO', map: 'AGONG' };
  const forecasts = [...wsaHoles([record], request, 3), ...wsaFootpoints([record], request, '3')].map(wsaEvent);
  const read = [hekEvent(record), donkiCme(record), donkiFlare(record), wsaEvent(record), ...rows, ...forecasts];
  return read.filter((event) => event !== null);
}

function checkEvent(event: SolarEvent): void {
  const { startMs, endMs, id, position, link, outlines } = event;
  const numbers = [
    startMs,
    endMs,
    position.atMs,
    ...(position.kind === 'stonyhurst' ? [position.latitude, position.longitude] : [position.x, position.y]),
  ];
  if (!numbers.every(Number.isFinite)) throw new Error(`Expected finite numbers, got ${numbers}.`);
  if (!outlines.flat(2).every(Number.isFinite)) throw new Error('Expected finite outlines.');
  if (startMs > endMs || id === '') throw new Error(`Expected an id and a time range, got "${id}" from ${startMs} to ${endMs}.`);
  if (link && !/^https?:\/\//i.test(link.url)) throw new Error(`Expected a web address, got ${link.url}.`);
}

/** Reads values as event_selections, as their visibility and as a stored view; what is accepted is printed and read again. */
function checkSelection(values: readonly unknown[], line: string): void {
  for (const value of [line, values, ...values]) {
    withSelections({ eventLayers: value });
    try {
      const { selection } = parseSelections(value, values[0] ?? {}, true);
      const again = parseSelections(selectionsOf(selection).slice(0, RECIPE_LIMITS.selections), undefined, true).selection;
      if (again.length > selection.length) throw new Error(`Expected the sources of ${JSON.stringify(selection)}.`);
    } catch (error) {
      if (!(error instanceof Failure) || !/^event_(visibility_)?selections$/.test(error.parameter ?? '')) throw error;
    }
  }
}

export const eventsTarget: FuzzTarget = () => {
  const texts = RECORDS.map((record) => new TextEncoder().encode(JSON.stringify(record)));
  return (random) => {
    const values = Array.from({ length: 4 }, () =>
      random() < 0.5 ? parsed(damagedOf(random, texts)) : damaged(pick(random, RECORDS), random, 2 + random() * 40),
    );
    const events = values.map(recordOf).flatMap((record) => (record ? eventsOf(record) : []));
    const line = new TextDecoder().decode(mutate(new TextEncoder().encode(rhessiLine()), texts[0] as Uint8Array, random));
    const flare = parseRhessiLine(line);
    if (typeof flare !== 'string') events.push(rhessiEvent(flare));
    else if (!/^(Expected|The line) .+\.$/.test(flare)) throw new Error(`Expected a sentence, got ${flare}`);
    parseLocation(line);
    checkSelection(values, line);
    for (const event of events) checkEvent(event);
    const found = eventsInProgress(events, NOON);
    const json = JSON.stringify([eventTree(found, EVENT_SOURCES, NOON), flatEvents(found, EVENT_SOURCES, NOON)]);
    for (const record of JSON.parse(json)[1]) {
      if (!Number.isFinite(record.hv_hpc_x) || !Number.isFinite(record.hv_hpc_y))
        throw new Error(`Expected coordinates for ${record.id}.`);
    }
  };
};

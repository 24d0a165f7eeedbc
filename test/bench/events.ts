// Events over HTTP from a service in workerd on this machine, with a thousand events a day: the time that each cache saves.
import type { LocalService } from '../../src/cli/local/local-service.ts';
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { cmeRecord, flareRecord, hekRecord, predictions } from '../support/events/event-records.ts';
import { json, startUpstream } from '../support/upstream/test-upstream.ts';
import { median, repeated } from './measure.ts';
import type { Bench, Run } from './run.ts';
import { type StartService, withState } from './service.ts';

const EVENTS_PER_DAY = 1000;
/** Days for each state, because each day is cold only once. */
const DAYS = 12;
const FIRST_DAY_MS = Date.UTC(2014, 1, 1);
const NOON_MS = DAY_MS / 2;
/** Duration of each event, so that a sixth of them is active at any time. */
const EVENT_MS = DAY_MS / 6;

const TYPES = ['AR', 'CH', 'FL', 'FI', 'SG', 'CE', 'EF', 'SS'];
const RING = Array.from({ length: 40 }, (_, i) => `${300 + i * 3} ${(100 + 40 * Math.sin(i / 6)).toFixed(2)}`);

/** Fills test records up to the 186 columns of real ones. */
const EXTRA_COLUMNS = Object.fromEntries(
  Array.from({ length: 155 }, (_, i) => [`extra_column_${i}`, i % 2 ? null : `value ${i}`]),
);

const isoTime = (ms: number) => new Date(ms).toISOString().slice(0, 19);

function dayOfRecords(dayMs: number): unknown {
  const result = Array.from({ length: EVENTS_PER_DAY }, (_, i) => {
    const startMs = dayMs + ((DAY_MS - EVENT_MS) * i) / EVENTS_PER_DAY;
    return hekRecord({
      ...EXTRA_COLUMNS,
      event_type: TYPES[i % TYPES.length],
      frm_name: `Method ${i % 20}`,
      frm_specificid: `run_${i}`,
      kb_archivid: `ivo://bench/${dayMs}/${i}`,
      event_starttime: isoTime(startMs),
      event_endtime: isoTime(startMs + EVENT_MS),
      hpc_x: 800 * Math.sin(i),
      hpc_y: 400 * Math.cos(i),
      hpc_boundcc: i % 3 ? '' : `POLYGON((${RING.join(',')},${RING[0]}))`,
    });
  });
  return { result, overmax: false };
}

async function getEvents(service: LocalService, atMs: number) {
  const from = performance.now();
  const response = await fetch(`${service.url}/v2/events/?startTime=${isoTime(atMs)}Z&format=flat`);
  const body = await response.text();
  const ms = performance.now() - from;
  const sources = response.headers.get('X-Events-Sources') ?? '';
  if (!/^HEK=ok, CCMC=ok, RHESSI=ok, WSA=ok$/.test(sources))
    throw new Error(`Expected all sources, got ${response.status} ${sources}.`);
  return { ms, bytes: body.length, events: (JSON.parse(body) as unknown[]).length };
}

/** The first request only warms up the compiled code. */
const getEventsOfDays = (service: LocalService, offsetMs: number) =>
  repeated((day) => getEvents(service, FIRST_DAY_MS + (day + 1) * DAY_MS + offsetMs), DAYS);

/** Each `start` gives a new isolate on the same state. */
async function measure(start: StartService, { add }: Run): Promise<void> {
  const first = await start();
  const cold = await getEventsOfDays(first, NOON_MS);
  const edge = await getEventsOfDays(first, NOON_MS);
  await first.stop();
  const second = await start();
  const fromStore = await getEventsOfDays(second, NOON_MS + 1000);
  const lastMs = FIRST_DAY_MS + DAYS * DAY_MS + NOON_MS;
  const warm = await repeated((i) => getEvents(second, lastMs + 2000 + (i + 1) * 60_000), DAYS);
  await second.stop();
  for (const [where, times] of [
    ['fetched from the sources', cold],
    ['day in the archive', fromStore],
    ['day in the isolate', warm],
    ['in the edge cache', edge],
  ] as const)
    add(`events, ${where}`, 'request', 'ms', median(times.map(({ ms }) => ms)));
  add('events of an instant', 'records', '', cold[0]!.events);
  add('events of an instant', 'response', 'kB', cold[0]!.bytes / 1000);
}

export const bench: Bench = async (run) => {
  const upstream = await startUpstream({
    hek: (url, response, request) => {
      const dayMs = Date.parse(`${url.searchParams.get('event_starttime')}Z`);
      json(dayOfRecords(dayMs))(url, response, request);
    },
    'donki/CME': json([cmeRecord()]),
    'donki/FLR': json([flareRecord()]),
    'scoreboard/data': json(predictions({}, {})),
  });
  await withState(run.log, (start) => measure(start, run), { EVENTS_UPSTREAM: upstream.url }).finally(() => upstream.close());
};

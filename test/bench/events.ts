// The events operation in workerd, over HTTP on this machine, with a thousand events a day: what each cache saves.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type LocalService, startLocalService } from '../../src/cli/local/local-service.ts';
import { applyMigrations } from '../../src/cli/local/migrations.ts';
import { DAY_MS } from '../../src/util/durations.ts';
import { cmeRecord, flareRecord, hekRecord, predictions } from '../support/events/event-records.ts';
import { json, startUpstream, type TestUpstream } from '../support/test-upstream.ts';
import { median } from './measure.ts';
import type { Bench, BenchResult } from './run.ts';

const EVENTS_A_DAY = 1000;
/** Every one is seen cold only once. */
const DAYS = 12;
const FIRST_DAY_MS = Date.UTC(2014, 1, 1);
const NOON_MS = DAY_MS / 2;
/** Each event goes on for so long: a sixth of them at any time. */
const EVENT_MS = DAY_MS / 6;

const TYPES = ['AR', 'CH', 'FL', 'FI', 'SG', 'CE', 'EF', 'SS'];
const RING = Array.from({ length: 40 }, (_, i) => `${300 + i * 3} ${(100 + 40 * Math.sin(i / 6)).toFixed(2)}`);

/** The columns that a real record has besides those of the test records, so that it has 186. */
const FURTHER_COLUMNS = Object.fromEntries(
  Array.from({ length: 155 }, (_, i) => [`further_column_${i}`, i % 2 ? null : `value ${i}`]),
);

const plainTime = (ms: number) => new Date(ms).toISOString().slice(0, 19);

function dayOfRecords(dayMs: number): unknown {
  const result = Array.from({ length: EVENTS_A_DAY }, (_, i) => {
    const startMs = dayMs + ((DAY_MS - EVENT_MS) * i) / EVENTS_A_DAY;
    return hekRecord({
      ...FURTHER_COLUMNS,
      event_type: TYPES[i % TYPES.length],
      frm_name: `Method ${i % 20}`,
      frm_specificid: `run_${i}`,
      kb_archivid: `ivo://bench/${dayMs}/${i}`,
      event_starttime: plainTime(startMs),
      event_endtime: plainTime(startMs + EVENT_MS),
      hpc_x: 800 * Math.sin(i),
      hpc_y: 400 * Math.cos(i),
      hpc_boundcc: i % 3 ? '' : `POLYGON((${RING.join(',')},${RING[0]}))`,
    });
  });
  return { result, overmax: false };
}

function startSources(): Promise<TestUpstream> {
  return startUpstream({
    hek: (url, response, request) => {
      const dayMs = Date.parse(`${url.searchParams.get('event_starttime')}Z`);
      json(dayOfRecords(dayMs))(url, response, request);
    },
    'donki/CME': json([cmeRecord()]),
    'donki/FLR': json([flareRecord()]),
    'scoreboard/data': json(predictions({}, {})),
  });
}

interface Timed {
  readonly ms: number;
  readonly bytes: number;
  readonly events: number;
}

async function ask(service: LocalService, atMs: number): Promise<Timed> {
  const from = performance.now();
  const answer = await fetch(`${service.url}/v2/events/?startTime=${plainTime(atMs)}Z&format=flat`);
  const body = await answer.text();
  const ms = performance.now() - from;
  const sources = answer.headers.get('X-Events-Sources') ?? '';
  if (!/^HEK=ok, CCMC=ok, RHESSI=ok$/.test(sources)) throw new Error(`Expected all sources, got ${answer.status} ${sources}.`);
  return { ms, bytes: body.length, events: (JSON.parse(body) as unknown[]).length };
}

function summary(name: string, times: readonly Timed[]): BenchResult {
  return { case: name, metric: 'request', unit: 'ms', value: median(times.map(({ ms }) => ms)) };
}

async function askEach(service: LocalService, offsetMs: number): Promise<Timed[]> {
  const times: Timed[] = [];
  // The first does not count: it compiles.
  for (let day = 0; day <= DAYS; day += 1) times.push(await ask(service, FIRST_DAY_MS + day * DAY_MS + offsetMs));
  return times.slice(1);
}

/** `start`: a new isolate over the same state. */
async function measure(start: () => Promise<LocalService>): Promise<BenchResult[]> {
  const first = await start();
  const cold = await askEach(first, NOON_MS);
  const edge = await askEach(first, NOON_MS);
  await first.stop();
  const second = await start();
  const fromStore = await askEach(second, NOON_MS + 1000);
  const warm: Timed[] = [];
  for (let i = 0; i <= DAYS; i += 1) warm.push(await ask(second, FIRST_DAY_MS + DAYS * DAY_MS + NOON_MS + 2000 + i * 60_000));
  await second.stop();
  const { bytes, events } = cold[0] as Timed;
  return [
    summary('events, asked of the sources', cold),
    summary('events, day in the archive', fromStore),
    summary('events, day in the isolate', warm.slice(1)),
    summary('events, in the edge cache', edge),
    { case: 'events of an instant', metric: 'records', unit: '', value: events },
    { case: 'events of an instant', metric: 'answer', unit: 'kB', value: bytes / 1000 },
  ];
}

export const bench: Bench = {
  async run(log) {
    const stateDir = mkdtempSync(join(tmpdir(), 'helioedge-bench-'));
    await applyMigrations(stateDir, log);
    const upstream = await startSources();
    const start = async () =>
      startLocalService({
        port: await freePort(),
        stateDir,
        secrets: { ADMIN_TOKEN: 'token-of-the-events-bench' },
        vars: { EVENTS_UPSTREAM: upstream.url },
      });
    try {
      return await measure(start);
    } finally {
      await upstream.close();
      rmSync(stateDir, { recursive: true, force: true });
    }
  },
};

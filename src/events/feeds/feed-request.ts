// What the feeds of events share: their limits, and tables of HAPI.

import { type SessionLimits, UpstreamError } from '../../platform/http/bounded-fetch.ts';
import { isJsonObject } from '../../platform/util/bytes.ts';
import { inOrder } from '../../platform/util/concurrency.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { DAY_MINUTES, type XrayDay } from '../../sun/events/x-ray-flux.ts';
import { parseEventDate } from '../../sun/time.ts';
import { numberOf, type RawRecord, recordsOf, textOf } from '../records/record.ts';

/** The rows of a HAPI response by column name. Fill values become null. */
export function hapiRows(table: RawRecord, limit: number): RawRecord[] {
  const parameters = recordsOf(table, 'parameters').map((parameter) => ({
    name: textOf(parameter, 'name'),
    fill: textOf(parameter, 'fill'),
  }));
  const rows = Array.isArray(table.data) ? table.data.slice(0, limit).filter((row): row is unknown[] => Array.isArray(row)) : [];
  const isFill = (value: string | number, fill: string) =>
    fill !== '' && (String(value) === fill || Number(value) === Number(fill));
  return rows.map((row) =>
    Object.fromEntries(
      parameters.map(({ name, fill }, i) => {
        const value = row[i];
        const isScalar = typeof value === 'string' || typeof value === 'number';
        return [name, isScalar && !isFill(value, fill) ? value : null];
      }),
    ),
  );
}

/** Above any flare, W/m2. */
const MOST_FLUX = 1;

/** The minutes of a day from a HAPI table. @param column Its column of the flux */
export function xrayDay(table: RawRecord, column: string, dayMs: number): XrayDay {
  const minutes = Array.from({ length: DAY_MINUTES }, (): number | null => null);
  for (const row of hapiRows(table, DAY_MINUTES)) {
    // The first column of a table is its time.
    const [time = ''] = Object.keys(row);
    const [atMs, flux] = [parseEventDate(textOf(row, time)), numberOf(row, column)];
    const minute = atMs === null ? -1 : Math.floor((atMs - dayMs) / MINUTE_MS);
    if (flux !== null && flux > 0 && flux < MOST_FLUX && minute >= 0 && minute < DAY_MINUTES) minutes[minute] = flux;
  }
  return { dayMs, minutes };
}

export interface FeedLimits extends SessionLimits {
  readonly parallel: number;
  readonly pages: number;
  readonly records: number;
}

/** HAPI status of a response with rows and of one without; some servers omit it. */
const GOOD_STATUS: readonly unknown[] = [undefined, 1200, 1201];

/** The table of a response of a HAPI server. @throws UpstreamError that names the server */
export function hapiTable(response: unknown, server: string): RawRecord {
  const table: RawRecord = isJsonObject(response) ? response : {};
  const code = (table.status as { code?: unknown } | undefined)?.code;
  if (!GOOD_STATUS.includes(code))
    throw new UpstreamError(`${server} responded with status ${code} instead of rows.`, { isTransient: false });
  if (!Array.isArray(table.data)) throw new UpstreamError(`${server} sent no rows.`, { isTransient: true });
  return table;
}

/** The results of the requests of a day, and the names of those that failed, but for what the server does not have. @throws where all fail */
export async function gathered<Query, Result>(
  queries: readonly Query[],
  { parallel, nameOf }: { parallel: number; nameOf: (query: Query) => string },
  load: (query: Query) => Promise<Result>,
) {
  const [found, missing, failures]: [Result[], string[], unknown[]] = [[], [], []];
  const attempt = async (query: Query) => {
    try {
      return [await load(query)];
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.isTransient) missing.push(nameOf(query));
      failures.push(error);
      return [];
    }
  };
  for await (const results of inOrder(queries, parallel, attempt)) found.push(...results);
  if (queries.length > 0 && failures.length === queries.length) throw failures[0];
  return { found, missing };
}

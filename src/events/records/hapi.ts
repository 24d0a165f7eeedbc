// Tables of HAPI, the interface of servers of time series in heliophysics.
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { DAY_MINUTES, type XrayDay } from '../../sun/events/x-ray-flux.ts';
import { parseEventDate } from '../../sun/time.ts';
import { numberOf, type RawRecord, recordsOf, textOf } from './record.ts';

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

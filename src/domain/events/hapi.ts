// Tables of HAPI, the interface of servers of time series in heliophysics.
import { type RawRecord, recordsOf, textOf } from './record.ts';

/** The rows of a HAPI response by column name. Fill values become null. */
export function hapiRows(table: RawRecord, limit: number): RawRecord[] {
  const parameters = recordsOf(table, 'parameters').map((parameter) => {
    return { name: textOf(parameter, 'name'), fill: textOf(parameter, 'fill') };
  });
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

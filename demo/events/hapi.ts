// Responses of a HAPI server: a table between two times, or an error of HAPI 2.0, section 4.
import { queryTime } from './record-text.ts';

export interface HapiResponse {
  readonly status: 200 | 400 | 404;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * The response to a query for `/data`.
 * @param isKnown Whether the dataset of the query exists
 * @param parameters Columns of the table
 * @param rowsBetween Rows from `time.min` to `time.max`
 */
export function hapiTable(
  query: URLSearchParams,
  isKnown: boolean,
  parameters: readonly object[],
  rowsBetween: (fromMs: number, toMs: number) => readonly unknown[],
): HapiResponse {
  if (!isKnown) return hapiError(404, 1406, 'unknown dataset id');
  const [fromMs, toMs] = [queryTime(query.get('time.min')), queryTime(query.get('time.max'))];
  if (fromMs === null) return hapiError(400, 1402, 'error in start time');
  if (toMs === null) return hapiError(400, 1403, 'error in stop time');
  if (toMs <= fromMs) return hapiError(400, 1404, 'start time equal to or after stop time');
  const data = rowsBetween(fromMs, toMs);
  const status = { code: data.length > 0 ? 1200 : 1201, message: data.length > 0 ? 'OK' : 'OK - no data for time range' };
  return { status: 200, body: { HAPI: '2.0', status, parameters, format: 'json', data } };
}

function hapiError(status: 400 | 404, code: number, message: string): HapiResponse {
  return { status, body: { HAPI: '2.0', status: { code, message: `Bad request - ${message}` } } };
}

// Requests by operation from the SQL API of Workers Analytics Engine: https://developers.cloudflare.com/analytics/analytics-engine/sql-api/
import type { RequestAnalytics } from '../../platform/settings/service.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import type { State } from './d1-status-register.ts';

/** Sums of the requests of some minutes. */
export interface OperationCount {
  /** Name of the operation, or first part of the path of other files; `other` for all others. */
  readonly operation: string;
  readonly requests: number;
  /** Failures that are faults of the service. */
  readonly faults: number;
  /** Responses from the edge cache. */
  readonly hits: number;
  readonly seconds: number;
}

/** Writes a point of a time series. */
export type StatusPoints = (subject: string, state: State, values: readonly number[]) => void;

/** Points in Workers Analytics Engine; without its binding, as on this machine, they are dropped. */
export const analyticsPoints =
  (dataset: AnalyticsEngineDataset | undefined): StatusPoints =>
  (subject, state, values) =>
    dataset?.writeDataPoint({ indexes: [subject.slice(0, 96)], blobs: [subject, state], doubles: [...values] });

const RESPONSE_MS = 5 * SECOND_MS;
const MEMBERS = ['requests', 'faults', 'hits', 'seconds'] as const;

/** Points are sampled: each stands for `_sample_interval` of them. */
const queryOf = (dataset: string, minutes: number) =>
  `SELECT blob1 AS operation, SUM(_sample_interval) AS requests, SUM(_sample_interval * double1) AS faults,
SUM(_sample_interval * double2) AS hits, SUM(_sample_interval * double3) AS seconds
FROM ${dataset} WHERE timestamp > NOW() - INTERVAL '${minutes}' MINUTE GROUP BY operation FORMAT JSON`;

/** Requests of the last minutes. @throws Error when the API does not respond with them */
export async function analyticsCounts(
  { account, dataset, token }: RequestAnalytics,
  minutes: number,
  send: typeof fetch = fetch,
): Promise<readonly OperationCount[]> {
  const response = await send(`https://api.cloudflare.com/client/v4/accounts/${account}/analytics_engine/sql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: queryOf(dataset, minutes),
    signal: AbortSignal.timeout(RESPONSE_MS),
  });
  if (!response.ok) throw new Error(`Analytics Engine responds with status ${response.status}.`);
  const { data } = (await response.json()) as { readonly data: readonly Record<string, unknown>[] };
  return data.map((row) => {
    const [requests, faults, hits, seconds] = MEMBERS.map((member) => Number(row[member])) as [number, number, number, number];
    return { operation: String(row.operation), requests, faults, hits, seconds };
  });
}

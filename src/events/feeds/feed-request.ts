// What the feeds of events share: their limits, and tables of HAPI.
import { type SessionLimits, UpstreamError } from '../../platform/http/bounded-fetch.ts';
import { isJsonObject } from '../../platform/util/bytes.ts';
import { inOrder } from '../../platform/util/concurrency.ts';
import type { RawRecord } from '../records/record.ts';

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

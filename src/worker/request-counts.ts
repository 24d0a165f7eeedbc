// Requests by operation: as points in Workers Analytics Engine, which sums them over all isolates, and in this isolate.
import { operations, routeOf } from '../faces/index.ts';
import type { OperationCount } from '../operator/index.ts';
import { FAULT_HEADER } from '../platform/http/errors.ts';
import { operationNamed } from '../platform/http/operation.ts';
import { FROM_CACHE } from '../platform/http/response.ts';
import { MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import type { Env } from './env.ts';

/** Sums of a minute by operation: requests, faults, hits, seconds. */
type Sums = Map<string, readonly number[]>;

const NONE = [0, 0, 0, 0] as const;

/** Minutes of which /metrics has the sums. */
export const COUNTED_MINUTES = 5;

const minutes = new Map<number, Sums>();

/** Name of an operation, or first part of the path of a file; `other` for all others, so that clients make up no names. */
function operationOf(request: Request): string {
  const found = routeOf(request);
  switch (found.route?.kind) {
    case 'jpip':
      return 'jpip';
    case 'operation':
      return operationNamed(found, operations)?.name ?? 'other';
    case 'file':
    case 'resource':
      return found.path.split('/')[1]!;
    default:
      return 'other';
  }
}

const added = (sums: readonly number[], more: readonly number[]) => sums.map((sum, i) => sum + more[i]!);

/** Counts a response, which has taken `ms`, and takes the mark of a fault from it. */
export function countRequest({ REQUEST_POINTS }: Env, request: Request, response: Response, ms: number): void {
  const { headers } = response;
  const operation = operationOf(request);
  const isFault = headers.has(FAULT_HEADER);
  const values = [Number(isFault), Number(FROM_CACHE.test(headers.get('Cf-Cache-Status') ?? '')), ms / SECOND_MS];
  if (isFault) headers.delete(FAULT_HEADER);
  REQUEST_POINTS?.writeDataPoint({ indexes: [operation], blobs: [operation], doubles: values });
  const minute = Math.floor(Date.now() / MINUTE_MS);
  for (const known of minutes.keys()) if (known <= minute - COUNTED_MINUTES) minutes.delete(known);
  const sums: Sums = minutes.get(minute) ?? new Map();
  minutes.set(minute, sums.set(operation, added(sums.get(operation) ?? NONE, [1, ...values])));
}

/** Requests of this isolate in the last minutes. */
export function isolateCounts(): readonly OperationCount[] {
  const sums: Sums = new Map();
  for (const [operation, values] of [...minutes.values()].flatMap((each) => [...each]))
    sums.set(operation, added(sums.get(operation) ?? NONE, values));
  return [...sums].map(([operation, [requests = 0, faults = 0, hits = 0, seconds = 0]]) => ({
    operation,
    requests,
    faults,
    hits,
    seconds,
  }));
}

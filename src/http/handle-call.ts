// Handles the call of an operation through the edge cache.
import type { Clock } from '../ports/timing.ts';
import type { EdgeCache } from './edge-cache.ts';
import { asScript } from './jsonp.ts';
import type { Call, OperationContext } from './operation.ts';
import type { Shape } from './parameters.ts';
import { type BytesRepresentation, fromStored, type Representation, toStored } from './representation.ts';
import { misspelledParameters, type RawParameters } from './request-parameters.ts';
import { NOTICE, noticeHeader } from './response-headers.ts';

interface Caching {
  readonly edgeCache?: EdgeCache | undefined;
  readonly clock: Clock;
}

async function cached(key: string, { edgeCache, clock }: Caching): Promise<Representation | null> {
  const stored = await edgeCache?.match(key);
  return stored ? fromStored(stored, clock()) : null;
}

/** Whether a response can be the argument of a JSONP function: JSON and text, but no pictures, redirects or errors. */
const canBeScript = ({ status, contentType }: BytesRepresentation) =>
  status === undefined && /^(application\/json|text\/)/.test(contentType);

/**
 * The response to a call: from the edge cache if it is there, else from the operation, and stored if it is shared and in memory.
 * JSONP is applied last, so that all callback names share one cached response.
 */
export async function handleCall<Services>(
  call: Pick<Call<Services>, 'key' | 'callback' | 'handle'>,
  context: OperationContext<Services>,
  caching: Caching,
): Promise<Representation> {
  const { key, callback } = call;
  const hit = key === null || !caching.edgeCache ? null : await context.stopwatch.measure('cache', () => cached(key, caching));
  const representation = hit ?? (await call.handle(context));
  const inMemory = 'bytes' in representation;
  if (!hit && key !== null && inMemory && caching.edgeCache) {
    const stored = toStored(representation, representation.bytes, caching.clock());
    context.waitUntil(caching.edgeCache.put(key, stored));
  }
  return callback !== undefined && inMemory && canBeScript(representation) ? asScript(representation, callback) : representation;
}

/** The response with a notice on parameters that are ignored although their names are close to those of absent ones. */
export function withNotices(representation: Representation, shape: Shape, raw: RawParameters): Representation {
  const ignored = misspelledParameters(shape, raw);
  if (ignored.length === 0) return representation;
  const sentences = ignored.map(({ given, meant }) => `The parameter ${given} is unknown and ignored. Did you mean ${meant}?`);
  const earlier = representation.headers[NOTICE];
  const headers = noticeHeader(earlier === undefined ? sentences : [earlier, ...sentences]);
  return { ...representation, headers: { ...representation.headers, ...headers } };
}

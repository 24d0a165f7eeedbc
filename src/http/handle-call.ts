// Answers a call through the edge cache.
import type { Clock } from '../ports/timing.ts';
import type { EdgeCache } from './edge-cache.ts';
import { asScript } from './jsonp.ts';
import type { Call, OperationContext } from './operation.ts';
import { type BytesRepresentation, fromStored, type Representation, toStored } from './representation.ts';

interface Caching {
  readonly edgeCache: EdgeCache;
  readonly clock: Clock;
}

async function fromEdge(key: string, { edgeCache, clock }: Caching): Promise<Representation | null> {
  const stored = await edgeCache.match(key);
  return stored && fromStored(stored, clock());
}

/**
 * JSON and XML can be arguments of a function; a picture that was asked for with a callback stays a picture, and what leads
 * elsewhere or says what failed stays that.
 */
const isText = (answer: BytesRepresentation) =>
  answer.status === undefined && /^(application\/json|text\/)/.test(answer.contentType);

/**
 * The answer to a call: from the edge where it is shared there, else made, and kept there once it is whole. A script is
 * made of the answer last, so that every callback name shares one.
 */
export async function handleCall<Services>(
  call: Call<Services>,
  context: OperationContext<Services>,
  caching: Caching,
): Promise<Representation> {
  const { key, callback } = call;
  const kept = key === null ? null : await context.stopwatch.measure('cache', () => fromEdge(key, caching));
  const answer = kept ?? (await call.handle(context));
  const inMemory = 'bytes' in answer;
  if (!kept && key !== null && inMemory) {
    context.waitUntil(caching.edgeCache.put(key, toStored(answer, answer.bytes, caching.clock())));
  }
  return callback !== undefined && inMemory && isText(answer) ? asScript(answer, callback) : answer;
}

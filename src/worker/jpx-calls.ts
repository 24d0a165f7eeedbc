// Calls of the Worker to itself for the parts of long JPX files. Each is an invocation with subrequests of its own.
import type { JpxParts } from '../faces/index.ts';
import { MEMORY_WAIT_MS } from '../platform/limits/memory.ts';
import { Failure, type FailureKind, when } from '../platform/util/errors.ts';
import { SingleFlight } from '../platform/util/single-flight.ts';

/** Result of a call, because errors lose their class on the way. */
type Outcome<T> = { readonly value: T } | { readonly kind: FailureKind; readonly sentence: string };

export type JpxEntry = {
  [Name in 'layouts' | 'store']: (...given: Parameters<JpxParts[Name]>) => Promise<Outcome<Awaited<ReturnType<JpxParts[Name]>>>>;
};

const outcomeOf = <T>(work: Promise<T>): Promise<Outcome<T>> =>
  work.then((value) => ({ value })).catch(when(Failure, ({ kind, message: sentence }) => ({ kind, sentence })));

async function resultOf<T>(called: Promise<Outcome<T>>): Promise<T> {
  const outcome = await called;
  if ('value' in outcome) return outcome.value;
  throw new Failure(outcome.kind, outcome.sentence);
}

/** The side that is called. */
export const answering = (parts: JpxParts): JpxEntry => ({
  layouts: (images) => outcomeOf(parts.layouts(images)),
  store: (key, ranges) => outcomeOf(parts.store(key, ranges)),
});

export const calling = (entry: () => Promise<JpxEntry>): JpxParts => ({
  layouts: async (images) => resultOf((await entry()).layouts(images)),
  store: async (key, ranges) => resultOf((await entry()).store(key, ranges)),
  flights: new SingleFlight(MEMORY_WAIT_MS.background),
});

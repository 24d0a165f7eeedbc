import { Admission, type Limiters, type RenderCall } from '../../../src/platform/admission/admission.ts';
import { type Stopwatch, UNTIMED, type WaitUntil } from '../../../src/platform/ports/timing.ts';
import { anyMemory } from './any-memory.ts';
import { unlimited } from './unlimited.ts';

interface Choices extends Partial<Limiters> {
  readonly client?: string;
  readonly stopwatch?: Stopwatch;
  readonly waitUntil?: WaitUntil;
  readonly step?: (ms: number) => Promise<void>;
}

/** A request of a client without limits but these, and the memory of an isolate. */
export function callOf({
  client = '192.0.2.1',
  stopwatch = UNTIMED,
  waitUntil = () => undefined,
  step = async () => undefined,
  ...limiters
}: Choices = {}): RenderCall {
  const own = {
    requestLimiter: unlimited,
    pictureLimiter: unlimited,
    turns: { turn: (_: string, ms: number) => step(ms), change: async () => undefined },
    memory: anyMemory(),
    budgets: { spend: async () => undefined, charge: async () => 'charged' as const },
    afterRendering: async () => undefined,
  };
  const admission = new Admission({ ...own, ...limiters }, { client, stopwatch, waitUntil });
  return { admission, stopwatch, waitUntil };
}

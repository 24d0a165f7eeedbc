// Fuzz target of the cost of requests: hostile texts of growing length in every field of every operation, of messages of MCP and of JPIP,
// every header and every address, sent to the whole application over an archive in memory. No request may take CPU time that grows faster
// than its length.
import { respond } from '../../../src/worker/gateway.ts';
import { unlimited } from '../../support/memory/unlimited.ts';
import { type FuzzCase, type FuzzTarget, processorMs } from '../fuzzer.ts';
import { pick } from '../mutate.ts';
import { type Growth, growthAboveLinear } from './detector.ts';
import type { Field } from './field.ts';
import { fieldGroups } from './fields.ts';
import { growthService } from './service.ts';
import { drawTexts, type HostileText } from './texts.ts';

/** CPU milliseconds that collections of garbage and other interruptions add. */
const NOISE_MS = 5;
/**
 * Steps of the clock within which a linear cost may seem to be above linear: with each difference a step too large or too small, an increase D
 * beyond `LARGEST_RATIO` times that of half the length is at most 8 steps. A square below them is found where clocks are finer.
 */
const NOISE_STEPS = 8;
const CLOCK_LOOKS = 5;

/** The step of the clock of processor time in milliseconds: some kernels count whole ticks of 4 or 10 ms. */
function clockStepMs(): number {
  let step = Number.POSITIVE_INFINITY;
  for (let look = 0; look < CLOCK_LOOKS; look++) {
    const from = processorMs();
    let to = from;
    while (to === from) to = processorMs();
    step = Math.min(step, to - from);
  }
  return step;
}

export const growthTarget: FuzzTarget = async () => {
  const service = await growthService();
  const { app, settle, turns } = service;
  const groups = fieldGroups(service);
  const floor = Math.max(NOISE_MS, NOISE_STEPS * clockStepMs());
  // Without the edge cache, which would respond to all but the first of equal requests.
  const direct = (request: Request) => app.direct(request);
  const entryPoints = { direct, cached: direct, limiter: unlimited, turns, logFault: () => undefined };

  const costOf = async (request: Request): Promise<number> => {
    const before = processorMs();
    const response = await respond(request, entryPoints);
    await response.arrayBuffer();
    await settle();
    return processorMs() - before;
  };

  const growthOf = async ({ lengths, requests }: Field, text: HostileText): Promise<Growth | null> => {
    for (const request of requests) {
      const cost = (length: number) => costOf(request(text, length));
      const growth = await growthAboveLinear(cost, { lengths, floor });
      if (growth) return growth;
    }
    return null;
  };

  const runCase: FuzzCase = async (random, onInput) => {
    const field = pick(random, pick(random, groups));
    const texts = drawTexts(random, field.good ?? '');
    for (const text of field.good === null ? texts.slice(0, 1) : texts) {
      const what = `${field.where} = ${field.describe(text)}`;
      onInput(what);
      const growth = await growthOf(field, text);
      if (!growth) continue;
      const times = growth.costs.map((cost) => cost.toFixed(1)).join(', ');
      throw new Error(`${what} takes ${times} ms of CPU at n = ${growth.lengths.join(', ')}`);
    }
  };
  return Object.assign(runCase, { parts: groups.length });
};

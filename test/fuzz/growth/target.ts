// Fuzz target of the cost of requests: hostile texts of growing length in every field of every operation, of messages of MCP and of JPIP,
// every header and every address, sent to the whole application over an archive in memory. No request may take CPU time that grows faster
// than its length.
import { respond } from '../../../src/gateway.ts';
import { unlimited } from '../../support/memory/unlimited.ts';
import { type FuzzCase, type FuzzTarget, processorMs } from '../fuzzer.ts';
import { type Growth, growthAboveLinear } from './detector.ts';
import type { Field } from './field.ts';
import { fieldGroups } from './fields.ts';
import { growthService } from './service.ts';
import { drawTexts, type HostileText } from './texts.ts';

/** CPU milliseconds that collections of garbage and other interruptions add. */
const FLOOR_MS = 5;

export const growthTarget: FuzzTarget = async () => {
  const service = await growthService();
  const { app, settle, turns } = service;
  const groups = fieldGroups(service);
  // Without the edge cache, which would respond to all but the first of equal requests.
  const direct = (request: Request) => app.direct(request);
  const entryPoints = { direct, cached: direct, limiter: unlimited, turns };

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
      const growth = await growthAboveLinear(cost, { lengths, floor: FLOOR_MS });
      if (growth) return growth;
    }
    return null;
  };

  const runCase: FuzzCase = async (random, onInput) => {
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
    const field = pick(pick(groups));
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

// Fuzz target of the cost of requests: hostile texts of growing length in every field of every operation, every header and every field of
// JPIP, sent to the whole application over an archive in memory. No request may take CPU time that grows faster than its length.
import { respond } from '../../../src/gateway.ts';
import { Turns } from '../../../src/http/rate-limit.ts';
import { HOUR_MS } from '../../../src/util/durations.ts';
import { requestableArchive } from '../../support/good-requests.ts';
import { unlimited } from '../../support/memory/unlimited.ts';
import { type FuzzCase, type FuzzTarget, processorMs } from '../fuzzer.ts';
import { growthAboveLinear } from './detector.ts';
import { addressFields, type Field, headerFields, jpipFields, operationFields, resourceFields } from './fields.ts';
import { drawTexts, type HostileText } from './texts.ts';

/** CPU milliseconds that collections of garbage and other interruptions add. */
const FLOOR_MS = 5;
/** Fields of the same name, which most operations read by the same rules, count as one. */
const byName = (fields: readonly Field[]) => [...Map.groupBy(fields, ({ name }) => name).values()];

/** Turns on a clock by which each is due when it is looked for: costs are processor time, and to wait for others only delays them. */
function turnsWithoutWaits(): Turns {
  let ms = 0;
  return new Turns(() => (ms += HOUR_MS));
}

export const growthTarget: FuzzTarget = async () => {
  const turns = turnsWithoutWaits();
  const archive = await requestableArchive({ turns });
  const { app, settle } = archive;
  const groups = [
    [...operationFields(archive), ...addressFields()],
    headerFields(archive),
    jpipFields(),
    resourceFields(archive),
  ].flatMap(byName);

  const costOf = async (field: Field, text: HostileText, length: number): Promise<number> => {
    const requests = field.requests(text, length);
    const direct = (each: Request) => app.request(each);
    const before = processorMs();
    for (const request of requests) {
      const response = await respond(request, { direct, cached: () => direct(request), limiter: unlimited, turns });
      await response.arrayBuffer();
    }
    await settle();
    return processorMs() - before;
  };

  const runCase: FuzzCase = async (random, onInput) => {
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
    const field = pick(pick(groups));
    for (const text of drawTexts(random, field.good)) {
      const what = `${field.where} = ${field.describe(text)}`;
      onInput(what);
      const growth = await growthAboveLinear((length) => costOf(field, text, length), {
        lengths: field.lengths,
        floor: FLOOR_MS,
      });
      if (!growth) continue;
      const times = growth.costs.map((cost) => cost.toFixed(1)).join(', ');
      throw new Error(`${what} takes ${times} ms of CPU at n = ${growth.lengths.join(', ')}`);
    }
  };
  return Object.assign(runCase, { parts: groups.length });
};

// Coefficient sidecars: POST /admin/coefficients makes those of the first images of a period, and says where the rest begins.
import { Hono } from 'hono';
import { z } from 'zod';
import { jsonResponse } from '../../http/response.ts';
import type { CoefficientRange, RangeProgress } from '../../services/rendering/coefficient-range.ts';
import type { AdminVariables } from './admin-audit.ts';
import { jsonRequest } from './json-request.ts';

export type MakeCoefficients = (range: CoefficientRange) => Promise<RangeProgress>;

const BODY = {
  schema: z.strictObject({
    sourceId: z.int().min(0).max(10_000),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    parts: z
      .array(z.enum(['A', 'B', 'C']))
      .min(1)
      .max(3),
    renew: z.boolean(),
  }),
  what:
    '{"sourceId": <number>, "from": <date>, "to": <date>, "parts": ["A", "B", "C"], "renew": <boolean>} ' +
    'with dates such as 2024-05-10T00:00:00.000Z',
  maxBytes: 1024,
};

/** Routes to be mounted behind the token check of the admin routes. */
export function coefficientRoutes(make: MakeCoefficients): Hono<AdminVariables> {
  return new Hono<AdminVariables>().post('/', async (c) => {
    const { sourceId, from, to, parts, renew } = await jsonRequest(c.req.raw, BODY);
    const range = { sourceId, fromMs: Date.parse(from), toMs: Date.parse(to), parts: new Set(parts), renew };
    const { nextMs, ...counts } = await make(range);
    if (counts.made > 0)
      c.set('change', { action: 'make-coefficients', subject: `${counts.made} of source ${sourceId} from ${from}` });
    return jsonResponse({ ...counts, next: nextMs === null ? null : new Date(nextMs).toISOString() });
  });
}

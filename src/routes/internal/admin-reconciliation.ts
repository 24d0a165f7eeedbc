// Comparison of objects and rows: POST /admin/reconciliation compares a page, GET shows the walk of the clock.
import { Hono } from 'hono';
import { z } from 'zod';
import { Failure } from '../../domain/errors.ts';
import { formatIso } from '../../domain/time.ts';
import { requestBody } from '../../http/request-parameters.ts';
import { jsonResponse } from '../../http/send.ts';
import { BEGINNING, WALKS } from '../../services/reconciliation/faults.ts';
import type { ReconciledStep, ReconciliationState, reconcileStep } from '../../services/reconciliation/reconcile.ts';
import type { AdminVariables } from './admin-audit.ts';

export interface ReconciliationServices {
  readonly reconcile: (step: Parameters<typeof reconcileStep>[1]) => Promise<ReconciledStep>;
  readonly reconciliation: () => Promise<ReconciliationState | null>;
}

const MAX_BODY_BYTES = 4096;

const BODY = z.object({
  cursor: z.object({ walk: z.enum(WALKS), after: z.string().max(1100) }).nullable(),
  mend: z.boolean(),
});

/** Routes to be mounted behind the token check of the admin routes. */
export function reconciliationRoutes({ reconcile, reconciliation }: ReconciliationServices): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .get('/', async () => jsonResponse(stateJson(await reconciliation())))
    .post('/', async (c) => {
      const { cursor, mend } = bodyOf(await requestBody(c.req.raw, MAX_BODY_BYTES));
      const step = await reconcile({ cursor: cursor ?? BEGINNING, mends: mend });
      const paths = step.faults.filter(({ mended }) => mended !== null).map(({ path }) => path);
      if (paths.length > 0) {
        c.set('change', { action: 'mend', subject: `${paths.length} from ${paths[0]} to ${paths.at(-1)}` });
      }
      return jsonResponse(step);
    });
}

function bodyOf(bytes: Uint8Array): z.infer<typeof BODY> {
  try {
    return BODY.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    const sentence = `Expected {"cursor": {"walk": "${WALKS.join('", "')}", "after": <text>} or null, "mend": <boolean>} for the body, got something else.`;
    throw new Failure('bad-parameter', sentence);
  }
}

/** Null before the first step of the clock. */
function stateJson(state: ReconciliationState | null) {
  if (!state) return null;
  const { cursor, startedAtMs, examined, faults, last } = state;
  const round = last && {
    started: formatIso(last.startedAtMs),
    ended: formatIso(last.endedAtMs),
    examined: last.examined,
    faults: last.faults,
  };
  return { cursor, started: formatIso(startedAtMs), examined, faults, last: round };
}

// Comparison of objects and rows: POST /admin/reconciliation compares a page, GET shows the walk of the clock.
import { Hono } from 'hono';
import { z } from 'zod';
import { RECONCILIATION } from '../../config/limits/images.ts';
import { formatIso } from '../../domain/time.ts';
import { jsonResponse } from '../../http/response.ts';
import { BEGINNING, WALKS } from '../../services/reconciliation/faults.ts';
import type { ReconciledStep, ReconciliationRequest, ReconciliationState } from '../../services/reconciliation/reconcile.ts';
import type { AdminVariables } from './admin-audit.ts';
import { jsonRequest } from './json-request.ts';

export interface ReconciliationServices {
  readonly reconcileStep: (step: ReconciliationRequest) => Promise<ReconciledStep>;
  readonly reconciliationState: () => Promise<ReconciliationState | null>;
}

const BODY = {
  schema: z.strictObject({
    cursor: z.strictObject({ walk: z.enum(WALKS), after: z.string().max(1100) }).nullable(),
    mend: z.boolean(),
    contents: z.boolean().default(false),
  }),
  what: `{"cursor": {"walk": "${WALKS.join('", "')}", "after": <text>} or null, "mend": <boolean>, "contents": <boolean>}`,
  maxBytes: 4096,
};

/** Routes to be mounted behind the token check of the admin routes. */
export function reconciliationRoutes({ reconcileStep, reconciliationState }: ReconciliationServices): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .get('/', async () => jsonResponse(stateJson(await reconciliationState())))
    .post('/', async (c) => {
      const { cursor, mend, contents: readsAll } = await jsonRequest(c.req.raw, BODY);
      const contents = readsAll ? RECONCILIATION.contents : RECONCILIATION.clockContents;
      const step = await reconcileStep({ cursor: cursor ?? BEGINNING, mends: mend, contents });
      const paths = step.faults.filter(({ mended }) => mended !== null).map(({ path }) => path);
      if (paths.length > 0) {
        c.set('change', { action: 'mend', subject: `${paths.length} from ${paths[0]} to ${paths.at(-1)}` });
      }
      return jsonResponse(step);
    });
}

/** Null before the first step of the clock. */
function stateJson(state: ReconciliationState | null) {
  if (!state) return null;
  const { cursor, startedAtMs, images, examined, stated, faults, last } = state;
  const round = last && {
    started: formatIso(last.startedAtMs),
    ended: formatIso(last.endedAtMs),
    images: last.images,
    examined: last.examined,
    stated: last.stated,
    faults: last.faults,
  };
  return { cursor, started: formatIso(startedAtMs), images, examined, stated, faults, last: round };
}

// Steps of `npm run mirror`: POST /admin/mirror/sources lists the sources of another archive, POST /admin/mirror/step copies images of one.
import { z } from 'zod';
import { jsonResponse } from '../platform/http/response.ts';
import { MIRROR_REQUESTS } from '../platform/limits/mirror.ts';
import { Failure } from '../platform/util/errors.ts';
import { isPlainHttp } from '../platform/util/url.ts';
import { jsonRequest, operatorRoute } from './admin-scopes.ts';
import { MirrorError } from './mirror/ports.ts';

const isAddress = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && isPlainHttp(url) && url.search === '' && url.hash === '';
};

const UPSTREAM = z.strictObject({
  kind: z.enum(['tree', 'api']),
  address: z.string().refine(isAddress),
  perSecond: z.number().min(0.1).max(MIRROR_REQUESTS.maxPerSecond),
  parallel: z.number().int().min(1).max(MIRROR_REQUESTS.maxParallel),
});

const STEP = UPSTREAM.extend({
  scope: z.strictObject({
    sourceId: z.number().int(),
    cadenceMs: z.number().int().positive().nullable(),
    fromMs: z.number().int(),
  }),
  toMs: z.number().int(),
  again: z.boolean(),
  position: z
    .object({
      part: z.enum(['open', 'list']),
      fromMs: z.number().int(),
      afterName: z.string().nullable(),
      failure: z.string().nullable(),
    })
    .nullable(),
});

const FORM = { what: 'a request of `npm run mirror`. Use the command of the same version', maxBytes: 8 << 10 };
const UPSTREAM_BODY = { schema: UPSTREAM, ...FORM };
const STEP_BODY = { schema: STEP, ...FORM };

/** Throws the failure of an upstream as one of its address, which the command shows. */
function asBadAddress(error: unknown): never {
  throw error instanceof MirrorError
    ? new Failure('bad-parameter', error.message, { parameter: 'address', cause: error })
    : error;
}

export const mirrorRoutes = [
  operatorRoute('POST /admin/mirror/sources', 'mirror', async ({ services, request }) => {
    const sources = services.mirrorCommands.sources(await jsonRequest(request, UPSTREAM_BODY));
    return jsonResponse({ sources: await sources.catch(asBadAddress) });
  }),
  operatorRoute('POST /admin/mirror/step', 'mirror', async ({ services, request, changed }) => {
    const step = await jsonRequest(request, STEP_BODY);
    const result = await services.mirrorCommands.step(step, step);
    if (result.added > 0) changed({ action: 'mirror', subject: `${result.added} of source ${step.scope.sourceId}` });
    return jsonResponse(result);
  }),
];

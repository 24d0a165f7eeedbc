// Steps of `npm run mirror`: POST /admin/mirror/sources lists the sources of another archive, POST /admin/mirror/step copies images of one.
import { Hono } from 'hono';
import { z } from 'zod';
import { MIRROR_REQUESTS } from '../../config/limits/mirror.ts';
import { Failure } from '../../domain/errors.ts';
import { requestBody } from '../../http/request.ts';
import { jsonResponse } from '../../http/response.ts';
import type { CommandedResult, CommandedStep } from '../../services/mirror/mirror-step.ts';
import { isPlainHttp } from '../../util/url.ts';
import type { AdminVariables } from './admin-audit.ts';

const BODY_BYTES = 8 << 10;

const isAddress = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && isPlainHttp(url) && url.search === '' && url.hash === '';
};

const UPSTREAM = z.object({
  kind: z.enum(['tree', 'api']),
  address: z.string().refine(isAddress),
  perSecond: z.number().min(0.1).max(MIRROR_REQUESTS.maxPerSecond),
  parallel: z.number().int().min(1).max(MIRROR_REQUESTS.maxParallel),
});

const STEP = UPSTREAM.extend({
  scope: z.object({ sourceId: z.number().int(), cadenceMs: z.number().int().positive().nullable(), fromMs: z.number().int() }),
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

/** Another archive, and how fast it may be asked. */
export type CommandedUpstream = z.output<typeof UPSTREAM>;

export interface MirrorCommands {
  sources(upstream: CommandedUpstream): Promise<readonly number[]>;
  step(upstream: CommandedUpstream, step: CommandedStep): Promise<CommandedResult>;
}

/** Routes to be mounted behind the token check of the admin routes. */
export function mirrorRoutes(mirror: MirrorCommands): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .post('/sources', async (c) => jsonResponse({ sources: await mirror.sources(await body(c.req.raw, UPSTREAM)) }))
    .post('/step', async (c) => {
      const step = await body(c.req.raw, STEP);
      const result = await mirror.step(step, step);
      if (result.added > 0) c.set('change', { action: 'mirror', subject: `${result.added} of source ${step.scope.sourceId}` });
      return jsonResponse(result);
    });
}

async function body<T>(request: Request, shape: z.ZodType<T>): Promise<T> {
  try {
    return shape.parse(JSON.parse(new TextDecoder().decode(await requestBody(request, BODY_BYTES))));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('bad-parameter', 'The body is not a request of `npm run mirror`. Use the command of the same version.');
  }
}

// Purges of the edge cache: POST /admin/purge with {"tags": [<tag>, ...]} or {"everything": true}. No stored object is touched.
import { Hono } from 'hono';
import { z } from 'zod';
import { PURGES } from '../../config/limits/images.ts';
import { Failure } from '../../domain/errors.ts';
import { jsonResponse } from '../../http/response.ts';
import { PurgeRefused, type ResponseCaches } from '../../ports/images.ts';
import type { AdminVariables } from './admin-audit.ts';
import { jsonRequest } from './json-request.ts';

const TAGS = PURGES.calls * PURGES.tagsPerCall;
/** A tag of the platform: visible characters of ASCII but for the comma, which separates tags. */
const TAG = /^[!-+\--~]{1,1024}$/;

const BODY = {
  schema: z.union([
    z.strictObject({ tags: z.array(z.string().regex(TAG)).min(1).max(TAGS) }),
    z.strictObject({ everything: z.literal(true) }),
  ]),
  what: `{"tags": [<text>, ...]} with 1 to ${TAGS} tags, such as image-<32 digits> or folder-AIA/2024/05/10/171, or {"everything": true}`,
  maxBytes: 64 << 10,
};

/** Seconds after which the platform accepts another purge. */
const RETRY_SECONDS = 60;

/** Routes to be mounted behind the token check of the admin routes. Response: `{purged}`, the number of tags or `everything`. */
export function purgeRoutes(caches: ResponseCaches): Hono<AdminVariables> {
  return new Hono<AdminVariables>().post('/', async (c) => {
    const what = await jsonRequest(c.req.raw, BODY);
    const purged = 'tags' in what ? what.tags : 'everything';
    await caches.purge(purged).catch((error: unknown) => {
      if (!(error instanceof PurgeRefused)) throw error;
      const sentence = 'The platform accepts no purge at the moment: five calls a minute. Try again in a minute.';
      throw new Failure('archive-busy', sentence, { retryAfterSeconds: RETRY_SECONDS });
    });
    const subject = purged === 'everything' ? purged : `${purged.length} tags, the first ${purged[0]!.slice(0, 100)}`;
    c.set('change', { action: 'purge', subject });
    return jsonResponse({ purged: purged === 'everything' ? purged : purged.length });
  });
}

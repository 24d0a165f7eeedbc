// POST /admin/known {"names": [<file name>]}: which of the names the archive has, or has withdrawn. For commands that copy many files.
import { Hono } from 'hono';
import { z } from 'zod';
import { MIRROR_NAMES } from '../../config/limits/mirror.ts';
import { IMAGE_NAME_CHARACTERS } from '../../domain/archive/keys.ts';
import { jsonResponse } from '../../http/response.ts';
import { jsonRequest } from './json-request.ts';

/** The names among those given that the archive has, or has withdrawn. */
export type FindKnownNames = (fileNames: readonly string[]) => Promise<ReadonlySet<string>>;

const BODY = {
  schema: z.strictObject({ names: z.array(z.string().max(IMAGE_NAME_CHARACTERS)).max(MIRROR_NAMES) }),
  what: `{"names": [<file name>]} with up to ${MIRROR_NAMES} names`,
  maxBytes: 64 << 10,
};

/** Routes to be mounted behind the token check of the admin routes. The response is `{known: [<file name>]}`. */
export function knownRoutes(find: FindKnownNames): Hono {
  return new Hono().post('/', async (c) => {
    const { names } = await jsonRequest(c.req.raw, BODY);
    return jsonResponse({ known: [...(await find(names))] });
  });
}

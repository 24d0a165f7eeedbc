// POST /admin/known {"names": [<file name>]}: which of the names the archive has, or has withdrawn. For commands that copy many files.
import { Hono } from 'hono';
import { z } from 'zod';
import { MIRROR_NAMES } from '../../config/limits/mirror.ts';
import { Failure } from '../../domain/errors.ts';
import { IMAGE_NAME_CHARACTERS } from '../../domain/image.ts';
import { requestBody } from '../../http/request-parameters.ts';
import { jsonResponse } from '../../http/send.ts';

/** The names among those given that the archive has, or has withdrawn. */
export type FindKnownNames = (fileNames: readonly string[]) => Promise<ReadonlySet<string>>;

const MAX_BODY_BYTES = 64 << 10;

const BODY = z.object({ names: z.array(z.string().max(IMAGE_NAME_CHARACTERS)).max(MIRROR_NAMES) });

/** Routes to be mounted behind the token check of the admin routes. The response is `{known: [<file name>]}`. */
export function knownRoutes(find: FindKnownNames): Hono {
  return new Hono().post('/', async (c) => {
    const { names } = bodyOf(await requestBody(c.req.raw, MAX_BODY_BYTES));
    return jsonResponse({ known: [...(await find(names))] });
  });
}

function bodyOf(bytes: Uint8Array): z.infer<typeof BODY> {
  try {
    return BODY.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    const sentence = `Expected {"names": [<file name>]} with up to ${MIRROR_NAMES} names for the body, got something else.`;
    throw new Failure('bad-parameter', sentence);
  }
}

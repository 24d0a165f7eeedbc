// Pictures of outlines at the paths in `hv_poly_url` of event records.

import { Failure } from '../../domain/errors.ts';
import { parseOutlinePath } from '../../domain/events/outline-path.ts';
import { MEDIA_TYPES } from '../../domain/media-types.ts';
import { DRAWN } from '../../http/cache-policy.ts';
import { bytesReply, type Representation } from '../../http/response.ts';
import type { Context } from '../services.ts';

/**
 * The picture at a path, without its first slash. The path says what is drawn, so the response changes with the renderer alone.
 * @throws Failure `unknown-path` for a path that no record has
 */
export async function outlineFile(path: string, context: Context): Promise<Representation> {
  const shape = parseOutlinePath(path);
  if (!shape) throw new Failure('unknown-path', 'No outline of an event has this URL.');
  return bytesReply(MEDIA_TYPES.png, await context.services.outlinePictures.png(shape, context), DRAWN);
}

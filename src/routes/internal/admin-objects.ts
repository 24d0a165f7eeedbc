// Indexing of objects that others have put into the bucket: GET /admin/objects lists them, POST /admin/objects adds rows for some.
import { Hono } from 'hono';
import { z } from 'zod';
import { INDEXING } from '../../config/limits/images.ts';
import { badParameter } from '../../domain/errors.ts';
import { jsonResponse } from '../../http/response.ts';
import type { FoundObjects, ListedObject } from '../../ports/objects.ts';
import {
  type IndexedObject,
  type IndexingOptions,
  type indexObjects,
  listObjects,
  objectAt,
} from '../../services/images/index-objects.ts';
import type { AdminVariables } from './admin-audit.ts';
import { jsonRequest } from './json-request.ts';

export interface ObjectServices {
  readonly objects: Pick<FoundObjects, 'list'>;
  readonly indexObjects: (objects: readonly ListedObject[], options: IndexingOptions) => ReturnType<typeof indexObjects>;
}

const BODY = {
  schema: z.strictObject({
    objects: z
      .array(z.strictObject({ path: z.string().max(INDEXING.pathCharacters), size: z.number().int().nonnegative() }))
      .max(INDEXING.objects),
    readPackets: z.boolean().default(false),
  }),
  what: `{"objects": [{"path": <text>, "size": <bytes>}]} with up to ${INDEXING.objects} objects`,
  maxBytes: INDEXING.bodyBytes,
};

/**
 * Routes to be mounted behind the token check of the admin routes. Paths are keys without `jp2/`. A list is `{objects: [{path, size}], next}`
 * in the order of the paths, where `next` is the `after` of the next page, or null; the response to POST is `{added, known, problems: [{path, outcome, reason, sentence, warning}],
 * timesMs}` with the milliseconds of each stage.
 */
export function objectRoutes({ objects, indexObjects }: ObjectServices): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .get('/', async (c) => {
      const { prefix = '', after = '', limit } = c.req.query();
      return jsonResponse(await listObjects(objects, { prefix, after, limit: limitOf(limit) }));
    })
    .post('/', async (c) => {
      const { objects: named, readPackets } = await jsonRequest(c.req.raw, BODY);
      const { results, timesMs } = await indexObjects(named.map(objectAt), { readPackets });
      const of = (outcome: IndexedObject['outcome']) => results.filter((result) => result.outcome === outcome);
      const added = of('added');
      if (added.length > 0) c.set('change', { action: 'index-objects', subject: subjectOf(added) });
      const problems = results.filter(({ outcome, warning }) => warning || (outcome !== 'added' && outcome !== 'known'));
      return jsonResponse({ added: added.length, known: of('known').length, problems, timesMs });
    });
}

/** `42 from <first path> to <last path>` */
function subjectOf(added: readonly IndexedObject[]): string {
  const paths = added.map(({ path }) => path).sort();
  return `${paths.length} from ${paths[0]} to ${paths.at(-1)}`;
}

function limitOf(text: string | undefined): number {
  const limit = Number(text ?? INDEXING.listed);
  if (Number.isInteger(limit) && limit >= 1 && limit <= INDEXING.listed) return limit;
  throw badParameter('limit', `a whole number from 1 to ${INDEXING.listed}`, text);
}

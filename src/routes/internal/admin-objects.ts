// Indexing of objects that others have put into the bucket: GET /admin/objects lists them, POST /admin/objects adds rows for some.
import { Hono } from 'hono';
import { z } from 'zod';
import { INDEXING } from '../../config/limits/images.ts';
import { badParameter, Failure } from '../../domain/errors.ts';
import { requestBody } from '../../http/request-parameters.ts';
import { jsonResponse } from '../../http/send.ts';
import type { FoundObjects, ListedObject } from '../../ports/objects.ts';
import {
  type IndexedObject,
  type IndexingOptions,
  type indexObjects,
  listObjects,
  objectAt,
} from '../../services/images/index-objects.ts';
import type { AdminVariables } from './admin-audit.ts';

export interface ObjectServices {
  readonly objects: Pick<FoundObjects, 'list'>;
  readonly indexObjects: (objects: readonly ListedObject[], options: IndexingOptions) => ReturnType<typeof indexObjects>;
}

const SHAPE = z.object({
  objects: z
    .array(z.object({ path: z.string().max(INDEXING.pathCharacters), size: z.number().int().nonnegative() }))
    .max(INDEXING.objects),
  readPackets: z.boolean().default(false),
});

/**
 * Routes to be mounted behind the token check of the admin routes. Paths are keys without `jp2/`. A list is `{objects: [{path, size}]}`
 * in the order of the paths; the response to POST is `{added, known, problems: [{path, outcome, reason, sentence}],
 * timesMs}` with the milliseconds of each stage.
 */
export function objectRoutes({ objects, indexObjects }: ObjectServices): Hono<AdminVariables> {
  return new Hono<AdminVariables>()
    .get('/', async (c) => {
      const { prefix = '', after = '', limit } = c.req.query();
      return jsonResponse({ objects: await listObjects(objects, { prefix, after, limit: limitOf(limit) }) });
    })
    .post('/', async (c) => {
      const body = await requestBody(c.req.raw, INDEXING.bodyBytes);
      const { objects: named, readPackets } = parseBody(new TextDecoder().decode(body));
      const { results, timesMs } = await indexObjects(named.map(objectAt), { readPackets });
      const of = (outcome: IndexedObject['outcome']) => results.filter((result) => result.outcome === outcome);
      const added = of('added');
      if (added.length > 0) c.set('change', { action: 'index-objects', subject: subjectOf(added) });
      const problems = results.filter(({ outcome }) => outcome !== 'added' && outcome !== 'known');
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

function parseBody(text: string): z.output<typeof SHAPE> {
  try {
    return SHAPE.parse(JSON.parse(text));
  } catch {
    const sentence = `Expected {"objects": [{"path": <text>, "size": <bytes>}]} with up to ${INDEXING.objects} objects for the body, got something else.`;
    throw new Failure('bad-parameter', sentence);
  }
}

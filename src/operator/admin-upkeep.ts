// Upkeep: GET /admin/objects lists what others have put into the bucket, POST adds rows for some. POST /admin/reconciliation compares a page of
// objects and rows, GET shows the walk of the clock. POST /admin/purge with {"tags": [<tag>, ...]} or {"everything": true} purges the edge cache, and
// touches no stored object. GET /admin/dead-letters lists the oldest messages that no consumer could work off, POST sends these to their queues again.
import { z } from 'zod';
import { type IndexedObject, listObjects, objectAt } from '../archive/ingest/index-objects.ts';
import { PurgeRefused } from '../archive/ports.ts';
import { jsonResponse } from '../platform/http/response.ts';
import { INDEXING, PURGES, RECONCILIATION } from '../platform/limits/images.ts';
import { badParameter, Failure } from '../platform/util/errors.ts';
import { formatIso } from '../sun/time.ts';
import { jsonRequest, operatorRoute } from './admin-scopes.ts';
import { BEGINNING, WALKS } from './reconciliation/find-faults.ts';
import type { ReconciliationState } from './reconciliation/reconcile.ts';
import { queueOf } from './status/jobs.ts';

const OBJECTS_BODY = {
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
 * Paths are keys without `jp2/`. A list is `{objects: [{path, size}], next}`
 * in the order of the paths, where `next` is the `after` of the next page, or null; the response to POST is `{added, known, problems: [{path, outcome, reason, sentence, warning}],
 * timesMs}` with the milliseconds of each stage.
 */
export const objectRoutes = [
  operatorRoute('GET /admin/objects', 'ingest', async ({ services, url: { searchParams } }) => {
    const [prefix, after] = [searchParams.get('prefix') ?? '', searchParams.get('after') ?? ''];
    return jsonResponse(await listObjects(services.objects, { prefix, after, limit: limitOf(searchParams.get('limit')) }));
  }),
  operatorRoute('POST /admin/objects', 'ingest', async ({ services, request, changed }) => {
    const { objects: named, readPackets } = await jsonRequest(request, OBJECTS_BODY);
    const { results, timesMs } = await services.indexObjects(named.map(objectAt), { readPackets });
    const of = (outcome: IndexedObject['outcome']) => results.filter((result) => result.outcome === outcome);
    const added = of('added');
    if (added.length > 0) changed({ action: 'index-objects', subject: subjectOf(added) });
    const problems = results.filter(({ outcome, warning }) => warning || (outcome !== 'added' && outcome !== 'known'));
    return jsonResponse({ added: added.length, known: of('known').length, problems, timesMs });
  }),
];

/** `42 from <first path> to <last path>` */
function subjectOf(added: readonly IndexedObject[]): string {
  const paths = added.map(({ path }) => path).sort();
  return `${paths.length} from ${paths[0]} to ${paths.at(-1)}`;
}

function limitOf(text: string | null): number {
  const limit = Number(text ?? INDEXING.listed);
  if (Number.isInteger(limit) && limit >= 1 && limit <= INDEXING.listed) return limit;
  throw badParameter('limit', `a whole number from 1 to ${INDEXING.listed}`, text);
}

const STEP_BODY = {
  schema: z.strictObject({
    cursor: z.strictObject({ walk: z.enum(WALKS), after: z.string().max(1100) }).nullable(),
    mend: z.boolean(),
    contents: z.boolean().default(false),
  }),
  what: `{"cursor": {"walk": "${WALKS.join('", "')}", "after": <text>} or null, "mend": <boolean>, "contents": <boolean>}`,
  maxBytes: 4096,
};

export const reconciliationRoutes = [
  operatorRoute('GET /admin/reconciliation', 'withdraw', async ({ services }) =>
    jsonResponse(stateJson(await services.reconciliationState())),
  ),
  operatorRoute('POST /admin/reconciliation', 'withdraw', async ({ services, request, changed }) => {
    const { cursor, mend, contents: readsAll } = await jsonRequest(request, STEP_BODY);
    const contents = readsAll ? RECONCILIATION.contents : RECONCILIATION.clockContents;
    const step = await services.reconcileStep({ cursor: cursor ?? BEGINNING, mends: mend, contents });
    const paths = step.faults.filter(({ mended }) => mended !== null).map(({ path }) => path);
    if (paths.length > 0) changed({ action: 'mend', subject: `${paths.length} from ${paths[0]} to ${paths.at(-1)}` });
    return jsonResponse(step);
  }),
];

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

const TAGS = PURGES.calls * PURGES.tagsPerCall;
/** A tag of the platform: visible characters of ASCII but for the comma, which separates tags. */
const TAG = /^[!-+\--~]{1,1024}$/;

const PURGE_BODY = {
  schema: z.union([
    z.strictObject({ tags: z.array(z.string().regex(TAG)).min(1).max(TAGS) }),
    z.strictObject({ everything: z.literal(true) }),
  ]),
  what: `{"tags": [<text>, ...]} with 1 to ${TAGS} tags, such as image-<32 digits> or folder-AIA/2024/05/10/171, or {"everything": true}`,
  maxBytes: 64 << 10,
};

/** Seconds after which the platform accepts another purge. */
const RETRY_SECONDS = 60;

/** Response: `{purged}`, the number of tags or `everything`. */
export const purgeRoute = operatorRoute('POST /admin/purge', 'withdraw', async ({ services, request, changed }) => {
  const what = await jsonRequest(request, PURGE_BODY);
  const purged = 'tags' in what ? what.tags : 'everything';
  await services.caches.purge(purged).catch((error: unknown) => {
    if (!(error instanceof PurgeRefused)) throw error;
    const sentence = 'The platform accepts no purge at the moment: five calls a minute. Try again in a minute.';
    throw new Failure('busy', sentence, { retryAfterSeconds: RETRY_SECONDS });
  });
  const subject = purged === 'everything' ? purged : `${purged.length} tags, the first ${purged[0]!.slice(0, 100)}`;
  changed({ action: 'purge', subject });
  return jsonResponse({ purged: purged === 'everything' ? purged : purged.length });
});

/** Responses: `{count, letters: [{time, queue, body}]}`, where `count` is the number of all; `{sent, left}`. */
export const deadLetterRoutes = [
  operatorRoute('GET /admin/dead-letters', 'all', async ({ services: { deadLetters: register } }) => {
    const letters = (await register.letters()).map(({ atMs, queue, body }) => ({
      time: formatIso(atMs),
      queue,
      body: JSON.parse(body),
    }));
    return jsonResponse({ count: await register.deadLetters(), letters });
  }),
  operatorRoute('POST /admin/dead-letters', 'all', async ({ services, changed }) => {
    const { deadLetters: register, send } = services;
    const letters = await register.letters();
    for (const { number, body } of letters) {
      const message: unknown = JSON.parse(body);
      await send(queueOf(message), [message]);
      await register.removeLetter(number);
    }
    if (letters.length > 0) changed({ action: 'replay', subject: `${letters.length} dead letters` });
    return jsonResponse({ sent: letters.length, left: await register.deadLetters() });
  }),
];

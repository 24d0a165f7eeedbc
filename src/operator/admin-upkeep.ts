// Upkeep: GET /admin/objects lists what others have put into the bucket, POST adds rows for some. POST /admin/reconciliation compares a page of
// objects and rows, GET shows the walk of the clock. POST /admin/purge with {"tags": [<tag>, ...]} or {"everything": true} purges the edge cache, and
// touches no stored object. GET /admin/dead-letters lists the oldest messages that no consumer could work off, POST sends these to their queues again.
import { z } from 'zod';
import { type IndexedObject, listObjects, objectAt } from '../archive/ingest/index-objects.ts';
import { PurgeRefused } from '../archive/ports.ts';
import { jsonResponse } from '../platform/http/response.ts';
import { INDEXING, PURGES, RECONCILIATION } from '../platform/limits/images.ts';
import { WEBHOOKS } from '../platform/limits/webhooks.ts';
import { badParameter, Failure, when } from '../platform/util/errors.ts';
import { findSource, memberSources } from '../sun/catalogue/sources.ts';
import { findEventType } from '../sun/events/event-types.ts';
import { formatIso } from '../sun/time.ts';
import { type Asked, jsonRequest, numberOf, operatorRoute } from './admin-scopes.ts';
import { COMMANDED_STEP, COMMANDED_UPSTREAM, MirrorError } from './mirror/ports.ts';
import { BEGINNING, WALKS } from './reconciliation/find-faults.ts';
import type { ReconciliationState } from './reconciliation/reconcile.ts';
import { queueOf } from './status/jobs.ts';
import { isoOrNull } from './status/service-status.ts';
import type { Webhook, WebhookOrder } from './webhooks/d1-webhooks.ts';

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
const objectRoutes = [
  operatorRoute('GET /admin/objects', 'ingest', async ({ services, url: { searchParams } }) => {
    const [prefix, after] = [searchParams.get('prefix') ?? '', searchParams.get('after') ?? ''];
    const limit = numberOf('limit', searchParams.get('limit'), INDEXING.listed, INDEXING.listed);
    return jsonResponse(await listObjects(services.objects, { prefix, after, limit }));
  }),
  operatorRoute('POST /admin/objects', 'ingest', async ({ services, request, changed }) => {
    const { objects: named, readPackets } = await jsonRequest(request, OBJECTS_BODY);
    const { results, timesMs } = await services.indexObjects(named.map(objectAt), { readPackets });
    const of = (outcome: IndexedObject['outcome']) => results.filter((result) => result.outcome === outcome);
    const added = of('added');
    if (added.length > 0) changed({ action: 'index-objects', subject: subjectOf(added.map(({ path }) => path).sort()) });
    const problems = results.filter(({ outcome, warning }) => warning || (outcome !== 'added' && outcome !== 'known'));
    return jsonResponse({ added: added.length, known: of('known').length, problems, timesMs });
  }),
];

/** `42 from <first path> to <last path>` */
const subjectOf = (paths: readonly string[]): string => `${paths.length} from ${paths[0]} to ${paths.at(-1)}`;

const STEP_BODY = {
  schema: z.strictObject({
    cursor: z.strictObject({ walk: z.enum(WALKS), after: z.string().max(1100) }).nullable(),
    mend: z.boolean(),
    contents: z.boolean().default(false),
  }),
  what: `{"cursor": {"walk": "${WALKS.join('", "')}", "after": <text>} or null, "mend": <boolean>, "contents": <boolean>}`,
  maxBytes: 4096,
};

const reconciliationRoutes = [
  operatorRoute('GET /admin/reconciliation', 'withdraw', async ({ services }) =>
    jsonResponse(stateJson(await services.reconciliationState())),
  ),
  operatorRoute('POST /admin/reconciliation', 'withdraw', async ({ services, request, changed }) => {
    const { cursor, mend, contents: readsAll } = await jsonRequest(request, STEP_BODY);
    const contents = readsAll ? RECONCILIATION.contents : RECONCILIATION.clockContents;
    const step = await services.reconcileStep({ cursor: cursor ?? BEGINNING, mends: mend, contents });
    const paths = step.faults.filter(({ mended }) => mended !== null).map(({ path }) => path);
    if (paths.length > 0) changed({ action: 'mend', subject: subjectOf(paths) });
    return jsonResponse(step);
  }),
];

/** Null before the first step of the clock. */
function stateJson(state: ReconciliationState | null) {
  if (!state) return null;
  const { cursor, startedAtMs, last, ...counts } = state;
  return { cursor, started: formatIso(startedAtMs), ...counts, last: last && roundJson(last) };
}

const roundJson = ({ startedAtMs, endedAtMs, ...counts }: NonNullable<ReconciliationState['last']>) => ({
  ...{ started: formatIso(startedAtMs), ended: formatIso(endedAtMs) },
  ...counts,
});

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
const purgeRoute = operatorRoute('POST /admin/purge', 'withdraw', async ({ services, request, changed }) => {
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
const deadLetterRoutes = [
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

const FORM = { what: 'a request of `npm run mirror`. Use the command of the same version', maxBytes: 8 << 10 };
const UPSTREAM_BODY = { schema: COMMANDED_UPSTREAM, ...FORM };
const MIRROR_STEP_BODY = { schema: COMMANDED_STEP, ...FORM };

/** Throws the failure of an upstream as one of its address, which the command shows. */
const asBadAddress = when(MirrorError, (cause): never => {
  throw new Failure('bad-parameter', cause.message, { parameter: 'address', cause });
});

/** Steps of `npm run mirror`: `sources` lists the sources of another archive, `step` copies images of one. */
const mirrorRoutes = [
  operatorRoute('POST /admin/mirror/sources', 'mirror', async ({ services, request }) => {
    const sources = services.mirrorCommands.sources(await jsonRequest(request, UPSTREAM_BODY));
    return jsonResponse({ sources: await sources.catch(asBadAddress) });
  }),
  operatorRoute('POST /admin/mirror/step', 'mirror', async ({ services, request, changed }) => {
    const step = await jsonRequest(request, MIRROR_STEP_BODY);
    const result = await services.mirrorCommands.step(step, step);
    if (result.added > 0) changed({ action: 'mirror', subject: `${result.added} of source ${step.scope.sourceId}` });
    return jsonResponse(result);
  }),
];

const WEBHOOK_BODY = {
  schema: z.strictObject({
    address: z.string(),
    sources: z.array(z.int().min(0)).max(WEBHOOKS.sources).default([]),
    eventTypes: z.array(z.string()).max(WEBHOOKS.eventTypes).default([]),
  }),
  what:
    '{"address": <https address>, "sources": [<numbers of datasources>], "eventTypes": [<types as FL>]} ' +
    `with at most ${WEBHOOKS.sources} sources and ${WEBHOOKS.eventTypes} types`,
  maxBytes: WEBHOOKS.requestBytes,
};

/** @throws Failure `bad-parameter` for an unknown source or type, and for neither */
function checkedOrder({ address, sources, eventTypes }: z.output<typeof WEBHOOK_BODY.schema>): WebhookOrder {
  const unknownSource = sources.find((id) => !findSource(id) || memberSources(id).length > 0);
  if (unknownSource !== undefined)
    throw badParameter('sources', 'numbers of datasources as getDataSources has them', unknownSource);
  const unknownType = eventTypes.find((pin) => !findEventType(pin));
  if (unknownType !== undefined) throw badParameter('eventTypes', 'types of events as FL or CE', unknownType);
  if (sources.length + eventTypes.length === 0) throw badParameter('sources', 'a datasource or a type of events', '');
  return { address, sources: [...new Set(sources)], eventTypes: [...new Set(eventTypes)] };
}

const webhookJson = (hook: Webhook) => ({
  id: hook.id,
  address: hook.address,
  sources: hook.sources,
  eventTypes: hook.eventTypes,
  created: formatIso(hook.createdAtMs),
  state: hook.pausedAtMs === null ? 'active' : 'paused',
  paused: isoOrNull(hook.pausedAtMs),
  failingSince: isoOrNull(hook.failingSinceMs),
  lastReceived: isoOrNull(hook.receivedAtMs),
  sentence: hook.sentence,
});

const idOf = ({ groups }: Asked) => numberOf('id', groups.id, 0, Number.MAX_SAFE_INTEGER);
const row = (place: string, handle: (asked: Asked) => Promise<Response>) => operatorRoute(place, 'webhooks', handle);
const changeOfOne = (place: string, change: 'remove' | 'resume') =>
  row(place, async (asked) => {
    const id = idOf(asked);
    await asked.services.webhooks[change](id);
    asked.changed({ action: `${change}-webhook`, subject: String(id) });
    return jsonResponse({});
  });

/** POST registers a webhook, GET lists them, DELETE removes one; a test, and the end of a pause. */
const webhookRoutes = [
  row('GET /admin/webhooks', async ({ services }) =>
    jsonResponse({ webhooks: (await services.webhooks.list()).map(webhookJson) }),
  ),
  row('POST /admin/webhooks', async ({ services, request, url, changed }) => {
    const order = checkedOrder(await jsonRequest(request, WEBHOOK_BODY));
    const { webhook, secret } = await services.webhooks.add(order, url.origin);
    changed({ action: 'add-webhook', subject: `${webhook.id} ${webhook.address}` });
    return jsonResponse({ ...webhookJson(webhook), secret }, { status: 201 });
  }),
  changeOfOne('DELETE /admin/webhooks/:id', 'remove'),
  row('POST /admin/webhooks/:id/test', async (asked) => {
    const { id, status, sentence } = await asked.services.webhooks.test(idOf(asked));
    return jsonResponse({ id, isReceived: sentence === null, status, sentence });
  }),
  changeOfOne('POST /admin/webhooks/:id/resume', 'resume'),
];

export const upkeepRoutes = [
  ...objectRoutes,
  ...reconciliationRoutes,
  purgeRoute,
  ...deadLetterRoutes,
  ...mirrorRoutes,
  ...webhookRoutes,
];

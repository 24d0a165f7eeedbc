// What commands bring: POST /admin/known {"names": [<file name>]} says which the archive has, or an operator has withdrawn. POST /admin/coefficients makes the
// sidecars of the first images of a period, and says where the rest begins. POST /admin/rhessi adds lines of the RHESSI flare list, GET counts the
// stored flares. PUT /admin/ephemeris/<spacecraft> imports a table of states, DELETE removes it, GET /admin/ephemeris lists them. PUT /admin/sample
// sets what `/health` says of a sample under way, DELETE removes it.
import { z } from 'zod';
import { IMAGE_NAME_CHARACTERS } from '../archive/keys.ts';
import { SAMPLE_PROGRESS } from '../archive/sample-progress.ts';
import { isRhessiHeader, parseRhessiLine } from '../events/records/rhessi.ts';
import { requestBody } from '../platform/http/request.ts';
import { jsonResponse } from '../platform/http/response.ts';
import { STATE_TABLES } from '../platform/limits/bodies.ts';
import { RHESSI_IMPORT } from '../platform/limits/events.ts';
import { MIRROR_NAMES } from '../platform/limits/mirror.ts';
import { badParameter, Failure } from '../platform/util/errors.ts';
import { SPACECRAFT, type Spacecraft } from '../sun/bodies/bodies.ts';
import { parseStates } from '../sun/bodies/parse-states.ts';
import type { StateTable } from '../sun/bodies/state-table.ts';
import { formatIso } from '../sun/time.ts';
import { jsonRequest, operatorRoute } from './admin-scopes.ts';

const NAMES_BODY = {
  schema: z.strictObject({ names: z.array(z.string().max(IMAGE_NAME_CHARACTERS)).max(MIRROR_NAMES) }),
  what: `{"names": [<file name>]} with up to ${MIRROR_NAMES} names`,
  maxBytes: 64 << 10,
};

/** The response is `{known: [<file name>]}`. */
const knownRoute = operatorRoute('POST /admin/known', 'ingest', async ({ services, request }) => {
  const { names } = await jsonRequest(request, NAMES_BODY);
  return jsonResponse({ known: [...(await services.knownNames(names))] });
});

/** Dates are both included; `renew`: whether parts that exist are made again. */
export const RANGE_BODY = {
  schema: z.strictObject({
    sourceId: z.int().min(0).max(10_000),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    parts: z
      .array(z.enum(['A', 'B', 'C']))
      .min(1)
      .max(3),
    renew: z.boolean(),
  }),
  what:
    '{"sourceId": <number>, "from": <date>, "to": <date>, "parts": ["A", "B", "C"], "renew": <boolean>} ' +
    'with dates such as 2024-05-10T00:00:00.000Z',
  maxBytes: 1024,
};

const coefficientRoute = operatorRoute('POST /admin/coefficients', 'ingest', async ({ services, request, changed }) => {
  const { sourceId, from, to, parts, renew } = await jsonRequest(request, RANGE_BODY);
  const range = { sourceId, fromMs: Date.parse(from), toMs: Date.parse(to), parts: new Set(parts), renew };
  const { nextMs, ...counts } = await services.makeCoefficients(range);
  if (counts.made > 0) changed({ action: 'make-coefficients', subject: `${counts.made} of source ${sourceId} from ${from}` });
  return jsonResponse({ ...counts, next: nextMs === null ? null : new Date(nextMs).toISOString() });
});

/**
 * A flare replaces a stored one with the same id, so that a batch may be sent again. Empty lines and column names are skipped. Response: `{added,
 * refused, problems: [{line, error}]}` with the first problems only, and line numbers from 1.
 */
const rhessiRoutes = [
  operatorRoute('GET /admin/rhessi', 'ingest', async ({ services }) => jsonResponse({ flares: await services.flares.count() })),
  operatorRoute('POST /admin/rhessi', 'ingest', async ({ services, request, changed }) => {
    const body = await requestBody(request, RHESSI_IMPORT.batchBytes);
    const lines = new TextDecoder().decode(body).split(/\r?\n/);
    if (lines.length > RHESSI_IMPORT.batchLines) {
      const sentence = `Expected at most ${RHESSI_IMPORT.batchLines} lines for the batch, got ${lines.length}.`;
      throw new Failure('bad-parameter', sentence);
    }
    const rows = lines.flatMap((text, i) =>
      text.trim() === '' || isRhessiHeader(text) ? [] : [{ line: i + 1, flare: parseRhessiLine(text) }],
    );
    const flares = rows.flatMap(({ flare }) => (typeof flare === 'string' ? [] : flare));
    await services.flares.add(flares);
    changed({ action: 'import-flares', subject: '' });
    const problems = rows.flatMap(({ line, flare }) => (typeof flare === 'string' ? { line, error: flare } : []));
    const shownProblems = problems.slice(0, RHESSI_IMPORT.shownProblems);
    return jsonResponse({ added: flares.length, refused: problems.length, problems: shownProblems });
  }),
];

function spacecraftOf(name: string): Spacecraft {
  const known = SPACECRAFT.find((spacecraft) => spacecraft === name);
  if (known) return known;
  throw badParameter('spacecraft', `${SPACECRAFT.slice(0, -1).join(', ')} or ${SPACECRAFT.at(-1)}`, name);
}

const tableJson = ({ count, firstMs, lastMs }: StateTable) => ({
  rows: count,
  first: formatIso(firstMs),
  last: formatIso(lastMs),
});

/** A table replaces the earlier one of its spacecraft. */
const ephemerisRoutes = [
  operatorRoute('GET /admin/ephemeris', 'ingest', async ({ services }) => {
    const entries = [...(await services.stateTables.list())].map(
      ([spacecraft, table]) => [spacecraft, tableJson(table)] as const,
    );
    return jsonResponse(Object.fromEntries(entries));
  }),
  operatorRoute('PUT /admin/ephemeris/:spacecraft', 'ingest', async ({ services, request, groups, changed }) => {
    const spacecraft = spacecraftOf(groups.spacecraft!);
    const body = await requestBody(request, STATE_TABLES.textBytes);
    const table = parseStates(new TextDecoder('latin1').decode(body), spacecraft, STATE_TABLES);
    await services.stateTables.put(spacecraft, table);
    changed({ action: 'import-ephemeris', subject: spacecraft });
    return jsonResponse(tableJson(table));
  }),
  operatorRoute('DELETE /admin/ephemeris/:spacecraft', 'withdraw', async ({ services, groups, changed }) => {
    const spacecraft = spacecraftOf(groups.spacecraft!);
    await services.stateTables.delete(spacecraft);
    changed({ action: 'remove-ephemeris', subject: spacecraft });
    return jsonResponse({});
  }),
];

const PROGRESS_BODY = {
  schema: SAMPLE_PROGRESS,
  what: '{"done": <number>, "total": <number>} with done up to total',
  maxBytes: 1024,
};

const sampleRoutes = [
  operatorRoute('PUT /admin/sample', 'all', async ({ services: { sample }, request, changed }) => {
    const progress = await jsonRequest(request, PROGRESS_BODY);
    // Reported each second, of which only the beginning is a change.
    if (!(await sample.read())) changed({ action: 'begin-sample', subject: '' });
    await sample.write(progress);
    return jsonResponse(progress);
  }),
  operatorRoute('DELETE /admin/sample', 'all', async ({ services: { sample }, changed }) => {
    await sample.write(null);
    changed({ action: 'end-sample', subject: '' });
    return jsonResponse({});
  }),
];

export const importRoutes = [knownRoute, coefficientRoute, ...rhessiRoutes, ...ephemerisRoutes, ...sampleRoutes];

// npm run mirror -- --from-tree URL | --from-api URL --sources LIST

import type { CommandedResult } from '../operator/mirror/mirror-step.ts';
import { MirrorError, type MirrorPosition } from '../operator/mirror/ports.ts';
import { MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import { delay, retry } from '../platform/util/retry.ts';
import type { ChosenSource } from '../sun/catalogue/chosen-sources.ts';
import { command, serviceAccess } from './command.ts';
import { adminJson, expectService, posted, WrongTokenError } from './ingest/admin-client.ts';
import { type OutcomesRun, withOutcomes } from './ingest/outcomes.ts';
import { HELP, type MirrorArguments, mirrorArguments, OPTIONS } from './mirror/mirror-arguments.ts';

interface MirrorRun extends Omit<OutcomesRun, 'goOn'> {
  readonly json: ReturnType<typeof adminJson>;
  readonly given: MirrorArguments;
}

/** Longest pause that an upstream may ask for; a longer one ends the source. */
const BUSY = { attempts: 5, firstMs: 2 * SECOND_MS, longestMs: 10 * MINUTE_MS };

/** One run, or one at each interval until the interruption. @returns the incomplete parts of the lists @throws WrongTokenError */
async function mirrorRuns(run: MirrorRun): Promise<number> {
  const { given, interrupted } = run;
  for (let again = given.again; ; again = false) {
    const startedAtMs = Date.now();
    const open = await runOnce(run, again);
    if (given.everyMs === null || interrupted.aborted) return open;
    await delay(Math.max(0, startedAtMs + given.everyMs - Date.now()), interrupted).catch(() => undefined);
    if (interrupted.aborted) return open;
  }
}

async function runOnce(run: MirrorRun, again: boolean): Promise<number> {
  const { given, outcomes, interrupted } = run;
  /** Notes a failure, which does not stop the other sources. */
  const attempt = <T>(label: string, work: Promise<T>, otherwise: T): Promise<T> =>
    work.catch((error: Error) => {
      if (error instanceof WrongTokenError) throw error;
      if (!interrupted.aborted) outcomes.note(label, error);
      return otherwise;
    });
  let open = 0;
  for (const { sourceId, cadenceMs } of await attempt(given.address, chosen(run), [])) {
    if (interrupted.aborted) break;
    const scope = { sourceId, cadenceMs: cadenceMs ?? given.cadenceMs, fromMs: given.fromMs };
    const source = { scope, toMs: given.toMs ?? Date.now(), again };
    open += await attempt(`${given.address} source ${sourceId}`, mirrorSource(run, source), 0);
  }
  return open;
}

/** All steps of a source. @returns the incomplete parts of its list */
async function mirrorSource(run: MirrorRun, source: object): Promise<number> {
  const { outcomes, progress, interrupted } = run;
  let position: MirrorPosition | null = null;
  do {
    const step = async () => {
      const result = await post<CommandedResult>(run, 'step', { ...source, position });
      const { added, known, busyMs, problems } = result;
      outcomes.added += added;
      outcomes.known += known;
      // The last problem is the pause that the upstream wants, a failure only when it lasts.
      for (const problem of problems.slice(0, busyMs === null ? problems.length : -1)) outcomes.problem(problem);
      progress.update(outcomes.count, null);
      if (busyMs !== null) throw new MirrorError('busy', problems.at(-1)!.sentence, busyMs || null);
      return result;
    };
    const { next, open }: CommandedResult = await retry(step, {
      ...BUSY,
      signal: interrupted,
      isTransient: (error) => error instanceof MirrorError && (error.retryAfterMs ?? 0) <= BUSY.longestMs,
    });
    if (next === null) return open;
    position = next;
  } while (!interrupted.aborted);
  return 0;
}

/** The chosen sources; those that the upstream has for `all`. */
async function chosen(run: MirrorRun): Promise<readonly ChosenSource[]> {
  if (run.given.sources !== null) return run.given.sources;
  const { sources } = await post<{ sources: number[] }>(run, 'sources', {});
  return sources.map((sourceId) => ({ sourceId, cadenceMs: null }));
}

function post<T>({ json, given, interrupted }: MirrorRun, path: string, body: object): Promise<T> {
  const { kind, address, perSecond, parallel } = given;
  return json<T>(`/mirror/${path}`, { ...posted({ kind, address, perSecond, parallel, ...body }), signal: interrupted });
}

await command(
  HELP,
  OPTIONS,
  async ({ values }) => {
    const given = mirrorArguments(values);
    const [serviceUrl, token] = await serviceAccess(process.env);
    await expectService(serviceUrl);
    const json = adminJson(serviceUrl, token);
    let open = 0;
    const status = await withOutcomes('mirror', { report: values.report, isEndless: given.everyMs !== null }, async (run) => {
      open = await mirrorRuns({ ...run, json, given });
    });
    if (open > 0)
      console.log(`\nincomplete: ${open} ${open === 1 ? 'part' : 'parts'} of the lists, which the next run tries again`);
    return status;
  },
  ({ positionals }) => positionals.length === 0 && process.argv.length > 2,
);

// npm run mirror -- --from-tree URL | --from-api URL --sources LIST

import type { CommandedResult } from '../operator/mirror/mirror-step.ts';
import { MirrorError, type MirrorPosition } from '../operator/mirror/ports.ts';
import { MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import { delay, retry } from '../platform/util/retry.ts';
import type { ChosenSource } from '../sun/catalogue/chosen-sources.ts';
import { command, type Progress, serviceAccess } from './command.ts';
import { adminJson, expectService, posted, WrongTokenError } from './ingest/admin-client.ts';
import { type Outcomes, outcomesOf } from './ingest/outcomes.ts';
import { HELP, type MirrorArguments, mirrorArguments, OPTIONS } from './mirror/mirror-arguments.ts';

interface MirrorRun {
  readonly json: ReturnType<typeof adminJson>;
  readonly given: MirrorArguments;
  readonly outcomes: Outcomes;
  readonly progress: Pick<Progress, 'update'>;
  readonly interrupted: AbortSignal;
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
  let open = 0;
  for (const { sourceId, cadenceMs } of await chosen(run)) {
    const scope = { sourceId, cadenceMs: cadenceMs ?? given.cadenceMs, fromMs: given.fromMs };
    try {
      open += await mirrorSource(run, { scope, toMs: given.toMs ?? Date.now(), again });
    } catch (error) {
      if (error instanceof WrongTokenError) throw error;
      const isNoted = error instanceof MirrorError || interrupted.aborted;
      if (!isNoted) outcomes.note(`${given.address} source ${sourceId}`, error as Error);
    }
    if (interrupted.aborted) break;
  }
  return open;
}

/** All steps of a source. @returns the incomplete parts of its list */
async function mirrorSource(run: MirrorRun, source: object): Promise<number> {
  let position: MirrorPosition | null = null;
  do {
    const step = async () => {
      const result = await post<CommandedResult>(run, 'step', { ...source, position });
      note(run, result);
      if (result.busyMs !== null) throw new MirrorError('busy', 'The upstream is busy.', result.busyMs || null);
      return result;
    };
    const { next, open }: CommandedResult = await retry(step, {
      ...BUSY,
      signal: run.interrupted,
      isTransient: (error) => error instanceof MirrorError && (error.retryAfterMs ?? 0) <= BUSY.longestMs,
    });
    if (next === null) return open;
    position = next;
  } while (!run.interrupted.aborted);
  return 0;
}

function note({ outcomes, progress }: MirrorRun, { added, known, problems }: CommandedResult): void {
  outcomes.added += added;
  outcomes.known += known;
  for (const problem of problems) outcomes.problem(problem);
  progress.update(outcomes.added + outcomes.known + outcomes.refused + outcomes.failed, null);
}

/** The chosen sources; those that the upstream has for `all`. */
async function chosen(run: MirrorRun): Promise<readonly ChosenSource[]> {
  const { given, outcomes, interrupted } = run;
  if (given.sources !== null) return given.sources;
  try {
    const { sources } = await post<{ sources: number[] }>(run, 'sources', {});
    return sources.map((sourceId) => ({ sourceId, cadenceMs: null }));
  } catch (error) {
    if (error instanceof WrongTokenError) throw error;
    if (!interrupted.aborted) outcomes.note(given.address, error as Error);
    return [];
  }
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
    const { outcomes, progress, interrupted, finished } = outcomesOf('mirror', values.report);
    const open = await mirrorRuns({ json: adminJson(serviceUrl, token), given, outcomes, progress, interrupted });
    const status = await finished('the same command goes on from here', given.everyMs !== null);
    if (open > 0)
      console.log(`\nincomplete: ${open} ${open === 1 ? 'part' : 'parts'} of the lists, which the next run tries again`);
    return status;
  },
  ({ positionals }) => positionals.length === 0 && process.argv.length > 2,
);

// Runs of the mirror over all chosen sources, one source after the other.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChosenSource } from '../../domain/mirror/chosen-sources.ts';
import type { MirrorUpstream } from '../../ports/mirror.ts';
import { mirrorSource } from '../../services/mirror/mirror-source.ts';
import { type AdminClient, WrongTokenError } from '../ingest/admin-client.ts';
import type { Outcomes } from '../ingest/outcomes.ts';
import type { Progress } from '../progress.ts';
import type { MirrorArguments } from './mirror-arguments.ts';
import type { SqliteMirrorState } from './mirror-state.ts';

interface MirrorInto {
  readonly client: Pick<AdminClient, 'known' | 'put'>;
  readonly upstream: MirrorUpstream;
  readonly state: SqliteMirrorState;
  readonly given: MirrorArguments;
  readonly outcomes: Outcomes;
  readonly progress: Pick<Progress, 'update'>;
  readonly interrupted: AbortSignal;
}

/**
 * One run, or one each so many minutes until the interruption.
 * @throws WrongTokenError when the service refuses the token; every other failure is in the outcomes
 */
export async function mirrorInto(into: MirrorInto): Promise<void> {
  const { given, state, interrupted } = into;
  if (given.again) state.forget();
  let counted = 0;
  for (let run = 1; ; run += 1) {
    const startedAtMs = Date.now();
    counted = await runOnce(into, counted, given.again && run === 1);
    if (given.everyMs === null || interrupted.aborted) return;
    const waitMs = Math.max(0, startedAtMs + given.everyMs - Date.now());
    await sleep(waitMs, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return;
  }
}

/** @returns files so far */
async function runOnce(into: MirrorInto, before: number, again: boolean): Promise<number> {
  const { client, upstream, state, given, outcomes, progress, interrupted } = into;
  let counted = before;
  const archive = { known: client.known, add: client.put };
  for (const { sourceId, cadenceMs } of await chosen(into)) {
    const scope = { sourceId, cadenceMs: cadenceMs ?? given.cadenceMs, fromMs: given.fromMs };
    try {
      await mirrorSource({ upstream, archive, state }, scope, {
        toMs: given.toMs ?? Date.now(),
        concurrency: given.parallel,
        again,
        isOver: () => interrupted.aborted,
        note: (label, outcome) => {
          if (interrupted.aborted && outcome instanceof Error) return;
          outcomes.note(label, outcome);
          counted += 1;
          progress.update(counted, null);
        },
      });
    } catch (error) {
      if (error instanceof WrongTokenError) throw error;
      if (!interrupted.aborted) outcomes.note(`${upstream.address} source ${sourceId}`, error as Error);
    }
    if (interrupted.aborted) break;
  }
  return counted;
}

/** The chosen sources; those that the upstream has for `all`. */
async function chosen({ given, upstream, outcomes, interrupted }: MirrorInto): Promise<readonly ChosenSource[]> {
  if (given.sources !== null) return given.sources;
  try {
    return (await upstream.sources()).map((sourceId) => ({ sourceId, cadenceMs: null }));
  } catch (error) {
    if (!interrupted.aborted) outcomes.note(upstream.address, error as Error);
    return [];
  }
}

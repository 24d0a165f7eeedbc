// Keeps the images of one source in step with an upstream: works off its list page by page, from a cursor. The same code runs in the
// command and on the clock.
//
// A page is settled once each of its files is in the archive or refused. A page with a failed file is left open and tried again by later
// runs, while the cursor moves on, so that one bad file never holds up the others. Nothing is recorded before it is done: a run that is
// cut off at any point is continued by the next one.
import { MIRROR_NAMES, OPEN_SPANS } from '../../config/limits/mirror.ts';
import { isImageName } from '../../domain/image.ts';
import { thinned } from '../../domain/mirror/chosen-sources.ts';
import {
  type MirrorArchive,
  MirrorError,
  type MirrorOutcome,
  type MirrorScope,
  type MirrorState,
  type MirrorUpstream,
  type TimeSpan,
  type UpstreamFile,
  type UpstreamPage,
} from '../../ports/mirror.ts';
import { mapConcurrently } from '../../util/concurrently.ts';
import { mirrorFile } from './mirror-file.ts';

export interface MirrorPorts {
  readonly upstream: MirrorUpstream;
  readonly archive: MirrorArchive;
  readonly state: MirrorState;
}

export interface MirrorRun {
  /** End of what is mirrored. */
  readonly toMs: number;
  /** Files at once. */
  readonly concurrency: number;
  /** Whether the list is read from the beginning of the scope, and not from the cursor. */
  readonly again?: boolean;
  /** Takes the outcome of each file; an Error for one that failed. `isNew`: whether it was requested in this run. */
  readonly note: (label: string, outcome: MirrorOutcome | Error, isNew: boolean) => void;
  /** Whether no further file is to be begun: the run is interrupted, or has used up its budget. */
  readonly isOver: () => boolean;
}

/** A refusal that depends on the archive and not on the file alone, and is not kept. */
const PASSING_REASON = 'conflict';

const CUT_OFF = Symbol('cut off');

/** Works off the open parts of the list, then the list from the cursor on. Returns whether the end was reached. @throws MirrorError */
export async function mirrorSource(ports: MirrorPorts, scope: MirrorScope, run: MirrorRun): Promise<boolean> {
  const { upstream, state } = ports;
  for (const span of await state.openSpans(scope)) {
    if (!(await mirrorSpan(ports, scope, run, span, span.attempts))) return false;
  }
  const cursor = run.again ? null : await state.cursor(scope);
  const fromMs = cursor === null ? scope.fromMs : Math.max(scope.fromMs, cursor - upstream.lateMs);
  return fromMs > run.toMs || mirrorSpan(ports, scope, run, { fromMs, toMs: run.toMs }, null);
}

/** @param attempts Failed attempts at a span that is open; null for a part of the list that the cursor follows */
async function mirrorSpan(
  ports: MirrorPorts,
  scope: MirrorScope,
  run: MirrorRun,
  { fromMs, toMs }: TimeSpan,
  attempts: number | null,
): Promise<boolean> {
  const { upstream, state } = ports;
  const { sourceId, cadenceMs } = scope;
  const keyOf = (key: string) => `${cadenceMs ?? 0} ${key}`;
  const known = (key: string) => state.pageVersion(keyOf(key));
  let failure: string | null = null;
  for await (const page of upstream.pages({ sourceId, cadenceMs, fromMs, toMs, known })) {
    if (run.isOver()) return false;
    if (page.failure !== null) run.note(page.key, new Error(page.failure), true);
    const ofFiles = await mirrorPage(ports, scope, run, page);
    if (ofFiles === CUT_OFF) return false;
    const result = page.failure ?? ofFiles;
    failure ??= result;
    if (attempts === null && result !== null) await state.openSpan(scope, { ...page.span, attempts: 1 }, result);
    if (attempts === null) await state.moveCursor(scope, Math.min(page.span.toMs, toMs));
    if (result === null && page.version !== null && !page.isUnchanged) await state.keepPage(keyOf(page.key), page.version);
  }
  if (attempts === null) return true;
  if (failure === null || attempts >= OPEN_SPANS.attempts) await state.closeSpan(scope, { fromMs, toMs });
  else await state.openSpan(scope, { fromMs, toMs, attempts: attempts + 1 }, failure);
  return true;
}

/** Null when every file is settled; the sentence of the first failure; CUT_OFF when the run is over before the last file. */
async function mirrorPage(
  ports: MirrorPorts,
  { sourceId, cadenceMs }: MirrorScope,
  run: MirrorRun,
  page: UpstreamPage,
): Promise<string | typeof CUT_OFF | null> {
  const files = thinned(page.files, cadenceMs);
  const missing = await unsettled(ports, files, run);
  let failure: string | null = null;
  let isCutOff = false;
  await mapConcurrently(missing, run.concurrency, async (file) => {
    if (run.isOver()) {
      isCutOff = true;
      return;
    }
    const outcome = await mirrorFile(ports.archive, file).catch((error: unknown) => {
      if (error instanceof MirrorError && error.problem !== 'busy') return error;
      throw error;
    });
    run.note(file.label, outcome, true);
    if (outcome instanceof Error) failure ??= outcome.message;
    else if (outcome.outcome === 'refused' && outcome.reason !== PASSING_REASON)
      await ports.state.keepRefusal(sourceId, file.fileName, outcome);
  });
  return isCutOff ? CUT_OFF : failure;
}

/** The files that the archive neither has nor has refused; notes the others. */
async function unsettled(
  { archive, state }: MirrorPorts,
  files: readonly UpstreamFile[],
  run: MirrorRun,
): Promise<UpstreamFile[]> {
  const missing: UpstreamFile[] = [];
  for (let i = 0; i < files.length; i += MIRROR_NAMES) {
    const some = files.slice(i, i + MIRROR_NAMES);
    const names = some.map(({ fileName }) => fileName).filter(isImageName);
    const [known, refusals] = await Promise.all([archive.known(names), state.refusals(names)]);
    for (const file of some) {
      const refusal = refusals.get(file.fileName);
      if (known.has(file.fileName)) run.note(file.label, { outcome: 'known' }, false);
      else if (refusal) run.note(file.label, { outcome: 'refused', ...refusal }, false);
      else missing.push(file);
    }
  }
  return missing;
}

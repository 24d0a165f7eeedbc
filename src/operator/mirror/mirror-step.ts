// Steps of the mirror, bounded in files, pages and time: by the clock, which sends missing files to invocations, and on command.

import { refused } from '../../archive/ingest/describe-jp2.ts';
import type { FileOutcome, IngestResult, RefusedFile } from '../../archive/ingest/ingest-result.ts';
import { isImageName } from '../../archive/keys.ts';
import { asFailure } from '../../platform/http/errors.ts';
import { LISTED_NAMES, MIRROR_DOWNLOADS, MIRROR_STEP, OPEN_SPANS } from '../../platform/limits/mirror.ts';
import type { Clock, Log } from '../../platform/ports/timing.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { mapConcurrently } from '../../platform/util/concurrency.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { isTransient, traceOf, when } from '../../platform/util/errors.ts';
import { doubled } from '../../platform/util/retry.ts';
import { thinned } from '../../sun/catalogue/chosen-sources.ts';
import type { D1MirrorState } from './d1-mirror-state.ts';
import type { MirrorPosition, MirrorScope, PlannedFile, TimeSpan, UpstreamFile } from './ports.ts';
import { type CommandedStep, MirrorError } from './ports.ts';
import type { MirrorUpstream } from './upstream/polite-client.ts';

export interface MirrorTarget {
  known(fileNames: readonly string[]): Promise<ReadonlySet<string>>;
  add(fileName: string, jp2: Uint8Array): Promise<IngestResult>;
}

interface MirrorPorts {
  readonly upstream: MirrorUpstream;
  readonly archive: MirrorTarget;
  readonly state: D1MirrorState;
  readonly clock: Clock;
  readonly log: Log;
}

interface MirroredSources {
  readonly scopes: readonly MirrorScope[];
  /** Milliseconds between two looks at a source that is in step. */
  readonly everyMs: number;
  /** The most files that are sent in a step. */
  readonly sent: number;
  readonly send: (files: readonly PlannedFile[]) => Promise<void>;
}

type Budget = { files: number; pages: number; names: number; readonly endsAtMs: number };

const newBudget = (files: number, clock: Clock): Budget => ({
  files,
  pages: MIRROR_STEP.pages,
  names: MIRROR_STEP.names,
  endsAtMs: clock() + MIRROR_STEP.workMs,
});

const isSpent = ({ files, pages, names, endsAtMs }: Budget, clock: Clock) =>
  files <= 0 || pages <= 0 || names <= 0 || clock() >= endsAtMs;

/** Lists what the due sources lack, within a budget, and sends the files that wait, before and after the lists. @returns files sent */
export async function mirrorStep(ports: MirrorPorts, mirrored: MirroredSources): Promise<number> {
  const { state, clock } = ports;
  const { scopes, send } = mirrored;
  await state.begin(scopes);
  await state.forgetFiles(scopes);
  const sendSome = async (most: number) => {
    const files = await state.claimFiles(scopes, most, MIRROR_STEP.fileLeaseMs);
    if (files.length > 0) await send(files);
    return files.length;
  };
  const sent = await sendSome(mirrored.sent);
  const budget = newBudget(MIRROR_STEP.waiting - (await state.due(scopes)), clock);
  while (!isSpent(budget, clock)) {
    const scope = await state.claim(scopes, MIRROR_STEP.leaseMs);
    if (!scope) break;
    await listSource(ports, mirrored, scope, budget);
  }
  await state.sweep(clock() - MIRROR_STEP.memoryMs);
  return sent + (await sendSome(mirrored.sent - sent));
}

async function listSource(ports: MirrorPorts, { everyMs }: MirroredSources, scope: MirrorScope, budget: Budget) {
  const { state, clock, log, upstream } = ports;
  try {
    const cutOff = await mirrorSource(ports, scope, {
      toMs: clock(),
      budget,
      take: async (files) => {
        for (let i = 0; i < files.length && budget.files > 0; i += LISTED_NAMES)
          budget.files -= await state.plan(scope, files.slice(i, i + LISTED_NAMES), budget.files);
        return { failure: null, afterName: null, isCutOff: budget.files <= 0 };
      },
      note: (address, outcome) => {
        if (outcome instanceof Error) log({ job: 'mirror', file: address, failed: outcome.message });
      },
    });
    await state.finish(scope, clock() + (cutOff ? 0 : everyMs), null);
  } catch (error) {
    const isOfUpstream = error instanceof MirrorError;
    // The status is public, and a statement of a database is not.
    const sentence = isOfUpstream ? error.message : asFailure(error).message;
    const failed = isOfUpstream ? sentence : traceOf(error);
    log({ job: 'mirror', upstream: upstream.address, sourceId: scope.sourceId, failed });
    const { failures = 0 } = (await state.progress(scope)) ?? {};
    const retryMs = doubled(failures + 1, MIRROR_STEP.firstRetryMs, MIRROR_STEP.longestRetryMs);
    await state.finish(scope, clock() + retryMs, sentence.slice(0, 300));
    await postponeBusy(ports, error, retryMs);
  }
}

/** Leaves an upstream alone that asks for that, for so long or for longer, a day at most. */
async function postponeBusy({ state, clock }: MirrorPorts, error: unknown, retryMs: number): Promise<void> {
  if (error instanceof MirrorError && error.problem === 'busy')
    await state.postpone(clock() + Math.min(Math.max(retryMs, error.retryAfterMs ?? 0), DAY_MS));
}

/** Copies a planned file once; one that fails waits for its next attempt. @returns images added @throws a failure that repeats the message */
export async function copyPlannedFile(ports: MirrorPorts, planned: PlannedFile): Promise<number> {
  const { state, log } = ports;
  const file = await state.planned(planned);
  if (!file) return 0;
  const outcome = await mirrorFile(ports, file).catch(async (error: unknown) => {
    if (error instanceof MirrorError) return error;
    if (isTransient(error)) await state.giveBack(file);
    throw error;
  });
  const isAdded = !(outcome instanceof Error) && outcome.outcome === 'added';
  if (outcome instanceof Error) {
    log({ job: 'mirror', file: file.address, failed: outcome.message });
    await state.putOff(file);
    await postponeBusy(ports, outcome, MIRROR_STEP.firstRetryMs);
  } else {
    if (outcome.outcome !== 'added' && outcome.outcome !== 'known') log({ job: 'mirror', file: file.address, ...outcome });
    await state.settle(file, isAdded);
  }
  return isAdded ? 1 : 0;
}

interface Problem {
  readonly label: string;
  readonly outcome: 'refused' | 'failed';
  readonly reason?: string;
  readonly sentence: string;
}

export type CommandedResult = Awaited<ReturnType<typeof commandedStep>>;

/**
 * Copies what one source lacks, within the budget of a step. A failure of the upstream is among the problems. `next`: start of the next step, null at
 * the end of the list; `open`: incomplete parts of the list, which the next run tries again; `busyMs`: milliseconds for which the upstream wants no
 * request, when the step has ended for that, 0 when it named no time.
 */
export async function commandedStep(ports: MirrorPorts, step: CommandedStep) {
  const { state, clock, upstream } = ports;
  const { scope, parallel, position } = step;
  const budget = newBudget(MIRROR_STEP.files, clock);
  const counts = { added: 0, known: 0 };
  const problems: Problem[] = [];
  const failed = (label: string, sentence: string) => problems.push({ label, outcome: 'failed', sentence });
  let [next, busyMs]: [MirrorPosition | null, number | null] = [null, null];
  const note = (label: string, outcome: FileOutcome | Error) => {
    if (outcome instanceof Error) failed(label, outcome.message);
    else if (outcome.outcome === 'added' || outcome.outcome === 'known') counts[outcome.outcome] += 1;
    else {
      const { reason = outcome.outcome, sentence = '' } = outcome;
      problems.push({ label, outcome: 'refused', reason, sentence });
    }
  };
  await state.begin([scope]);
  try {
    next = await mirrorSource(ports, scope, {
      ...step,
      retriesAll: true,
      budget,
      note,
      take: (files) => copyFiles(ports, scope, files, { parallel, note, budget }),
    });
  } catch (error) {
    if (!(error instanceof MirrorError)) throw error;
    if (error.problem === 'busy') [next, busyMs] = [position, error.retryAfterMs ?? 0];
    failed(`${upstream.address} source ${scope.sourceId}`, error.message);
  }
  await state.sweep(clock() - MIRROR_STEP.memoryMs);
  return { ...counts, problems, next, busyMs, open: (await state.openSpans(scope, { onlyDue: false })).length };
}

interface MirrorRun extends Pick<CommandedStep, 'toMs'>, Partial<Pick<CommandedStep, 'position' | 'again'>> {
  /** Whether incomplete parts are tried again before they are due. */
  readonly retriesAll?: boolean;
  /** Copies files that the archive lacks, or plans that. */
  readonly take: (files: readonly UpstreamFile[]) => Promise<TakenFiles>;
  /** Takes the outcome of each file that needs no copy, and the failures of pages, with the address. */
  readonly note: (address: string, outcome: FileOutcome | Error) => void;
  /** Once it is spent, no further page is begun. Pages that have been worked off are counted, with the names on them. */
  readonly budget: Budget;
}

type CutOff = Omit<MirrorPosition, 'part'>;

/** Works off the open parts of the list, then the list from the cursor on. @returns where it was cut off, or null @throws MirrorError */
export async function mirrorSource(ports: MirrorPorts, scope: MirrorScope, run: MirrorRun): Promise<MirrorPosition | null> {
  const { state } = ports;
  const { position = null } = run;
  if (position?.part !== 'list') {
    const begin = position === null ? {} : { fromMs: position.fromMs };
    for (const span of await state.openSpans(scope, { ...begin, onlyDue: !run.retriesAll })) {
      const cutOff = await mirrorSpan(ports, scope, run, span, span.attempts);
      if (cutOff) return { ...cutOff, part: 'open', fromMs: span.fromMs };
    }
  }
  const fromMs = position?.part === 'list' ? position.fromMs : await firstMs(ports, scope, run);
  if (fromMs > run.toMs) return null;
  const cutOff = await mirrorSpan(ports, scope, run, { fromMs, toMs: run.toMs }, null);
  return cutOff && { ...cutOff, part: 'list' };
}

/** Start of the part of the list that is new, or may have changed. */
async function firstMs({ upstream, state }: MirrorPorts, scope: MirrorScope, { again }: MirrorRun): Promise<number> {
  const { cursorMs = null } = (again ? null : await state.progress(scope)) ?? {};
  return cursorMs === null ? scope.fromMs : Math.max(scope.fromMs, cursorMs - upstream.lateMs);
}

/** @param attempts Failed attempts at a span that is open; null for a part of the list that the cursor follows */
async function mirrorSpan(
  ports: MirrorPorts,
  scope: MirrorScope,
  run: MirrorRun,
  { fromMs, toMs }: TimeSpan,
  attempts: number | null,
): Promise<CutOff | null> {
  const { upstream, state, clock } = ports;
  const { budget } = run;
  const { sourceId, cadenceMs } = scope;
  const keyOf = (key: string) => `${cadenceMs ?? 0} ${key}`;
  const known = async (key: string) => (run.again ? null : state.pageVersion(keyOf(key)));
  let failure: string | null = null;
  for await (const page of upstream.pages({ sourceId, cadenceMs, fromMs, toMs, known })) {
    const start: CutOff = { fromMs: page.span.fromMs, afterName: null, failure: null };
    // An earlier step has tried files.
    const tried = run.position?.fromMs === start.fromMs ? run.position : start;
    if (isSpent(budget, clock)) return tried;
    if (page.failure !== null) run.note(page.key, new Error(page.failure));
    const listed = thinned(page.files, cadenceMs);
    const files = listed.slice(1 + listed.findIndex(({ fileName }) => fileName === tried.afterName));
    const missing = await unsettled(ports, files, run);
    const taken = missing.length > 0 ? await run.take(missing) : null;
    budget.pages -= 1;
    budget.names -= page.files.length;
    const ofFiles = tried.failure ?? taken?.failure ?? null;
    if (taken?.isCutOff) return { ...start, afterName: taken.afterName ?? tried.afterName, failure: ofFiles };
    const result = page.failure ?? ofFiles;
    failure ??= result;
    if (attempts === null && result !== null) await state.openSpan(scope, { ...page.span, attempts: 1 }, result);
    if (attempts === null) await state.moveCursor(scope, Math.min(page.span.toMs, toMs));
    if (result === null && page.version !== null && !page.isUnchanged) await state.keepPage(keyOf(page.key), page.version);
  }
  if (attempts === null) return null;
  if (failure === null || attempts >= OPEN_SPANS.attempts) await state.closeSpan(scope, { fromMs, toMs });
  else await state.openSpan(scope, { fromMs, toMs, attempts: attempts + 1 }, failure);
  return null;
}

/** The files that the archive neither has nor has refused; notes the others. */
async function unsettled({ archive, state }: MirrorPorts, files: readonly UpstreamFile[], run: MirrorRun) {
  const missing: UpstreamFile[] = [];
  for (let i = 0; i < files.length; i += LISTED_NAMES) {
    const some = files.slice(i, i + LISTED_NAMES);
    const names = some.map(({ fileName }) => fileName);
    const [known, refusals] = await Promise.all([
      archive.known(names.filter(isImageName)),
      run.again ? null : state.refusals(names),
    ]);
    for (const file of some) {
      const refusal = refusals?.get(file.fileName);
      if (known.has(file.fileName)) run.note(file.address, { outcome: 'known' });
      else if (refusal) run.note(file.address, { outcome: 'refused', ...refusal });
      else missing.push(file);
    }
  }
  return missing;
}

/** Refusals of the content that a damaged transfer may cause. */
const MAY_BE_DAMAGED: readonly string[] = ['malformed', 'unsupported', 'header'];

type MirroredFile = Pick<UpstreamFile, 'fileName' | 'address'> & { readonly sourceId: number };

/** Copies a file, and remembers a refusal. @returns the failure of a file that may succeed later @throws MirrorError of a busy upstream */
export async function mirrorFile({ archive, upstream, state }: MirrorPorts, file: MirroredFile) {
  const outcome = await added(archive, upstream, file).catch(when(MirrorError, notBusy));
  // A conflict depends on the archive and not on the file alone, so it is not remembered.
  if (!(outcome instanceof Error) && outcome.outcome === 'refused')
    await state.keepRefusal(file.sourceId, file.fileName, outcome);
  return outcome;
}

const notBusy = (error: MirrorError) => (error.problem === 'busy' ? undefined : error);

interface TakenFiles {
  /** The first failure; null for none. */
  readonly failure: string | null;
  /** Name of the last file that was tried; null for none. */
  readonly afterName: string | null;
  /** Whether files are left, because the step has used up its budget. */
  readonly isCutOff: boolean;
}

export async function copyFiles(
  ports: MirrorPorts,
  { sourceId }: { readonly sourceId: number },
  files: readonly UpstreamFile[],
  { parallel, note, budget }: Pick<MirrorRun, 'note' | 'budget'> & { readonly parallel: number },
): Promise<TakenFiles> {
  let [failure, afterName, isCutOff]: [string | null, string | null, boolean] = [null, null, false];
  await mapConcurrently(files, parallel, async (file) => {
    isCutOff ||= isSpent(budget, ports.clock);
    if (isCutOff) return;
    budget.files -= 1;
    afterName = file.fileName;
    const outcome = await mirrorFile(ports, { ...file, sourceId });
    note(file.address, outcome);
    if (outcome instanceof Error) failure ??= outcome.message;
  });
  return { failure, afterName, isCutOff };
}

/** Downloads a file and adds it. A refusal counts once two downloads are equal, because one may be cut. @throws MirrorError */
async function added(archive: MirrorTarget, upstream: MirrorUpstream, file: MirroredFile) {
  if (!isImageName(file.fileName))
    return refused('name', 'The name is not of letters, digits, dots, dashes and underscores ending in .jp2.');
  const seen = new Set<string>();
  for (let download = 1; download <= MIRROR_DOWNLOADS; download += 1) {
    const jp2 = await downloaded(upstream, file);
    if ('outcome' in jp2) return jp2;
    const sha256 = await sha256Hex(jp2);
    const result = await archive.add(file.fileName, jp2);
    if (result.outcome === 'busy') throw new MirrorError('failing', result.sentence);
    if (result.outcome !== 'refused' || !MAY_BE_DAMAGED.includes(result.reason) || seen.has(sha256)) return result;
    seen.add(sha256);
  }
  throw new MirrorError('failing', 'Every download of this file had different content.');
}

const downloaded = (upstream: MirrorUpstream, file: MirroredFile): Promise<Uint8Array | RefusedFile> =>
  upstream
    .download(file)
    .catch(when(MirrorError, ({ problem, message }) => (problem === 'too-large' ? refused('too-large', message) : undefined)));

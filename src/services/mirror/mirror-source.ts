// Keeps the images of one source in step with an upstream: works off its list page by page, from a cursor.
//
// A page is settled once each of its files is in the archive or refused. A page with a failed file is left open and tried again by later
// steps, while the cursor moves on, so that one bad file never holds up the others. Nothing is recorded before it is done, so a step
// that is cut off at any point is continued by the next one.
import { LISTED_NAMES, OPEN_SPANS } from '../../config/limits/mirror.ts';
import type { FileOutcome } from '../../domain/archive/ingest-result.ts';
import { isImageName } from '../../domain/archive/keys.ts';
import { thinned } from '../../domain/mirror/chosen-sources.ts';
import type { MirrorPosition, MirrorScope, TimeSpan } from '../../domain/mirror/mirror-state.ts';
import type { UpstreamFile, UpstreamPage } from '../../ports/mirror.ts';
import type { MirrorPorts, TakenFiles } from './mirror-file.ts';

interface MirrorRun {
  /** End of what is mirrored. */
  readonly toMs: number;
  /** Where an earlier step was cut off; null at the beginning of a run. */
  readonly position?: MirrorPosition | null;
  /** Whether incomplete parts are tried again before they are due. */
  readonly retriesAll?: boolean;
  /** Whether the list is read from the beginning of the scope, and refused files are tried again. */
  readonly again?: boolean;
  /** Copies files that the archive lacks, or plans that. */
  readonly take: (files: readonly UpstreamFile[]) => Promise<TakenFiles>;
  /** Takes the outcome of each file that needs no copy, and the failures of pages, with the address. */
  readonly note: (address: string, outcome: FileOutcome | Error) => void;
  /** Counts a page of a list that has been worked off, with the names on it. */
  readonly notePage: (names: number) => void;
  /** Whether no further page is to be begun, because the step has used up its budget. */
  readonly isOver: () => boolean;
}

/** Where a page was cut off. */
type CutOff = Omit<MirrorPosition, 'part'>;

/**
 * Works off the open parts of the list, then the list from the cursor on.
 * @returns where it was cut off; null at the end
 * @throws MirrorError
 */
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
  const cursor = again ? null : await state.cursor(scope);
  return cursor === null ? scope.fromMs : Math.max(scope.fromMs, cursor - upstream.lateMs);
}

/** @param attempts Failed attempts at a span that is open; null for a part of the list that the cursor follows */
async function mirrorSpan(
  ports: MirrorPorts,
  scope: MirrorScope,
  run: MirrorRun,
  { fromMs, toMs }: TimeSpan,
  attempts: number | null,
): Promise<CutOff | null> {
  const { upstream, state } = ports;
  const { sourceId, cadenceMs } = scope;
  const keyOf = (key: string) => `${cadenceMs ?? 0} ${key}`;
  const known = async (key: string) => (run.again ? null : state.pageVersion(keyOf(key)));
  let failure: string | null = null;
  for await (const page of upstream.pages({ sourceId, cadenceMs, fromMs, toMs, known })) {
    const tried = run.position?.fromMs === page.span.fromMs ? run.position : null;
    if (run.isOver()) return { fromMs: page.span.fromMs, afterName: tried?.afterName ?? null, failure: tried?.failure ?? null };
    if (page.failure !== null) run.note(page.key, new Error(page.failure));
    const ofFiles = await mirrorPage(ports, scope, run, page, tried);
    run.notePage(page.files.length);
    if (ofFiles !== null && typeof ofFiles === 'object') return ofFiles;
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

/** Null when every file is settled, or the sentence of the first failure. @param tried Files that an earlier step has tried */
async function mirrorPage(
  ports: MirrorPorts,
  { cadenceMs }: MirrorScope,
  run: MirrorRun,
  page: UpstreamPage,
  tried: CutOff | null,
): Promise<CutOff | string | null> {
  const listed = thinned(page.files, cadenceMs);
  const files = listed.slice(1 + listed.findIndex(({ fileName }) => fileName === tried?.afterName));
  const missing = await unsettled(ports, files, run);
  const taken = missing.length > 0 ? await run.take(missing) : null;
  const failure = tried?.failure ?? taken?.failure ?? null;
  const afterName = taken?.afterName ?? tried?.afterName ?? null;
  return taken?.isCutOff ? { fromMs: page.span.fromMs, afterName, failure } : failure;
}

/** The files that the archive neither has nor has refused; notes the others. */
async function unsettled(
  { archive, state }: MirrorPorts,
  files: readonly UpstreamFile[],
  run: MirrorRun,
): Promise<UpstreamFile[]> {
  const missing: UpstreamFile[] = [];
  for (let i = 0; i < files.length; i += LISTED_NAMES) {
    const some = files.slice(i, i + LISTED_NAMES);
    const names = some.map(({ fileName }) => fileName).filter(isImageName);
    const [known, refusals] = await Promise.all([archive.known(names), run.again ? null : state.refusals(names)]);
    for (const file of some) {
      const refusal = refusals?.get(file.fileName);
      if (known.has(file.fileName)) run.note(file.address, { outcome: 'known' });
      else if (refusal) run.note(file.address, { outcome: 'refused', ...refusal });
      else missing.push(file);
    }
  }
  return missing;
}

// Reconciliation of objects and rows: steps for a command, and a slow walk of the clock that remembers its position.

import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import type { D1UploadJournal } from '../../archive/image-index/d1-upload-journal.ts';
import type { IndexedObject } from '../../archive/ingest/index-objects.ts';
import type { WithdrawalResult } from '../../archive/ingest/ingest.ts';
import { keyedName, quarantineKey, quarantineNoteKey, RECONCILIATION_KEY } from '../../archive/keys.ts';
import { RECONCILIATION, UPLOAD } from '../../platform/limits/images.ts';
import { MEMORY_WAIT_MS } from '../../platform/limits/memory.ts';
import type { Log } from '../../platform/ports/timing.ts';
import type { ListedObject, ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { jsonBytes, jsonOf } from '../../platform/util/bytes.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/util/durations.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { formatIso } from '../../sun/time.ts';
import type { ComparisonPorts, Fault, FaultKind, FoundFault, ReconciliationCursor } from './find-faults.ts';
import { BEGINNING, compareStep } from './find-faults.ts';

interface ReconciliationPorts extends ComparisonPorts {
  readonly journal: Pick<D1UploadJournal, 'recorded' | 'begin' | 'take' | 'end'>;
  readonly indexObjects: (objects: readonly ListedObject[]) => Promise<{ readonly results: readonly IndexedObject[] }>;
  readonly withdraw: (fileName: string, only: Pick<ArchivedImage, 'id' | 'key'>) => Promise<WithdrawalResult>;
}

/** Calls of R2 and D1 that mending a fault takes at most. A withdrawal takes some 23. */
const MENDING_CALLS: Readonly<Partial<Record<FaultKind, number>>> = { unindexed: 25, missing: 25, damaged: 30 };
/** Calls for other faults, whose objects are deleted. */
const DELETING_CALLS = 1;

/** @param mended What has been done; null for a fault that is left as it is */
const reported = ({ kind, path, sentence }: FoundFault, mended: Fault['mended'] = null) => ({ kind, path, sentence, mended });

/** Mends a fault where that is possible. Null when the fault is gone. */
async function mend(ports: ReconciliationPorts, found: FoundFault): Promise<Fault | null> {
  switch (found.kind) {
    case 'unindexed':
      return mendUnindexed(ports, found);
    case 'missing':
      return reported(found, (await isWithdrawn(ports, found)) ? 'withdrawn' : null);
    case 'damaged':
      if (!(await quarantine(ports, found))) return reported(found);
      return reported(found, (await isWithdrawn(ports, found)) ? 'quarantined' : null);
    default:
      await ports.objects.delete(found.key);
      return reported(found, 'deleted');
  }
}

/** Withdraws the image of a fault, so that the archive takes a file of its name again. One that has replaced it meanwhile stays. */
const isWithdrawn = async ({ withdraw }: ReconciliationPorts, { image }: FoundFault): Promise<boolean> =>
  image !== null && (await withdraw(image.fileName, image)).outcome === 'withdrawn';

/** Refusals that concern the file itself; the others concern its name or place, which its owner can change. */
const BROKEN: readonly unknown[] = ['malformed', 'unsupported', 'header', 'geometry', 'size'];

async function mendUnindexed(ports: ReconciliationPorts, found: FoundFault): Promise<Fault | null> {
  const [result] = (await ports.indexObjects([{ key: found.key, size: found.size }])).results;
  const { outcome, reason, sentence = found.sentence } = result!;
  if (outcome === 'known' || outcome === 'missing' || outcome === 'busy') return null;
  if (outcome === 'added') return reported(found, 'indexed');
  if (reason === 'withdrawn') return reported(found, (await deleteUnused(ports, found)) ? 'deleted' : null);
  if (!BROKEN.includes(reason)) return reported({ ...found, sentence });
  const damage = { ...found, kind: 'damaged' as const, sentence };
  if (!(await quarantine(ports, damage))) return reported(damage);
  return reported(damage, (await deleteUnused(ports, found)) ? 'quarantined' : null);
}

/** Deletes a file that had no row, unless an upload or a removal of its key is under way or has added its row. @returns whether it is deleted */
async function deleteUnused({ journal, register, objects }: ReconciliationPorts, { key }: FoundFault): Promise<boolean> {
  const fileName = keyedName(key);
  if ((await journal.recorded([key])).has(key)) return false;
  const begun = await journal.begin({ key, fileName });
  const takenAtMs = begun && !begun.isContinued ? await journal.take(key, begun.atMs) : null;
  if (takenAtMs === null) return false;
  const isUnused = (await register.lookUp([fileName])).images.get(fileName)?.key !== key;
  if (isUnused) await objects.delete(key);
  await journal.end(key, takenAtMs);
  return isUnused;
}

/** Copies a file below `quarantine/`, with a note beside it. @returns false for a file that is longer than any image */
function quarantine({ objects, clock, memory }: ReconciliationPorts, fault: FoundFault): Promise<boolean> {
  const { key, image, sentence: reason } = fault;
  return memory.run(Math.min(fault.size, UPLOAD.bodyBytes), MEMORY_WAIT_MS.background, async () => {
    const file = await objects.whole(key, UPLOAD.bodyBytes);
    if (!file) return false;
    const { bytes, sha256 } = file;
    const [id, expectedSha256] = [image?.id ?? null, image?.sha256 ?? null];
    const note = { reason, at: formatIso(clock()), id, bytes: bytes.length, sha256, expectedSha256 };
    await objects.put(quarantineKey(key), bytes, 'application/octet-stream');
    await objects.put(quarantineNoteKey(key), jsonBytes(note), 'application/json');
    return true;
  });
}

export type ReconciledStep = Omit<Awaited<ReturnType<typeof reconcileStep>>, 'folderCalls'>;

export interface ReconciliationRequest {
  readonly cursor: ReconciliationCursor;
  readonly mends: boolean;
  /** Most files of a page whose contents are read. */
  readonly contents: number;
}

/** Compares the page at the cursor and, with `mends`, mends one fault after another, as far as the calls of an invocation allow. */
export async function reconcileStep(ports: ReconciliationPorts, { cursor, mends, contents }: ReconciliationRequest) {
  const { examined, stated, folderCalls, faults: found, next, placeBefore } = await compareStep(ports, cursor, contents);
  const faults: Fault[] = [];
  let calls = 0;
  for (const one of found) {
    calls += mends ? (MENDING_CALLS[one.kind] ?? DELETING_CALLS) : 0;
    if (calls > RECONCILIATION.mendingCalls)
      return { examined: one.position, stated, folderCalls, faults, next: placeBefore(one.position) };
    const fault = mends ? await mend(ports, one) : reported(one);
    if (fault) faults.push(fault);
  }
  return { examined, stated, folderCalls, faults, next };
}

export interface ReconciliationState {
  readonly cursor: ReconciliationCursor;
  readonly startedAtMs: number;
  readonly images: number;
  readonly examined: number;
  /** Images whose ids were stated beside their files. */
  readonly stated: number;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** The round before; null during the first. */
  readonly last: (Omit<ReconciliationState, 'cursor' | 'last'> & { readonly endedAtMs: number }) | null;
}

interface ClockPorts extends ReconciliationPorts {
  readonly index: ComparisonPorts['index'] & Pick<ImageIndex, 'counts'>;
  readonly states: Pick<ObjectStore, 'readAll' | 'put'>;
  /** Share of a round that is walked in a month. */
  readonly percent: number;
  readonly log: Log;
}

export async function reconciliationState({ states }: Pick<ClockPorts, 'states'>): Promise<ReconciliationState | null> {
  const bytes = await states.readAll(RECONCILIATION_KEY);
  return bytes && jsonOf<ReconciliationState>(bytes);
}

/** Steps of the clock's walk for the share of a minute in a round; mends nothing. @returns the number of faults found */
export async function reconcileByClock(ports: ClockPorts): Promise<number> {
  const { clock, log, states, percent } = ports;
  if (percent === 0) return 0;
  const nowMs = clock();
  const before = await reconciliationState(ports);
  const roundMs = (RECONCILIATION.monthMs * 100) / percent;
  if (before?.last && isAtBeginning(before) && nowMs < before.last.startedAtMs + roundMs) return 0;
  const begun = before && !isAtBeginning(before) ? before : { ...NEW_ROUND, startedAtMs: nowMs, images: await imagesOf(ports) };
  const { startedAtMs, images } = begun;
  const due = (images * RECONCILIATION.ofImage * MINUTE_MS) / roundMs;
  const faults: Partial<Record<FaultKind, number>> = { ...begun.faults };
  let [examined, stated, found, calls] = [begun.examined, begun.stated, 0, 0];
  let cursor: ReconciliationCursor | null = before?.cursor ?? BEGINNING;
  do {
    const step = await reconcileStep(ports, { cursor, mends: false, contents: RECONCILIATION.clockContents });
    for (const fault of step.faults) log({ job: 'reconcile', ...fault });
    for (const { kind } of step.faults) faults[kind] = (faults[kind] ?? 0) + 1;
    examined += step.examined;
    stated += step.stated;
    found += step.faults.length;
    calls += RECONCILIATION.stepCalls - RECONCILIATION.folderCalls + step.folderCalls;
    cursor = step.next;
  } while (cursor && examined - begun.examined < due && calls + RECONCILIATION.stepCalls <= RECONCILIATION.runCalls);
  const progress = { startedAtMs, images, examined, stated, faults };
  const state: ReconciliationState = cursor
    ? { ...progress, cursor, last: before?.last ?? null }
    : { ...NEW_ROUND, cursor: BEGINNING, startedAtMs: nowMs, last: { ...progress, endedAtMs: nowMs } };
  await states.put(RECONCILIATION_KEY, jsonBytes(state), 'application/json');
  return found;
}

const NEW_ROUND = { images: 0, examined: 0, stated: 0, faults: {} } as const;

async function imagesOf({ index, clock }: Pick<ClockPorts, 'index' | 'clock'>): Promise<number> {
  const sourceIds = [...(await index.extents()).keys()];
  const counts = await index.counts(sourceIds, [[0, clock() + DAY_MS]], DAY_MS);
  return counts.flatMap((bins) => [...bins.values()]).reduce((sum, count) => sum + count, 0);
}

const isAtBeginning = ({ cursor }: Pick<ReconciliationState, 'cursor'>): boolean =>
  cursor.walk === BEGINNING.walk && cursor.after === BEGINNING.after;

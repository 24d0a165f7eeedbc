// Steps of a reconciliation: each reads a page of objects or rows, and compares it with the other side.

import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import type { D1ImageRegister, KnownNames } from '../../archive/image-index/d1-image-register.ts';
import type { D1UploadJournal } from '../../archive/image-index/d1-upload-journal.ts';
import { passed } from '../../archive/image-list.ts';
import { restateIds } from '../../archive/ingest/stated-ids.ts';
import * as keys from '../../archive/keys.ts';
import type { ListedImage } from '../../archive/ports.ts';
import { RECONCILIATION } from '../../platform/limits/images.ts';
import { MEMORY_WAIT_MS } from '../../platform/limits/memory.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import type {
  FoundObjects,
  ImmutableObjects,
  ListedObject,
  ListOptions,
  ObjectMetadata,
  ObjectStore,
} from '../../platform/storage/r2-object-store.ts';
import { mapConcurrently } from '../../platform/util/concurrency.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import type { MemoryBudget } from '../../platform/util/memory-budget.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import { formatExact, parseRequestDate } from '../../sun/time.ts';

/**
 * `unindexed`: a file without a row; `missing`: a row without its file; `damaged`: a file with another length or hash than its row says,
 * or that cannot be an image; `old-sidecar`: of an older version of the format; `stray-sidecar`: of no image; `stray-record`: the record of
 * an id that has no row, or of an older version.
 */
export type FaultKind = 'unindexed' | 'missing' | 'damaged' | 'old-sidecar' | 'stray-sidecar' | 'stray-record';

export interface Fault {
  readonly kind: FaultKind;
  /** Path of the file in the archive; of a sidecar or a record, its own key. */
  readonly path: string;
  readonly sentence: string;
  /** `indexed`: a row was added; `withdrawn`: the row is withdrawn, so that the file can be ingested again; `quarantined`; `deleted`. */
  readonly mended: 'indexed' | 'withdrawn' | 'quarantined' | 'deleted' | null;
}

export type FoundFault = Omit<Fault, 'mended'> & {
  readonly key: string;
  readonly size: number;
  /** Number of objects or rows before it in its page. */
  readonly position: number;
  /** The row; null for objects without one. */
  readonly image: Pick<ListedImage, 'id' | 'fileName' | 'key' | 'sha256'> | null;
};

/** Walks in their order: files by key, rows by source and time, sidecars and records of images by key. */
export const WALKS = ['files', 'rows', 'sidecars', 'records'] as const;

/** A position in a reconciliation: `after` is a path, a source and a date, or the rest of a key; empty at the beginning of a walk. */
export type ReconciliationCursor = { readonly walk: (typeof WALKS)[number]; readonly after: string };

export const BEGINNING: ReconciliationCursor = { walk: 'files', after: '' };

/** The beginning of the walk after this one; null after the last. */
function nextWalk({ walk }: ReconciliationCursor): ReconciliationCursor | null {
  const next = WALKS[WALKS.indexOf(walk) + 1];
  return next === undefined ? null : { walk: next, after: '' };
}

export interface ComparisonPorts {
  /** The primary, because a replica may lack a row that was just added. */
  readonly index: Pick<ImageIndex, 'listed' | 'extents' | 'byIds'>;
  readonly register: Pick<D1ImageRegister, 'lookUp'>;
  readonly journal: Pick<D1UploadJournal, 'recorded'>;
  readonly objects: FoundObjects & Pick<ObjectStore, 'head' | 'put' | 'readAll'> & Pick<ImmutableObjects, 'delete'>;
  readonly clock: Clock;
  readonly memory: MemoryBudget;
  readonly sidecarVersion: number;
  readonly recordVersion: number;
}

/** Compares the page at a cursor without files being uploaded. @param contents Most files to be read, of those without a stated hash */
export const compareStep = (ports: ComparisonPorts, cursor: ReconciliationCursor, contents: number): Promise<ComparedStep> =>
  COMPARISONS[cursor.walk](ports, cursor, contents);

const COMPARISONS: Readonly<Record<ReconciliationCursor['walk'], typeof compareStep>> = {
  files: compareFiles,
  rows: compareRows,
  sidecars: (ports, cursor) => compareObjects(ports, cursor, keys.SIDECAR_PREFIX, judgeSidecars),
  records: (ports, cursor) => compareObjects(ports, cursor, keys.RECORD_PREFIX, judgeRecords),
};

/** What does not fit of an object or a row; null where everything does. */
type Verdict = (Pick<FoundFault, 'kind' | 'sentence'> & Partial<Pick<FoundFault, 'image'>>) | null;

/**
 * Images whose ids have been stated beside their files; calls of R2 for folders; faults in the order of the walk; start of the next step, null at the
 * end of the last walk; and the cursor of a step whose page has the object or row at a position first.
 */
type ComparedStep = Awaited<ReturnType<typeof compareObjects>>;

/** Compares the objects below a prefix after a cursor, which has their keys without the prefix. */
async function compareObjects(
  ports: ComparisonPorts,
  cursor: ReconciliationCursor,
  prefix: string,
  judge: (ports: ComparisonPorts, found: readonly ListedObject[]) => Promise<Verdict[]>,
  listed: Omit<ListOptions, 'after'> = { limit: RECONCILIATION.objects },
) {
  const after = cursor.after === '' ? {} : { after: prefix + cursor.after };
  const page = await ports.objects.list(prefix, { ...listed, ...after });
  const verdicts = await judge(ports, page.objects);
  const placeAfter = (key: string) => ({ walk: cursor.walk, after: key.slice(prefix.length) });
  return {
    examined: page.objects.length,
    stated: 0,
    folderCalls: 0,
    faults: page.objects.flatMap(({ key, size }, position): FoundFault[] => {
      const verdict = verdicts[position];
      const path = cursor.walk === 'files' ? keys.archivePath(key) : key;
      return verdict ? [{ image: null, ...verdict, path, key, size, position }] : [];
    }),
    next: page.next === null ? nextWalk(cursor) : placeAfter(page.next),
    placeBefore: (position: number) => (position === 0 ? cursor : placeAfter(page.objects[position - 1]!.key)),
  };
}

type RightFile = ArchivedImage & { readonly metadata: ObjectMetadata };

/** Compares files with their rows: names, lengths and hashes by the listing, and the ids that are stated for them. */
async function compareFiles(ports: ComparisonPorts, cursor: ReconciliationCursor, contents: number): Promise<ComparedStep> {
  const right: RightFile[] = [];
  const judge = (_: ComparisonPorts, found: readonly ListedObject[]) => judgeFiles(ports, found, contents, right);
  const limit = contents >= RECONCILIATION.contents ? contents : RECONCILIATION.objects;
  const step = await compareObjects(ports, cursor, keys.imagePrefix(''), judge, { limit, withMetadata: true });
  return { ...step, ...(await restateIds(ports.objects, right, right.length === step.examined)) };
}

/** Journal and rows of found files. The journal is read first: an entry is removed after the row is added. */
async function knowledgeOf({ register, journal }: ComparisonPorts, named: readonly string[]) {
  const uploads = await journal.recorded(named);
  return { uploads, known: await register.lookUp(named.map(keys.keyedName)) };
}

/** @param right Gets the images whose files are those of their rows, as far as that was compared */
async function judgeFiles(ports: ComparisonPorts, found: readonly ListedObject[], contents: number, right: RightFile[]) {
  const named = found.map(({ key }) => key);
  const { uploads, known } = await knowledgeOf(ports, named);
  // Other files of the page in each round, because its time differs.
  const unhashed = found.flatMap(({ sha256 }, position) => (sha256 === undefined ? position : []));
  const stride = Math.max(1, Math.ceil(unhashed.length / contents));
  const read = new Set(unhashed.filter((_, i) => i % stride === Math.floor(ports.clock() / MINUTE_MS) % stride));
  return mapConcurrently(found.entries(), RECONCILIATION.atOnce, async ([position, object]): Promise<Verdict> => {
    const { key, metadata = {} } = object;
    if (uploads.has(key)) return null;
    const image = known.images.get(keys.keyedName(key));
    if (image?.key !== key) return { kind: 'unindexed', sentence: whyUnindexed(known, key) };
    const sentence = await damageOf(ports, object, image, read.has(position));
    if (sentence !== null) return { kind: 'damaged', sentence, image };
    right.push({ ...image, metadata });
    return null;
  });
}

function whyUnindexed({ images, withdrawnKeys }: KnownNames, key: string): string {
  if (withdrawnKeys.has(key)) return 'The image of this file has been withdrawn.';
  const path = keys.archivePath(key);
  const image = images.get(keys.keyedName(key));
  if (image) return `The image of this name has the file ${keys.archivePath(image.key)}.`;
  return keys.imageKeyOfPath(path) === key ? 'The index has no image of this file.' : 'The name is none of an image.';
}

/** Difference of a file from its row; null without one. */
async function damageOf(
  { objects, memory }: ComparisonPorts,
  { key, size, sha256: listed }: ListedObject,
  { byteLength, sha256 }: { readonly byteLength: number; readonly sha256: string },
  isRead: boolean,
): Promise<string | null> {
  if (size !== byteLength) return `The file has ${size} bytes, but the index says ${byteLength}.`;
  const present = isRead ? await memory.run(size, MEMORY_WAIT_MS.background, () => objects.sha256(key)) : (listed ?? null);
  return present === null || present === sha256 ? null : `The file has the SHA-256 ${present}, but the index says ${sha256}.`;
}

async function compareRows(ports: ComparisonPorts, cursor: ReconciliationCursor): Promise<ComparedStep> {
  const { index, register, objects } = ports;
  const [sourceText = '', date = ''] = cursor.after.split(',');
  const seenMs = parseRequestDate(date);
  const afterMs = seenMs === null ? Number.MIN_SAFE_INTEGER : passed(seenMs);
  const sourceIds = [...(await index.extents()).keys()].filter((id) => id >= Number(sourceText)).sort((a, b) => a - b);
  const [sourceId] = sourceIds;
  if (sourceId === undefined)
    return { examined: 0, stated: 0, folderCalls: 0, faults: [], next: nextWalk(cursor), placeBefore: () => cursor };
  const isSame = sourceText !== '' && sourceId === Number(sourceText);
  const times = { afterMs: isSame ? afterMs : Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER };
  const page = await index.listed(sourceId, times, RECONCILIATION.objects);
  const { rows, absent, folderCalls } = await withoutFiles(objects, page);
  // Images may have been withdrawn since the rows were read.
  const { images: known } = await register.lookUp(rows.flatMap(({ key, fileName }) => (absent.has(key) ? fileName : [])));
  const faults = rows.flatMap((image, position): FoundFault[] => {
    const { key, fileName } = image;
    if (!absent.has(key) || known.get(fileName)?.key !== key) return [];
    const sentence = 'The file of this image does not exist.';
    return [{ kind: 'missing', path: keys.archivePath(key), sentence, key, size: 0, position, image }];
  });
  const placeAfter = (takenAtMs: number) => ({ walk: cursor.walk, after: `${sourceId},${formatExact(takenAtMs)}` });
  const last = rows.at(-1);
  const isLastPage = rows.length === page.length && page.length < RECONCILIATION.objects;
  const following = last && !isLastPage ? placeAfter(last.takenAtMs) : { walk: cursor.walk, after: `${sourceId + 1},` };
  return {
    examined: rows.length,
    stated: 0,
    folderCalls,
    faults,
    next: isLastPage && sourceIds.length === 1 ? nextWalk(cursor) : following,
    placeBefore: (position) => (position === 0 ? cursor : placeAfter(rows[position - 1]!.takenAtMs)),
  };
}

/** Keys of the first rows whose objects are not there, as many as the calls allow: by lists of folders, or one by one in small ones. */
async function withoutFiles(objects: ComparisonPorts['objects'], page: readonly ListedImage[]) {
  const runs: ListedImage[][] = [];
  for (const row of page) {
    const run = runs.at(-1);
    if (run && keys.folderOf(run[0]!.key) === keys.folderOf(row.key)) run.push(row);
    else runs.push([row]);
  }
  const callsOf = (run: readonly ListedImage[]) => (run.length <= RECONCILIATION.heads ? run.length : 1);
  let folderCalls = 0;
  const taken = runs.filter((run) => {
    folderCalls += callsOf(run);
    return folderCalls <= RECONCILIATION.folderCalls;
  });
  const absent = new Set<string>();
  await mapConcurrently(taken, RECONCILIATION.atOnce, async (run) => {
    if (run.length <= RECONCILIATION.heads) {
      for (const { key } of run) if (!(await objects.head(key))) absent.add(key);
      return;
    }
    const named = run.map(({ key }) => key).sort();
    for (const key of named) absent.add(key);
    // A key that is shorter by a character is before the first one.
    for (let after = named[0]!.slice(0, -1); after < named.at(-1)!; ) {
      const listed = await objects.list(keys.imagePrefix(`${keys.folderOf(named[0]!)}/`), {
        after,
        limit: RECONCILIATION.objects,
      });
      for (const { key } of listed.objects) absent.delete(key);
      if (listed.next === null) break;
      after = listed.next;
    }
  });
  return { rows: taken.flat(), absent, folderCalls: Math.min(folderCalls, RECONCILIATION.folderCalls) };
}

async function judgeSidecars(ports: ComparisonPorts, found: readonly ListedObject[]): Promise<Verdict[]> {
  const sidecars = found.map(({ key }) => keys.sidecarOf(key));
  const named = sidecars.flatMap((sidecar) => sidecar?.imageKey ?? []);
  const { uploads, known } = await knowledgeOf(ports, named);
  return sidecars.map((sidecar) => {
    if (!sidecar) return { kind: 'stray-sidecar', sentence: 'The key is none of a sidecar.' };
    const { imageKey, version } = sidecar;
    if (uploads.has(imageKey)) return null;
    const old = `The sidecar has version ${version} of the format, not ${ports.sidecarVersion}.`;
    if (version !== ports.sidecarVersion) return { kind: 'old-sidecar', sentence: old };
    const isOfImage = known.images.get(keys.keyedName(imageKey))?.key === imageKey;
    return isOfImage ? null : { kind: 'stray-sidecar', sentence: 'The index has no image of this sidecar.' };
  });
}

/** A record is written after its row, so one whose id has no row has been left by a restoration or an older version. */
async function judgeRecords({ index, recordVersion }: ComparisonPorts, found: readonly ListedObject[]): Promise<Verdict[]> {
  const records = found.map(({ key }) => keys.recordOf(key));
  const present = await index.byIds(records.flatMap((record) => record?.id ?? []));
  const ids = new Set(present.map(({ id }) => id));
  const stray = (sentence: string): Verdict => ({ kind: 'stray-record', sentence });
  return records.map((record) => {
    if (!record) return stray('The key is none of a record.');
    if (record.version !== recordVersion) return stray(`The record has version ${record.version}, not ${recordVersion}.`);
    return ids.has(record.id) ? null : stray(`The index has no image ${record.id}.`);
  });
}

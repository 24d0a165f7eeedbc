// Steps of a reconciliation: each reads a page of objects or rows, and compares it with the other side.
import { RECONCILIATION } from '../../config/limits/images.ts';
import { MEMORY_WAIT_MS } from '../../config/limits/memory.ts';
import { parseRequestDate } from '../../domain/request-date.ts';
import { formatExact } from '../../domain/time.ts';
import type { BulkRegister, KnownNames } from '../../ports/bulk.ts';
import type { ImageIndex, UploadJournal } from '../../ports/images.ts';
import type { FoundObjects, ListedObject, ObjectStore } from '../../ports/objects.ts';
import { archivePath, imageKeyOfPath, imagePrefix, keyedName, SIDECAR_PREFIX, sidecarOf } from '../../storage/keys.ts';
import { mapConcurrently } from '../../util/concurrently.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { passed } from '../images/image-list.ts';
import { withMemory } from '../memory-room.ts';
import { type FoundFault, nextWalk, type ReconciliationCursor } from './faults.ts';

export interface ComparisonPorts {
  /** The primary, because a replica may lack a row that was just added. */
  readonly index: Pick<ImageIndex, 'listed' | 'extents' | 'byFileName'>;
  readonly register: Pick<BulkRegister, 'lookUp'>;
  readonly journal: Pick<UploadJournal, 'recorded'>;
  readonly objects: FoundObjects & Pick<ObjectStore, 'head'>;
  readonly memory: MemoryBudget;
  /** Version of the sidecars that the service writes. */
  readonly sidecarVersion: number;
}

export interface ComparedStep {
  readonly examined: number;
  readonly faults: readonly FoundFault[];
  /** Where the next step begins; null at the end of the last walk. */
  readonly next: ReconciliationCursor | null;
}

/** Compares the page at a cursor. Files that are being uploaded are left to a later walk. */
export function compareStep(ports: ComparisonPorts, cursor: ReconciliationCursor): Promise<ComparedStep> {
  switch (cursor.walk) {
    case 'files':
      return compareFiles(ports, cursor);
    case 'rows':
      return compareRows(ports, cursor);
    case 'sidecars':
      return compareSidecars(ports, cursor);
  }
}

/** The objects below a prefix after a cursor, which has their keys without the prefix. */
async function page(objects: FoundObjects, prefix: string, { after }: ReconciliationCursor): Promise<readonly ListedObject[]> {
  return objects.list(prefix, { limit: RECONCILIATION.objects, ...(after === '' ? {} : { after: prefix + after }) });
}

/** The step after a page: behind its last item, or in the next walk when the page was the last one. */
function following(cursor: ReconciliationCursor, prefix: string, found: readonly ListedObject[]): ReconciliationCursor | null {
  if (found.length < RECONCILIATION.objects) return nextWalk(cursor);
  return { walk: cursor.walk, after: found.at(-1)!.key.slice(prefix.length) };
}

/**
 * Entries of the journal and rows of the index for the keys of found files. The journal is read first: an upload adds its row before its entry is
 * removed, so a file without an entry has its row by the time of the look-up.
 */
async function knowledgeOf({ register, journal }: ComparisonPorts, keys: readonly string[]) {
  const uploads = await journal.recorded(keys);
  return { uploads, known: await register.lookUp(keys.map(keyedName)) };
}

async function compareFiles(ports: ComparisonPorts, cursor: ReconciliationCursor): Promise<ComparedStep> {
  const prefix = imagePrefix('');
  const found = await page(ports.objects, prefix, cursor);
  const { uploads, known } = await knowledgeOf(
    ports,
    found.map(({ key }) => key),
  );
  const faults: FoundFault[] = [];
  await mapConcurrently(found, RECONCILIATION.atOnce, async (object) => {
    const { key } = object;
    if (uploads.has(key)) return;
    const image = known.images.get(keyedName(key));
    if (image?.key !== key) return void faults.push(unindexed(known, object));
    const sentence = await damageOf(ports, object, image);
    if (sentence !== null) faults.push({ kind: 'damaged', path: archivePath(key), sentence, ...object, image });
  });
  return { examined: found.length, faults: inOrder(faults), next: following(cursor, prefix, found) };
}

function unindexed({ images, withdrawnKeys }: KnownNames, object: ListedObject): FoundFault {
  const path = archivePath(object.key);
  const image = images.get(keyedName(object.key));
  const isName = imageKeyOfPath(path) === object.key;
  const sentence = withdrawnKeys.has(object.key)
    ? 'The image of this file has been withdrawn.'
    : image
      ? `The image of this name has the file ${archivePath(image.key)}.`
      : isName
        ? 'The index has no image of this file.'
        : 'The name is none of an image.';
  return { kind: 'unindexed', path, sentence, ...object, image: null };
}

/** How a file differs from its row; null when it does not. */
async function damageOf(
  { objects, memory }: ComparisonPorts,
  { key, size }: ListedObject,
  { byteLength, sha256 }: { readonly byteLength: number; readonly sha256: string },
): Promise<string | null> {
  if (size !== byteLength) return `Expected ${byteLength} bytes, as in the index, got ${size}.`;
  const present = await withMemory(memory, size, () => objects.sha256(key), MEMORY_WAIT_MS.background);
  return present === null || present === sha256 ? null : `Expected the SHA-256 ${sha256}, as in the index, got ${present}.`;
}

async function compareRows(ports: ComparisonPorts, cursor: ReconciliationCursor): Promise<ComparedStep> {
  const { index, objects } = ports;
  const [sourceText = '', date = ''] = cursor.after.split(',');
  const seenMs = parseRequestDate(date);
  const afterMs = seenMs === null ? Number.MIN_SAFE_INTEGER : passed(seenMs);
  const sourceIds = [...(await index.extents()).keys()].filter((id) => id >= Number(sourceText)).sort((a, b) => a - b);
  const [sourceId] = sourceIds;
  if (sourceId === undefined) return { examined: 0, faults: [], next: nextWalk(cursor) };
  const isSame = sourceText !== '' && sourceId === Number(sourceText);
  const times = { afterMs: isSame ? afterMs : Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER };
  const rows = await index.listed(sourceId, times, RECONCILIATION.objects);
  const faults: FoundFault[] = [];
  await mapConcurrently(rows, RECONCILIATION.atOnce, async (image) => {
    if (await objects.head(image.key)) return;
    // The image may have been withdrawn since the row was read.
    if ((await index.byFileName(image.fileName))?.key !== image.key) return;
    const sentence = 'The file of this image does not exist.';
    faults.push({ kind: 'missing', path: archivePath(image.key), sentence, key: image.key, size: 0, image });
  });
  const last = rows.at(-1);
  const isLastPage = rows.length < RECONCILIATION.objects;
  const rest = last && !isLastPage ? `${sourceId},${formatExact(last.takenAtMs)}` : `${sourceId + 1},`;
  const isEnd = isLastPage && sourceIds.length === 1;
  return { examined: rows.length, faults: inOrder(faults), next: isEnd ? nextWalk(cursor) : { walk: 'rows', after: rest } };
}

async function compareSidecars(ports: ComparisonPorts, cursor: ReconciliationCursor): Promise<ComparedStep> {
  const found = await page(ports.objects, SIDECAR_PREFIX, cursor);
  const described = found.map((object) => ({ object, sidecar: sidecarOf(object.key) }));
  const { uploads, known } = await knowledgeOf(
    ports,
    described.flatMap(({ sidecar }) => sidecar?.imageKey ?? []),
  );
  const faults = described.flatMap(({ object, sidecar }): FoundFault[] => {
    const fault = (kind: FoundFault['kind'], sentence: string) => [{ kind, path: object.key, sentence, ...object, image: null }];
    if (!sidecar) return fault('stray-sidecar', 'The key is none of a sidecar.');
    if (uploads.has(sidecar.imageKey)) return [];
    if (sidecar.version !== ports.sidecarVersion) {
      return fault('old-sidecar', `Expected version ${ports.sidecarVersion} of the format, got ${sidecar.version}.`);
    }
    if (known.images.get(keyedName(sidecar.imageKey))?.key === sidecar.imageKey) return [];
    return fault('stray-sidecar', 'The index has no image of this sidecar.');
  });
  return { examined: found.length, faults, next: following(cursor, SIDECAR_PREFIX, found) };
}

const inOrder = (faults: readonly FoundFault[]) => faults.toSorted((a, b) => (a.path < b.path ? -1 : 1));

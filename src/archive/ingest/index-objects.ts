// Indexes JP2 files that others have put into the bucket: rows are added for them where they are; a refused one is left as it is.
import { UPLOAD } from '../../platform/limits/images.ts';
import { JOB_BYTES, MEMORY_WAIT_MS } from '../../platform/limits/memory.ts';
import type { Log } from '../../platform/ports/timing.ts';
import type { FoundObjects, ListedObject, ObjectMetadata } from '../../platform/storage/r2-object-store.ts';
import { mapConcurrently } from '../../platform/util/concurrency.ts';
import { traceOf, when } from '../../platform/util/errors.ts';
import { type MemoryBudget, NoMemory } from '../../platform/util/memory-budget.ts';
import type { NewImage } from '../../sun/image.ts';
import type { KnownNames } from '../image-index/d1-image-register.ts';
import { archivePath, imageKeyOfPath, imagePrefix, keyedName, versionOf } from '../keys.ts';
import { describeJp2, refused } from './describe-jp2.ts';
import { type IngestPorts, isEarlierDay, withdrawnContent } from './ingest.ts';
import type { IngestResult, RefusalReason } from './ingest-result.ts';
import { type InspectedJp2, inspectJp2, inspectJp2Headers } from './inspect-jp2.ts';
import { statedIds, stateIds } from './stated-ids.ts';

export type IndexingPorts = Pick<IngestPorts, 'register' | 'withdrawals' | 'journal' | 'objects' | 'records' | 'clock'> & {
  readonly memory: MemoryBudget;
  readonly log: Log;
};

export interface IndexingOptions {
  /** Whether all packets are read and a reduced image is decoded, as at an upload. Otherwise the headers are read. */
  readonly readPackets?: boolean;
  /** Whether the content of objects that have a row is compared with its hash, and not only the length. */
  readonly compareKnown?: boolean;
}

/** Result for an object. `path`: its key without `jp2/`. */
export interface IndexedObject {
  readonly path: string;
  /** `missing`: there is no such object any more. `failed`: it could not be read or inspected, which the log explains. */
  readonly outcome: IngestResult['outcome'] | 'missing' | 'failed';
  readonly reason?: RefusalReason;
  readonly sentence?: string;
  /** Sentence on a part that an added file lacks although it can be served. */
  readonly warning?: string;
}

/** Files in memory at once, as far as there is room for them. */
const FILES_AT_ONCE = 4;

type Settled = Omit<IndexedObject, 'path'>;

const NO_MEMORY: Settled = { outcome: 'busy', sentence: 'The service is busy.' };

const BEING_UPLOADED: Settled = { outcome: 'busy', sentence: 'An upload of this file is under way.' };

const FAILED: Settled = {
  outcome: 'failed',
  sentence: 'The object could not be read, or its row not be added. Try again later.',
};

/** An object of the archive by its path: its key without `jp2/`. */
type ObjectAtPath = { readonly path: string; readonly size: number };

export const objectAt = ({ path, size }: ObjectAtPath): ListedObject => ({ key: imagePrefix(path), size });

/** The objects whose paths begin with `prefix`, after the path `after`, in the order of their paths. `next`: as of a `ListedPage`. */
export async function listObjects(
  objects: Pick<FoundObjects, 'list'>,
  { prefix, after, limit }: { readonly prefix: string; readonly after: string; readonly limit: number },
): Promise<{ readonly objects: readonly ObjectAtPath[]; readonly next: string | null }> {
  const page = await objects.list(imagePrefix(prefix), { limit, ...(after ? { after: imagePrefix(after) } : {}) });
  const found = page.objects.map(({ key, size }) => ({ path: archivePath(key), size }));
  return { objects: found, next: page.next === null ? null : archivePath(page.next) };
}

/** Indexes objects; the results are in their order. Idempotent. The failure of one object does not affect the others. */
export async function indexObjects(ports: IndexingPorts, objects: readonly ListedObject[], options: IndexingOptions = {}) {
  const began = performance.now();
  const results = new Map<ListedObject, IndexedObject>();
  const settle = (object: ListedObject, result: Settled) => results.set(object, { path: archivePath(object.key), ...result });
  const isNamed = ({ key }: ListedObject) => imageKeyOfPath(archivePath(key)) === key;
  const named = objects.filter(isNamed);
  const failed = ({ key }: ListedObject, error: unknown): Settled => {
    ports.log({ job: 'indexObjects', path: archivePath(key), failed: traceOf(error) });
    return FAILED;
  };
  for (const object of objects) if (!isNamed(object)) settle(object, refusedName(object));
  // Before the names: what is withdrawn or replaced from now on, the rows do not bring back.
  const checkedAtMs = ports.clock();
  const [known, uploads] = await Promise.all([
    ports.register.lookUp(named.map(({ key }) => keyedName(key))),
    ports.journal.recorded(named.map(({ key }) => key)),
  ]);
  const lookedUp = performance.now();

  const inspectedOnes: (Inspected & { readonly object: ListedObject })[] = [];
  await mapConcurrently(named, FILES_AT_ONCE, async (object) => {
    const read = async () =>
      (await fromNames(ports, object, known, options)) ??
      (uploads.has(object.key) ? BEING_UPLOADED : await inspectedWithRoom(ports, object, options));
    const result = await read().catch((error: unknown) => failed(object, error));
    if ('outcome' in result) settle(object, result);
    else inspectedOnes.push({ object, ...result });
  });
  const read = performance.now();

  const withdrawals = await ports.withdrawals.ofContents(inspectedOnes.map(({ image }) => image.sha256));
  for (const { object, image } of inspectedOnes) {
    const withdrawal = withdrawals.get(image.sha256);
    if (withdrawal) settle(object, withdrawnContent(withdrawal));
  }
  // Where two files state one id, the first in the order of the request gets it.
  const positions = new Map(objects.map((object, i) => [object, i]));
  const found = inspectedOnes
    .filter(({ image }) => !withdrawals.has(image.sha256))
    .sort((a, b) => positions.get(a.object)! - positions.get(b.object)!);

  const stated = await statedIds(
    ports.objects,
    found.map(({ image, metadata }) => ({ ...image, metadata })),
  );
  const leaveFolders = async (images: readonly NewImage[]) => {
    const late = images.filter((image) => isEarlierDay(image, ports.clock()));
    if (late.length > 0) await ports.journal.leaveFolders(late.map(({ key }) => key));
  };
  // Before the rows as well: where the index breaks off after them, the next one finds them known.
  await leaveFolders(found.map(({ image }) => image));
  const registered = await addAll(
    ports,
    found.map(({ image }) => ({ ...image, statedId: stated.get(image.key), checkedAtMs })),
  );
  const added = registered.flatMap((each) => (each.outcome === 'added' ? each.image : []));
  if (added.length > 0) await ports.records.forget(added.map(({ id }) => id));
  const unstated = added.filter(({ id, key }) => stated.get(key) !== id);
  await stateIds(ports.objects, unstated);
  for (const { id, key } of unstated.filter((image) => stated.has(image.key)))
    ports.log({ job: 'indexObjects', path: archivePath(key), id, takenId: stated.get(key) });
  await leaveFolders(added);
  for (const [i, { object }] of found.entries()) {
    const result = registered[i]!;
    if (result.outcome === 'refused') {
      settle(object, result);
      continue;
    }
    const { outcome, sentence } = result.outcome === 'failed' ? failed(object, result.error) : result;
    const { warning } = found[i]!;
    const isWarned = outcome === 'added' && warning !== null;
    settle(object, { outcome, ...(sentence === undefined ? {} : { sentence }), ...(isWarned ? { warning } : {}) });
  }
  // Reads and inspections overlap.
  const timesMs = { lookUp: lookedUp - began, inspect: read - lookedUp, register: performance.now() - read };
  return { results: objects.map((object) => results.get(object)!), timesMs };
}

/** Adds images, without those whose content an operator has withdrawn under another name since `checkedAtMs`. */
async function addAll({ register, withdrawals }: IndexingPorts, images: Parameters<IndexingPorts['register']['addAll']>[0]) {
  const registered = await register.addAll(images);
  const busy = images.filter((_, i) => registered[i]!.outcome === 'busy');
  const withdrawn = await withdrawals.ofContents(busy.map(({ sha256 }) => sha256));
  return registered.map((each, i) => {
    const withdrawal = each.outcome === 'busy' && withdrawn.get(images[i]!.sha256);
    return withdrawal ? withdrawnContent(withdrawal) : each;
  });
}

const refusedName = ({ key }: ListedObject) =>
  refused('name', `Rename ${keyedName(key).slice(0, 80)} to letters, digits, dots, dashes and underscores ending in .jp2.`);

/** The result for an object by the rows with its name; null when it has to be read. */
async function fromNames(
  ports: IndexingPorts,
  { key, size }: ListedObject,
  { images, withdrawnKeys }: KnownNames,
  { compareKnown = false }: IndexingOptions,
): Promise<Settled | null> {
  const image = images.get(keyedName(key));
  if (image?.key === key) {
    const sha256 = compareKnown ? await ports.objects.sha256(key) : image.sha256;
    if (sha256 === null) return { outcome: 'missing' };
    if (image.byteLength === size && sha256 === image.sha256) return { outcome: 'known' };
    const sentence =
      'The object has other content than the image that was indexed. Put the original back, or withdraw the image and ingest the file.';
    return { outcome: 'conflict', sentence };
  }
  if (withdrawnKeys.has(key))
    return refused(
      'withdrawn',
      'The image at this path was withdrawn. Ingest the file, with --restore if it is the same, which gives it a path of its own.',
    );
  return image ? { outcome: 'conflict', sentence: `A file of this name is archived as ${archivePath(image.key)}.` } : null;
}

/** The row of an object, its metadata, and what its file lacks. */
interface Inspected extends Pick<InspectedJp2, 'warning'> {
  readonly image: NewImage;
  readonly metadata: ObjectMetadata;
}

/** The row of an object, or why there is none, when there is memory for it. */
async function inspectedWithRoom(ports: IndexingPorts, object: ListedObject, options: IndexingOptions) {
  const bytes = JOB_BYTES.perFileByte * Math.min(object.size, UPLOAD.bodyBytes);
  const inspection = ports.memory.run(bytes, MEMORY_WAIT_MS.background, () => inspected(ports, object, options));
  return inspection.catch(when(NoMemory, () => NO_MEMORY));
}

async function inspected(
  { objects, clock }: IndexingPorts,
  { key, size }: ListedObject,
  { readPackets = false }: IndexingOptions,
): Promise<Inspected | Settled> {
  if (size > UPLOAD.bodyBytes)
    return refused('too-large', `The object has ${size} bytes, above the limit of ${UPLOAD.bodyBytes}.`);
  const object = await objects.whole(key, UPLOAD.bodyBytes);
  if (!object) return { outcome: 'missing' };
  const file = { fileName: keyedName(key), jp2: object.bytes, sha256: object.sha256, version: versionOf(key) };
  const described = await describeJp2<Omit<InspectedJp2, 'sidecar'>>(file, readPackets ? inspectJp2 : inspectJp2Headers, clock());
  if ('outcome' in described) return described;
  const expected = described.image.key;
  if (expected === key) return { image: described.image, metadata: object.metadata, warning: described.inspected.warning };
  return refused(
    'folder',
    `By its header, this file belongs to ${archivePath(expected)}. Move it there from ${archivePath(key)}.`,
  );
}

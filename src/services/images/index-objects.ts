// Indexes JP2 files that others have put into the bucket under the paths of the archive: rows are added for them where they are. An
// object that is refused is left as it is.
import { UPLOAD } from '../../config/limits/images.ts';
import { JOB_BYTES, MEMORY_WAIT_MS } from '../../config/limits/memory.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { BulkRegister, BulkRegistration, KnownNames } from '../../ports/bulk.ts';
import type { ImageFacts, UploadJournal } from '../../ports/images.ts';
import type { FoundObjects, ListedObject } from '../../ports/objects.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import { archivePath, imageKeyOfPath, imagePrefix, jp2Key, keyedName } from '../../storage/keys.ts';
import { traceOf } from '../../util/causes.ts';
import { mapConcurrently } from '../../util/concurrently.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { describeJp2, Refusal, type RefusalReason, refuseCodestream } from './describe-jp2.ts';
import { type InspectedJp2, inspectJp2, inspectJp2Headers } from './inspect-jp2.ts';

export interface IndexingPorts {
  readonly register: BulkRegister;
  readonly journal: Pick<UploadJournal, 'recorded'>;
  readonly objects: FoundObjects;
  /** Stored when an image is first viewed, because a write for each of millions of images costs more than all of their rows. */
  readonly facts: Pick<ImageFacts, 'forget'>;
  readonly clock: Clock;
  readonly memory: MemoryBudget;
  readonly log: Log;
}

export interface IndexingOptions {
  /** Whether all packets are read and a reduced image is decoded, as at an upload. Otherwise the headers are read. */
  readonly readPackets?: boolean;
  /** Whether the content of objects that have a row is compared with its hash, and not only the length. */
  readonly compareKnown?: boolean;
}

/** Result for an object. `path`: its key without `jp2/`. */
export interface IndexedObject {
  readonly path: string;
  /**
   * `busy`: an upload or a move of its shard is under way; try again later. `missing`: there is no such object any more. `failed`: the object
   * could not be read or inspected, which the log explains.
   */
  readonly outcome: 'added' | 'known' | 'refused' | 'conflict' | 'busy' | 'missing' | 'failed';
  readonly reason?: RefusalReason | 'name' | 'folder' | 'withdrawn';
  readonly sentence?: string;
}

/** Milliseconds of a call. */
export interface IndexingTimes {
  readonly lookUp: number;
  /** From the first read to the last inspection; reads and inspections overlap. */
  readonly inspect: number;
  readonly register: number;
}

/** Files in memory at once, as far as there is room for them. */
const FILES_AT_ONCE = 4;

type Settled = Omit<IndexedObject, 'path'>;

const NO_MEMORY: Settled = { outcome: 'busy', sentence: 'The service is busy.' };

const BEING_UPLOADED: Settled = { outcome: 'busy', sentence: 'An upload of this file is under way.' };

const FAILED: Settled = { outcome: 'failed', sentence: 'The object could not be read. Try again later.' };

type NewImage = Omit<ArchivedImage, 'id'>;

/** An object of the archive by its path: its key without `jp2/`. */
export interface ObjectAtPath {
  readonly path: string;
  readonly size: number;
}

export const objectAt = ({ path, size }: ObjectAtPath): ListedObject => ({ key: imagePrefix(path), size });

/** The objects whose paths begin with `prefix`, after the path `after`, in the order of their paths. */
export async function listObjects(
  objects: Pick<FoundObjects, 'list'>,
  { prefix, after, limit }: { readonly prefix: string; readonly after: string; readonly limit: number },
): Promise<ObjectAtPath[]> {
  const found = await objects.list(imagePrefix(prefix), { limit, ...(after ? { after: imagePrefix(after) } : {}) });
  return found.map(({ key, size }) => ({ path: archivePath(key), size }));
}

/** Indexes objects; the results are in their order. Idempotent. The failure of one object does not affect the others. */
export async function indexObjects(
  ports: IndexingPorts,
  objects: readonly ListedObject[],
  options: IndexingOptions = {},
): Promise<{ readonly results: readonly IndexedObject[]; readonly timesMs: IndexingTimes }> {
  const began = performance.now();
  const results = new Map<ListedObject, IndexedObject>();
  const settle = (object: ListedObject, result: Omit<IndexedObject, 'path'>) =>
    results.set(object, { path: archivePath(object.key), ...result });
  const [named, unnamed] = partition(objects, ({ key }) => imageKeyOfPath(archivePath(key)) === key);
  for (const object of unnamed) settle(object, refusedName(object));
  const [known, uploads] = await Promise.all([
    ports.register.lookUp(named.map(({ key }) => keyedName(key))),
    ports.journal.recorded(named.map(({ key }) => key)),
  ]);
  const lookedUp = performance.now();

  const found: { readonly object: ListedObject; readonly image: NewImage }[] = [];
  await mapConcurrently(named, FILES_AT_ONCE, async (object) => {
    const read = async () =>
      (await fromNames(ports, object, known, options)) ??
      (uploads.has(object.key) ? BEING_UPLOADED : await inspectedWithRoom(ports, object, options));
    const image = await read().catch((error: unknown) => {
      ports.log({ job: 'indexObjects', path: archivePath(object.key), failed: traceOf(error) });
      return FAILED;
    });
    if ('outcome' in image) settle(object, image);
    else found.push({ object, image });
  });
  const read = performance.now();

  const registered = await ports.register.addAll(found.map(({ image }) => image));
  const added = registered.flatMap((each) => (each.outcome === 'added' ? each.image.id : []));
  if (added.length > 0) await ports.facts.forget(added);
  found.forEach(({ object }, i) => {
    settle(object, ofRegistration(registered[i]!));
  });
  const timesMs = { lookUp: lookedUp - began, inspect: read - lookedUp, register: performance.now() - read };
  return { results: objects.map((object) => results.get(object)!), timesMs };
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const parts = Map.groupBy(items, test);
  return [parts.get(true) ?? [], parts.get(false) ?? []];
}

const refusedName = ({ key }: ListedObject): Settled => ({
  outcome: 'refused',
  reason: 'name',
  sentence: `Expected letters, digits, dots, dashes and underscores ending in .jp2 for the name, got ${keyedName(key).slice(0, 80)}.`,
});

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
  if (withdrawnKeys.has(key)) {
    const sentence = 'The image at this path was withdrawn. Ingest the file, which gives it a path of its own.';
    return { outcome: 'refused', reason: 'withdrawn', sentence };
  }
  return image ? { outcome: 'conflict', sentence: `A file of this name is archived as ${archivePath(image.key)}.` } : null;
}

/** The row of an object, or why there is none, when there is memory for it. */
async function inspectedWithRoom(
  ports: IndexingPorts,
  object: ListedObject,
  options: IndexingOptions,
): Promise<NewImage | Settled> {
  const bytes = JOB_BYTES.perFileByte * Math.min(object.size, UPLOAD.bodyBytes);
  const lease = await ports.memory.acquire(bytes, { waitMs: MEMORY_WAIT_MS.background });
  if (!lease) return NO_MEMORY;
  try {
    return await inspected(ports, object, options);
  } finally {
    ports.memory.release(lease);
  }
}

async function inspected(
  { objects, clock }: IndexingPorts,
  { key, size }: ListedObject,
  { readPackets = false }: IndexingOptions,
): Promise<NewImage | Settled> {
  try {
    if (size > UPLOAD.bodyBytes) throw new Refusal('too-large', `Expected at most ${UPLOAD.bodyBytes} bytes, got ${size}.`);
    const object = await objects.whole(key, UPLOAD.bodyBytes);
    if (!object) return { outcome: 'missing' };
    const inspect: (jp2: Uint8Array) => Promise<Omit<InspectedJp2, 'sidecar'>> = readPackets ? inspectJp2 : inspectJp2Headers;
    const fileName = keyedName(key);
    const jp2 = await inspect(object.bytes).catch(refuseCodestream);
    const { folder, ...described } = describeJp2(jp2, { fileName, nowMs: clock() });
    const expected = jp2Key(folder, fileName);
    if (expected !== key) {
      const sentence = `Expected ${archivePath(expected)} for the path of this file, got ${archivePath(key)}.`;
      return { outcome: 'refused', reason: 'folder', sentence };
    }
    return { ...described, fileName, key, byteLength: object.bytes.length, sha256: object.sha256 };
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', reason: error.reason, sentence: error.message };
    throw error;
  }
}

function ofRegistration(registration: BulkRegistration): Settled {
  switch (registration.outcome) {
    case 'moving':
      return { outcome: 'busy', sentence: 'The images of this source are being moved to another database.' };
    case 'conflict':
      return { outcome: 'conflict', sentence: registration.reason };
    default:
      return { outcome: registration.outcome };
  }
}

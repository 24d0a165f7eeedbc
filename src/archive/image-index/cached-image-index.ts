// The image index of readers: images from this isolate, their records in the archive, or the database; searches in the nearest replica.
import { KNOWN_IMAGES } from '../../platform/limits/images.ts';
import { CACHE_WORTH_MS } from '../../platform/limits/memory.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import { type ImageDatabases, replicasOf } from '../../platform/storage/databases.ts';
import type { FoundObjects, ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { jsonBytes, jsonOf } from '../../platform/util/bytes.ts';
import type { MemoryBudget, MemoryCache } from '../../platform/util/memory-budget.ts';
import type { ArchivedImage, WithdrawnImage } from '../../sun/image.ts';
import { imageRecordKey, recordMarkKey, recordMarkPrefix, recordOf } from '../keys.ts';
import { D1ImageIndex } from './d1-image-index.ts';

interface Ports {
  readonly databases: ImageDatabases;
  readonly objects: Pick<ObjectStore, 'readAll' | 'put'> &
    Pick<FoundObjects, 'list'> & { delete(keys: string | readonly string[]): Promise<void> };
  readonly clock: Clock;
  readonly memory: MemoryBudget;
}

/** Changes with the members of ArchivedImage, so that records of an older form are not read. */
export const RECORD_VERSION = 2;

export const recordKey = (id: number): string => imageRecordKey(RECORD_VERSION, id);

/** Ids of one content that are found: the most that R2 lists at once, far more than restorations lose. */
const IDS_OF_CONTENT = 1000;

/** A record is right while it is in the archive. Other isolates cache a withdrawn one for `KNOWN_IMAGES.freshMs` more. */
export class CachedImageIndex extends D1ImageIndex {
  readonly #primary: D1ImageIndex;
  readonly #ports: Ports;
  readonly #cache: MemoryCache<number, { readonly image: ArchivedImage; readonly untilMs: number }>;
  /** Ids of images that were found in a database because they have no record. */
  readonly #unrecorded = new Set<number>();

  constructor(ports: Ports) {
    super(replicasOf(ports.databases));
    this.#primary = new D1ImageIndex(ports.databases);
    this.#ports = ports;
    this.#cache = ports.memory.cache({ bytesOf: () => KNOWN_IMAGES.bytes, worthMs: CACHE_WORTH_MS.row });
  }

  override async byId(id: number): Promise<ArchivedImage | null> {
    const { clock } = this.#ports;
    const cached = this.#cache.get(id);
    if (cached && clock() < cached.untilMs) return cached.image;
    const bytes = await this.#ports.objects.readAll(recordKey(id));
    const stored = bytes && jsonOf<ArchivedImage>(bytes);
    // None for an image that was indexed in bulk or is withdrawn.
    const recorded = stored?.id === id ? stored : null;
    const image = recorded ?? (await super.byId(id)) ?? (await this.#primary.byId(id));
    if (image) this.#cache.set(id, { image, untilMs: clock() + KNOWN_IMAGES.freshMs });
    if (image && !recorded && this.#unrecorded.size < KNOWN_IMAGES.missing) this.#unrecorded.add(id);
    return image;
  }

  /** A new image may be missing in the replica, which costs a search of the primary. */
  override async byIds(ids: readonly number[]): Promise<ArchivedImage[]> {
    const found = await super.byIds(ids);
    const known = new Set(found.map(({ id }) => id));
    return [...found, ...(await this.#primary.byIds(ids.filter((id) => !known.has(id))))];
  }

  /** A new image may be missing in the replica. */
  override async byFileName(fileName: string): Promise<ArchivedImage | null> {
    return (await super.byFileName(fileName)) ?? this.#primary.byFileName(fileName);
  }

  override withdrawn(ids: readonly number[]): Promise<WithdrawnImage[]> {
    return this.#primary.withdrawn(ids);
  }

  override withdrawnByFileName(fileName: string): Promise<WithdrawnImage[]> {
    return this.#primary.withdrawnByFileName(fileName);
  }

  /** Writes the records that reads since the last call did not find, which images indexed in bulk lack at first. @returns their number */
  async writeMissing(): Promise<number> {
    const ids = [...this.#unrecorded];
    this.#unrecorded.clear();
    // One search for all: an image may have been withdrawn since it was read, and its id given to another.
    const images = await this.#primary.byIds(ids);
    for (const image of images) await this.#write(image);
    return images.length;
  }

  /** Writes the record of an image, in place of one that its id had in an archive whose ids were lost. */
  async write(image: ArchivedImage): Promise<void> {
    await this.#write(image);
    this.#cache.delete(image.id);
  }

  /** The ids under which the archive has records of a content, of which a restored database may have lost some. */
  async idsOf(content: Pick<ArchivedImage, 'sha256'>): Promise<number[]> {
    const { objects: marks } = await this.#ports.objects.list(recordMarkPrefix(RECORD_VERSION, content), {
      limit: IDS_OF_CONTENT,
    });
    return marks.flatMap(({ key }) => recordOf(key)?.id ?? []);
  }

  /** Deletes the records of at most a thousand ids, with their marks where all have the `content`. */
  async forget(ids: readonly number[], content?: Pick<ArchivedImage, 'sha256'>): Promise<void> {
    const { objects } = this.#ports;
    await objects.delete(ids.map(recordKey));
    if (content) await objects.delete(ids.map((id) => recordMarkKey(RECORD_VERSION, { id, ...content })));
    for (const id of ids) {
      this.#cache.delete(id);
      this.#unrecorded.delete(id);
    }
  }

  /**
   * Writes the mark first, so that every record is found by its content. Re-reads the row after writing, because a withdrawal may have
   * removed it meanwhile; a record whose row cannot be read goes as well, and is written again behind a later view.
   */
  async #write(image: ArchivedImage): Promise<void> {
    const { objects } = this.#ports;
    await objects.put(recordMarkKey(RECORD_VERSION, image), new Uint8Array(), 'application/octet-stream');
    await objects.put(recordKey(image.id), jsonBytes(image), 'application/json');
    const row = await this.#primary.byId(image.id).catch(() => null);
    if (!row) await this.forget([image.id], image);
  }
}

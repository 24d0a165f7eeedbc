// The image index of readers: images by id from this isolate, else from their facts in the archive, else from the database; searches
// in the nearest replica of the database.
import { KNOWN_IMAGES } from '../../config/limits/images.ts';
import { CACHE_WORTH_MS, memoryLimits } from '../../config/limits/memory.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ImageFacts, ImageIndex } from '../../ports/images.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Clock } from '../../ports/timing.ts';
import { MemoryBudget } from '../../util/memory-budget.ts';
import type { MemoryCache } from '../../util/memory-cache.ts';
import { factsKey, readFacts, writeFacts } from './image-facts.ts';

interface Ports {
  /** May be some seconds behind. */
  readonly replica: ImageIndex;
  readonly primary: Pick<ImageIndex, 'byId' | 'byFileName' | 'withdrawn' | 'withdrawnByFileName'>;
  readonly objects: Pick<ObjectStore, 'readAll' | 'put'> & { delete(keys: string | readonly string[]): Promise<void> };
  readonly clock: Clock;
  /** Unset: one of its own. */
  readonly memory?: MemoryBudget;
}

interface Known {
  readonly image: ArchivedImage;
  readonly untilMs: number;
}

/**
 * An image never changes, so its facts are right for as long as it is in the archive. A withdrawn one is known here for at most
 * `KNOWN_IMAGES.freshMs` more, and not at all in the isolate that withdraws it.
 */
export class KnownImages implements ImageIndex, ImageFacts {
  readonly #ports: Ports;
  readonly #known: MemoryCache<number, Known>;
  /** Images that were found in a database because the archive has no facts of them. */
  readonly #missing = new Map<number, ArchivedImage>();

  constructor({ memory = new MemoryBudget(memoryLimits()), ...ports }: Ports) {
    this.#ports = ports;
    this.#known = memory.cache({ bytesOf: () => KNOWN_IMAGES.bytes, worthMs: CACHE_WORTH_MS.row });
  }

  async byId(id: number): Promise<ArchivedImage | null> {
    const { replica, primary, objects, clock } = this.#ports;
    const known = this.#known.get(id);
    if (known && clock() < known.untilMs) return known.image;
    const facts = await readFacts(objects, id);
    const image = facts ?? (await replica.byId(id)) ?? (await primary.byId(id));
    if (image) this.#known.set(id, { image, untilMs: clock() + KNOWN_IMAGES.freshMs });
    if (image && !facts && this.#missing.size < KNOWN_IMAGES.missing) this.#missing.set(id, image);
    return image;
  }

  /**
   * Stores the facts that reads since the last call did not find: those of images that were indexed in bulk, of which most are never
   * viewed.
   * @returns their number
   */
  async storeMissing(): Promise<number> {
    const images = [...this.#missing.values()];
    this.#missing.clear();
    for (const image of images) await this.#store(image);
    return images.length;
  }

  /** A new image may be missing in the replica. */
  async byFileName(fileName: string): Promise<ArchivedImage | null> {
    const { replica, primary } = this.#ports;
    return (await replica.byFileName(fileName)) ?? primary.byFileName(fileName);
  }

  async write(image: ArchivedImage): Promise<void> {
    await this.#store(image);
    this.#known.delete(image.id);
  }

  async delete(id: number): Promise<void> {
    await this.forget([id]);
  }

  async forget(ids: readonly number[]): Promise<void> {
    await this.#ports.objects.delete(ids.map(factsKey));
    for (const id of ids) {
      this.#known.delete(id);
      this.#missing.delete(id);
    }
  }

  /**
   * Stores facts of an image that has a row. A withdrawal removes the row before the facts, so facts that were written after it are found
   * by a look at the row afterwards.
   */
  async #store(image: ArchivedImage): Promise<void> {
    const { objects, primary } = this.#ports;
    await writeFacts(objects, image);
    if (!(await primary.byId(image.id))) await objects.delete(factsKey(image.id));
  }

  withdrawn: ImageIndex['withdrawn'] = (ids) => this.#ports.primary.withdrawn(ids);

  withdrawnByFileName: ImageIndex['withdrawnByFileName'] = (name) => this.#ports.primary.withdrawnByFileName(name);

  byIds: ImageIndex['byIds'] = (...query) => this.#ports.replica.byIds(...query);

  neighbours: ImageIndex['neighbours'] = (...query) => this.#ports.replica.neighbours(...query);

  adjacentTimes: ImageIndex['adjacentTimes'] = (...query) => this.#ports.replica.adjacentTimes(...query);

  ends: ImageIndex['ends'] = (...query) => this.#ports.replica.ends(...query);

  inRange: ImageIndex['inRange'] = (...query) => this.#ports.replica.inRange(...query);

  listed: ImageIndex['listed'] = (...query) => this.#ports.replica.listed(...query);

  heldDays: ImageIndex['heldDays'] = (...query) => this.#ports.replica.heldDays(...query);

  countInRange: ImageIndex['countInRange'] = (...query) => this.#ports.replica.countInRange(...query);

  counts: ImageIndex['counts'] = (...query) => this.#ports.replica.counts(...query);

  gaps: ImageIndex['gaps'] = (...query) => this.#ports.replica.gaps(...query);

  neighboursOfTimes: ImageIndex['neighboursOfTimes'] = (...query) => this.#ports.replica.neighboursOfTimes(...query);

  extents: ImageIndex['extents'] = () => this.#ports.replica.extents();
}

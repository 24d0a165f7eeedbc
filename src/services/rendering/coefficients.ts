// Coefficient sidecars of archived images: reads them, caches their heads in the isolate, and has missing and damaged parts made
// behind responses.
import { CACHE_WORTH_MS, JOB_BYTES, MEMORY_WAIT_MS, memoryLimits } from '../../config/limits/memory.ts';
import { COEFFICIENT_MAKING, SHARED_READ_WAIT_MS } from '../../config/limits/rendering.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { ByteRange } from '../../imaging/byte-source.ts';
import type { Part } from '../../imaging/coefficients/cells.ts';
import type { CoefficientHead } from '../../imaging/coefficients/format.ts';
import { Jp2Error } from '../../imaging/jp2/errors.ts';
import type { Chunk } from '../../imaging/jp2/level-blocks.ts';
import { decodeSidecar, type Jp2Index } from '../../imaging/jp2/sidecar.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Log } from '../../ports/timing.ts';
import { MemoryBudget } from '../../util/memory-budget.ts';
import type { MemoryCache } from '../../util/memory-cache.ts';
import { SingleFlight } from '../../util/single-flight.ts';
import { withMemory } from '../memory-room.ts';
import {
  canHaveCoefficients,
  hasUpperParts,
  type MadeCoefficients,
  type MakingOptions,
  makeCoefficients,
  parsedHead,
  partKey,
} from './coefficient-making.ts';

/** An image whose sidecar lacks parts. */
interface Order {
  readonly image: ArchivedImage;
  readonly index: Jp2Index;
  readonly missing: Set<Part>;
  readonly damaged: Set<Part>;
}

interface CoefficientsOptions {
  readonly objects: Pick<ObjectStore, 'read' | 'readAll' | 'put'>;
  /** Parts that are made behind responses. */
  readonly makes: readonly Part[];
  /** Images that wait for their parts; further ones are made when they are viewed again. */
  readonly waiting?: number;
  readonly log: Log;
  /** Unset: one of its own. */
  readonly memory?: MemoryBudget;
}

interface KnownHead {
  readonly head: CoefficientHead | null;
  readonly canHaveOne: boolean;
}

/** Bytes of an entry of the cache beside its cells: the parsed index; and of one without a head. */
const BYTES_OF_INDEX = 64 << 10;
const BYTES_OF_NONE = 256;

export class Coefficients {
  readonly #options: CoefficientsOptions;
  readonly #memory: MemoryBudget;
  readonly #heads: MemoryCache<string, KnownHead>;
  /** Heads that are being read. A viewer requests many tiles of an image at once. */
  readonly #reads = new SingleFlight<CoefficientHead | null>(SHARED_READ_WAIT_MS);
  readonly #orders = new Map<string, Order>();
  #makingSinceMs: number | null = null;

  constructor({ memory = new MemoryBudget(memoryLimits()), ...options }: CoefficientsOptions) {
    this.#options = options;
    this.#memory = memory;
    this.#heads = memory.cache({
      bytesOf: ({ head }) => (head ? head.cells.length + BYTES_OF_INDEX : BYTES_OF_NONE),
      worthMs: CACHE_WORTH_MS.head,
    });
  }

  /** Part A of an image, or null. */
  async head(image: ArchivedImage): Promise<CoefficientHead | null> {
    const known = this.#heads.get(image.sha256);
    if (known) return known.head;
    return this.#reads.run(image.sha256, async () => {
      const bytes = await this.#options.objects.readAll(partKey(image, 'A'));
      const head = bytes && parsedHead(bytes);
      this.#heads.set(image.sha256, { head, canHaveOne: true });
      return head;
    });
  }

  /** A range of part B or C; null when the part does not exist or is shorter. */
  async chunk(image: ArchivedImage, part: Part, { offset, length }: ByteRange): Promise<Chunk | null> {
    try {
      const bytes = await this.#options.objects.read(partKey(image, part), offset, length);
      return bytes && { offset, bytes };
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** Orders a part: `damaged` ones are made again, `missing` ones unless they exist by then. */
  order(image: ArchivedImage, index: Jp2Index, part: Part, state: 'missing' | 'damaged'): void {
    const isOpen = this.#options.makes.includes(part) && this.#heads.get(image.sha256)?.canHaveOne !== false;
    if (!isOpen || !canHaveCoefficients(image, index)) return;
    const order = this.#orders.get(image.sha256) ?? { image, index, missing: new Set<Part>(), damaged: new Set<Part>() };
    order[state].add(part);
    const { waiting = COEFFICIENT_MAKING.waiting } = this.#options;
    if (this.#orders.has(image.sha256) || this.#orders.size < waiting) this.#orders.set(image.sha256, order);
  }

  /**
   * Makes what is ordered, one image after the other and never two at once. Failures are logged.
   * @param goesOn Whether to make the next image
   */
  async makeOrdered(goesOn: () => boolean = () => true): Promise<void> {
    const nowMs = performance.now();
    if (this.#makingSinceMs !== null && nowMs - this.#makingSinceMs < COEFFICIENT_MAKING.staleMs) return;
    try {
      for (const [sha256, order] of this.#orders) {
        if (!goesOn()) return;
        this.#makingSinceMs = performance.now();
        this.#orders.delete(sha256);
        await this.#withRoom(order.image, () => this.#make(order)).catch(() => undefined);
      }
    } finally {
      this.#makingSinceMs = null;
    }
  }

  /**
   * Makes part A of an image that is being ingested, unless it is so small that part A has all of it: such images are decoded in a few
   * milliseconds, and get theirs when they are viewed. Failures are logged, because the image is served without.
   * @param sidecar Its index sidecar
   */
  async makeFirst(image: ArchivedImage, sidecar: Uint8Array, jp2: Uint8Array): Promise<void> {
    const index = decodeSidecar(sidecar);
    if (!canHaveCoefficients(image, index) || !hasUpperParts(index)) return;
    await this.#make({ image, index, missing: new Set<Part>(['A']), damaged: new Set<Part>() }, jp2);
  }

  /**
   * Makes parts of an image, or all of `parts` again with `renew`.
   * @returns `none` when the image cannot have any, or its file is gone
   * @throws Failure `busy` when there is no memory for it in time
   */
  async make(image: ArchivedImage, index: Jp2Index, parts: ReadonlySet<Part>, renew: boolean): Promise<'made' | 'kept' | 'none'> {
    if (!canHaveCoefficients(image, index)) return 'none';
    const none = new Set<Part>();
    const order = { image, index, missing: renew ? none : parts, damaged: renew ? parts : none };
    const made = await this.#withRoom(image, () => this.#make(order));
    return made ? (made.isNew ? 'made' : 'kept') : 'none';
  }

  #withRoom<T>({ byteLength }: ArchivedImage, work: () => Promise<T>): Promise<T> {
    return withMemory(this.#memory, JOB_BYTES.perFileByte * byteLength, work, MEMORY_WAIT_MS.background);
  }

  /** @param jp2 The file, if it is in memory */
  async #make(order: MakingOptions, jp2?: Uint8Array): Promise<MadeCoefficients | null> {
    const { image } = order;
    try {
      const made = await makeCoefficients(this.#options.objects, { ...order, ...(jp2 ? { jp2 } : {}) });
      this.#heads.set(image.sha256, { head: made?.head ?? null, canHaveOne: true });
      return made;
    } catch (error) {
      const isFinal = error instanceof Jp2Error;
      if (isFinal) this.#heads.set(image.sha256, { head: null, canHaveOne: false });
      this.#options.log({ coefficients: image.fileName, failed: error instanceof Error ? error.message : String(error) });
      return null;
    }
  }
}

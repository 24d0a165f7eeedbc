// Reads windows of archived images: sidecar, a few byte ranges, decoder. Caches sidecars and base images in the isolate. Samples come
// from the coefficient sidecar as far as it is there, else from the codestream.
import { CACHE_WORTH_MS, memoryLimits } from '../../config/limits/memory.ts';
import { IMAGE_CACHES } from '../../config/limits/rendering.ts';
import { observerOf, type ViewObserver } from '../../domain/coordinates/picture-plane.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { isSynthetic } from '../../domain/synthetic.ts';
import type { ByteRange } from '../../imaging/byte-source.ts';
import { codedComponent, partOf } from '../../imaging/coefficients/cells.ts';
import type { CoefficientHead } from '../../imaging/coefficients/format.ts';
import { cellLevels, cellRange, DamagedCells, type ReadCells } from '../../imaging/coefficients/level-blocks.ts';
import type { BaseImage } from '../../imaging/jp2/component.ts';
import { type DecodedComponent, decodeBaseImage, decodeWindow } from '../../imaging/jp2/decode.ts';
import { Jp2Error } from '../../imaging/jp2/errors.ts';
import { indexJp2 } from '../../imaging/jp2/index-jp2.ts';
import { type Chunk, codestreamLevels } from '../../imaging/jp2/level-blocks.ts';
import { decodeSidecar, encodeSidecar, type Jp2Index, SIDECAR_VERSION } from '../../imaging/jp2/sidecar.ts';
import type { Rect, Resolution, TileComponent } from '../../imaging/jp2/structure.ts';
import { coarsestLevels, type LevelPlan, planWindow, type WindowPlan, windowRanges } from '../../imaging/jp2/window.ts';
import { decodeXmlText, parseXmlHeader } from '../../imaging/jp2/xml-header.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { StageTimings } from '../../ports/timing.ts';
import { sidecarKey } from '../../storage/keys.ts';
import { MemoryBudget } from '../../util/memory-budget.ts';
import type { MemoryCache } from '../../util/memory-cache.ts';
import { missingFile } from '../images/file-errors.ts';
import type { Coefficients } from './coefficients.ts';
import { timed } from './timed.ts';

/** An image with its parsed sidecar. */
export interface OpenImage {
  readonly image: ArchivedImage;
  readonly index: Jp2Index;
  /** Head of the coefficient sidecar, or null. */
  readonly head: CoefficientHead | null;
}

/** Accumulated stage timings in milliseconds. */
export type ReadTimings = Pick<StageTimings, 'read' | 'decode'>;

/** The storage operations that reading needs. */
export type ImageObjects = Pick<ObjectStore, 'read' | 'readAll' | 'put'>;

/** Base images exist only for images of one tile and one component. */
const mayHaveBaseImage = (index: Jp2Index): boolean => index.tiles.length === 1 && index.size.components.length === 1;

/** Facts of the header of an image for pictures. */
export interface HeaderFacts {
  /** Whether it says that the picture is synthetic. */
  readonly isSynthetic: boolean;
  readonly observer: ViewObserver;
}

/** Bytes of remembered facts of a header. */
const FACTS_BYTES = 128;

/** Bytes of a parsed index beside its header, where its size in R2 is not known. */
const INDEX_BYTES = 4096;

export interface ImageReaderOptions {
  /** Unset: codestreams only are decoded, to the same samples. */
  readonly coefficients?: Coefficients | null;
  /** Unset: one of its own. */
  readonly memory?: MemoryBudget;
  /** Whether base images are cached. Otherwise every window is decoded by itself, to the same samples. Unset: true. */
  readonly keepsBaseImages?: boolean;
}

/** Cells of part A, which are in memory. */
const cellsOfHead = ({ cells }: CoefficientHead, { offset, length }: ByteRange): Chunk => ({
  offset,
  bytes: cells.subarray(offset, offset + length),
});

const bytesOf = (base: BaseImage): number => base.samples.byteLength;

export class ImageReader {
  readonly #objects: ImageObjects;
  readonly #sidecars: MemoryCache<string, { readonly index: Jp2Index; readonly bytes: number }>;
  /** By key. */
  readonly #facts: MemoryCache<string, HeaderFacts>;
  /** Null when base images are not cached. */
  readonly #baseImages: MemoryCache<string, BaseImage> | null;

  readonly #coefficients: Coefficients | null;

  constructor(
    objects: ImageObjects,
    { coefficients = null, memory = new MemoryBudget(memoryLimits()), keepsBaseImages = true }: ImageReaderOptions = {},
  ) {
    this.#objects = objects;
    this.#coefficients = coefficients;
    this.#sidecars = memory.cache({
      bytesOf: ({ bytes }) => IMAGE_CACHES.sidecarGrowth * bytes,
      worthMs: CACHE_WORTH_MS.sidecar,
    });
    this.#facts = memory.cache({ bytesOf: () => FACTS_BYTES, worthMs: CACHE_WORTH_MS.row });
    this.#baseImages = keepsBaseImages ? memory.cache({ bytesOf, worthMs: CACHE_WORTH_MS.baseImage }) : null;
  }

  async open(image: ArchivedImage, timings: ReadTimings): Promise<OpenImage> {
    const coefficients = this.#coefficients;
    const head = coefficients && (await timed(timings, 'read', () => coefficients.head(image)));
    if (head) return { image, index: head.index, head };
    const index = await this.openIndex(image.key, timings);
    coefficients?.order(image, index, 'A', 'missing');
    return { image, index, head };
  }

  /**
   * The sidecar of the JP2 at `key`, rebuilt from the JP2 when it is missing or damaged.
   * @throws Jp2Error when the JP2 is invalid, Failure `missing-file` when it does not exist
   */
  async openIndex(key: string, timings: ReadTimings): Promise<Jp2Index> {
    const cached = this.#sidecars.get(key);
    if (cached) return cached.index;
    const bytes = await timed(timings, 'read', () => this.#objects.readAll(sidecarKey(key, SIDECAR_VERSION)));
    const index = (bytes && this.#parse(bytes)) ?? (await this.#rebuild(key, timings));
    this.#sidecars.set(key, { index, bytes: bytes?.length ?? index.mainHeader.length + INDEX_BYTES });
    return index;
  }

  /** Facts of the header of an image. Without a header that can be read, it is an observation from the line from the Sun to the Earth. */
  async facts({ image, index }: OpenImage, timings: ReadTimings): Promise<HeaderFacts> {
    const known = this.#facts.get(image.key);
    if (known !== undefined) return known;
    const { xmlOffset, xmlLength } = index;
    const read = () => this.#objects.read(image.key, xmlOffset, xmlLength);
    const bytes = xmlLength === 0 ? null : await timed(timings, 'read', read).catch(() => null);
    const header = bytes && parseXmlHeader(decodeXmlText(bytes));
    const fits = header?.fits ?? new Map<string, string>();
    const facts = {
      isSynthetic: isSynthetic(fits),
      observer: observerOf(image.takenAtMs, image.geometry.dsunMetres, fits),
    };
    this.#facts.set(image.key, facts);
    return facts;
  }

  #parse(bytes: Uint8Array): Jp2Index | null {
    try {
      return decodeSidecar(bytes);
    } catch (error) {
      if (error instanceof Jp2Error) return null;
      throw error;
    }
  }

  async #rebuild(key: string, timings: ReadTimings): Promise<Jp2Index> {
    const jp2 = await timed(timings, 'read', () => this.#objects.readAll(key));
    if (!jp2) throw missingFile();
    const index = indexJp2(jp2);
    await this.#objects.put(sidecarKey(key, SIDECAR_VERSION), encodeSidecar(index), 'application/octet-stream');
    return index;
  }

  /**
   * Samples of the first component in `window` (image pixels) after discarding `reduce` levels.
   * @throws Jp2Error when the codestream cannot be decoded, Failure `missing-file` when it does not exist
   */
  async samples(open: OpenImage, reduce: number, window: Rect, timings: ReadTimings): Promise<DecodedComponent> {
    const { head } = open;
    const decoded = head && (await this.#samplesFromCells(open, head, reduce, window, timings));
    return decoded ?? this.#samplesFromCodestream(open, reduce, window, timings);
  }

  /** The samples from the coefficient sidecar, and from the codestream for levels that it lacks; null when its cells are damaged. */
  async #samplesFromCells(
    { image, index }: OpenImage,
    head: CoefficientHead,
    reduce: number,
    window: Rect,
    timings: ReadTimings,
  ): Promise<DecodedComponent | null> {
    const coefficients = this.#coefficients as Coefficients;
    const tc = codedComponent(index) as TileComponent;
    const plan = planWindow(index, { reduce, window });
    const levels = plan.tiles[0]?.components[0]?.levels ?? [];
    const cells = new Map<number, ReadCells>();
    const readLevel = async (levelPlan: LevelPlan): Promise<void> => {
      const { level } = levelPlan;
      const part = partOf(tc, level);
      const present = head.levels[level];
      if (!present) return coefficients.order(image, index, part, 'missing');
      const range = cellRange(tc.resolutions[level] as Resolution, levelPlan, present);
      if (!range) return void cells.set(level, { cells: present, chunk: null });
      const chunk = part === 'A' ? cellsOfHead(head, range) : await coefficients.chunk(image, part, range);
      if (chunk) cells.set(level, { cells: present, chunk });
      else coefficients.order(image, index, part, 'damaged');
    };
    const [ahead] = await Promise.all([
      this.#read(
        image,
        index,
        windowRanges(plan, (level) => !head.levels[level]),
        timings,
      ),
      timed(timings, 'read', () => Promise.all(levels.map(readLevel))),
    ]);
    const lost = windowRanges(plan, (level) => head.levels[level] !== null && !cells.has(level));
    const chunks = [...ahead, ...(await this.#read(image, index, lost, timings))];
    try {
      const source = cellLevels(cells, codestreamLevels(chunks));
      return timed(timings, 'decode', () => decodeWindow(index.size, plan, source)[0]!);
    } catch (error) {
      if (error instanceof DamagedCells) coefficients.order(image, index, partOf(tc, error.level), 'damaged');
      else if (!(error instanceof Jp2Error)) throw error;
      return null;
    }
  }

  async #samplesFromCodestream(
    { image, index }: OpenImage,
    reduce: number,
    window: Rect,
    timings: ReadTimings,
  ): Promise<DecodedComponent> {
    const baseReduce = coarsestLevels(index, IMAGE_CACHES.baseImageSide);
    const baseImages = this.#baseImages;
    if (!baseImages || !mayHaveBaseImage(index) || reduce > baseReduce) {
      const plan = planWindow(index, { reduce, window });
      const chunks = await this.#read(image, index, windowRanges(plan), timings);
      return this.#decode(index, plan, chunks, null, timings);
    }
    const level = (index.tiles[0]?.components[0]?.coding.levels ?? 0) - baseReduce;
    const plan = planWindow(index, { reduce, window }, level + 1);
    const [chunks, base] = await Promise.all([
      this.#read(image, index, windowRanges(plan), timings),
      this.#baseImage(baseImages, image, index, baseReduce, timings),
    ]);
    return this.#decode(index, plan, chunks, base, timings);
  }

  /** The cached base image. Concurrent calls may read its bytes twice but decode it once. */
  async #baseImage(
    baseImages: MemoryCache<string, BaseImage>,
    image: ArchivedImage,
    index: Jp2Index,
    reduce: number,
    timings: ReadTimings,
  ): Promise<BaseImage> {
    const cached = baseImages.get(image.key);
    if (cached) return cached;
    const plan = planWindow(index, { reduce, window: index.size });
    const chunks = await this.#read(image, index, windowRanges(plan), timings);
    const decodedMeanwhile = baseImages.get(image.key);
    if (decodedMeanwhile) return decodedMeanwhile;
    const base = timed(timings, 'decode', () => decodeBaseImage(plan, codestreamLevels(chunks)));
    baseImages.set(image.key, base);
    return base;
  }

  #decode(
    index: Jp2Index,
    plan: WindowPlan,
    chunks: readonly Chunk[],
    base: BaseImage | null,
    timings: ReadTimings,
  ): DecodedComponent {
    const [component] = timed(timings, 'decode', () => decodeWindow(index.size, plan, codestreamLevels(chunks), base));
    return component!;
  }

  #read(image: ArchivedImage, index: Jp2Index, ranges: readonly ByteRange[], timings: ReadTimings): Promise<Chunk[]> {
    const chunk = async ({ offset, length }: ByteRange): Promise<Chunk> => {
      const bytes = await this.#objects.read(image.key, index.codestreamOffset + offset, length);
      if (!bytes) throw missingFile();
      return { offset, bytes };
    };
    return timed(timings, 'read', () => Promise.all(ranges.map(chunk)));
  }
}

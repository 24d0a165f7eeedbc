// Reads archived images: a window as a few byte ranges, from its coefficient sidecar as far as that exists, else from the codestream.
import type { ByteRange } from '../../jp2/byte-source.ts';
import { orNull } from '../../jp2/bytes.ts';
import { type Chunk, codestreamLevels, type LevelSource } from '../../jp2/codestream-blocks.ts';
import type { PartA, ReadCells } from '../../jp2/coefficients/format.ts';
import { cellLevels, cellRange, codedComponent, DamagedCells, partOf } from '../../jp2/coefficients/format.ts';
import { type DecodedComponent, decodeSteps } from '../../jp2/decode.ts';
import { Jp2Error } from '../../jp2/errors.ts';
import { decodeSidecar, encodeSidecar, indexJp2, type Jp2Index, SIDECAR_VERSION } from '../../jp2/sidecar.ts';
import type { Rect, Resolution, TileComponent } from '../../jp2/structure.ts';
import { type LevelPlan, planWindow, type WindowPlan, windowRanges } from '../../jp2/window.ts';
import { decodeXmlText, parseXmlHeader } from '../../jp2/xml-header.ts';
import type { ByteTable } from '../../picture/filters/byte-table.ts';
import { type Turned, turnedImage } from '../../picture/grids/upright.ts';
import type { Operations } from '../../picture/operations/operations.ts';
import { CACHE_WORTH_MS } from '../../platform/limits/memory.ts';
import { PICTURE_COST, READ_SAMPLES, SIDECAR_GROWTH } from '../../platform/limits/rendering.ts';
import { type Pace, type Stopwatch, UNTIMED } from '../../platform/ports/timing.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { Failure, missingFile, when } from '../../platform/util/errors.ts';
import type { MemoryBudget } from '../../platform/util/memory-budget.ts';
import { Service } from '../../platform/util/service.ts';
import { rollOf } from '../../sun/catalogue/roll.ts';
import { planeOf } from '../../sun/coordinates/image-plane.ts';
import { imageObserver, type Observer } from '../../sun/coordinates/observer.ts';
import { numberIn } from '../../sun/geometry.ts';
import { type ArchivedImage, isSynthetic } from '../../sun/image.ts';
import { NOT_SQUARE } from '../../sun/laws/law.ts';
import { sidecarKey } from '../keys.ts';
import type { Coefficients } from './coefficients.ts';
import { ImageStatistics } from './image-statistics.ts';

export type OpenImage = { readonly image: ArchivedImage; readonly index: Jp2Index; readonly partA: PartA | null };

type IndexObjects = Pick<ObjectStore, 'readAll' | 'put'>;
export type ImageObjects = IndexObjects & Pick<ObjectStore, 'read'>;

export interface ImageOrigin {
  readonly isSynthetic: boolean;
  readonly observer: Observer;
  /** Whether the meaning of its roll has been confirmed in pixels of such files. Synthetic images are made north up. */
  readonly isRollVerified: boolean;
  /** How it lies in the plane of pictures; null where a shift and a scale place its samples, or it has no coordinates. */
  readonly turned: Turned | null;
  readonly hasPlace: boolean;
}

const ORIGIN_BYTES = 1024;

/** Bytes of a parsed index beside its main header, where its size in R2 is not known. */
const INDEX_BYTES = 4096;

/** Requires the pixels of an image to be those of its file, so that places in it are samples. @throws Failure `no-law` */
export function requireSquarePixels({ image, index }: Pick<OpenImage, 'image' | 'index'>): void {
  const { width, height } = image.geometry;
  if (width === index.size.x1 && height === index.size.y1) return;
  throw new Failure('no-law', NOT_SQUARE);
}

/** The sidecar of a JP2, made from the whole file, and stored. @throws Jp2Error, Failure `missing-file` */
export async function rebuiltSidecar(key: string, objects: IndexObjects, stopwatch: Stopwatch = UNTIMED) {
  const jp2 = await stopwatch.measure('read', () => objects.readAll(key));
  if (!jp2) throw missingFile(key);
  const index = indexJp2(jp2);
  const bytes = encodeSidecar(index);
  await objects.put(sidecarKey(key, SIDECAR_VERSION), bytes, 'application/octet-stream');
  return { index, bytes };
}

export class ImageReader extends Service<{
  readonly objects: ImageObjects;
  /** Without them, only codestreams are decoded, to the same samples. */
  readonly coefficients?: Coefficients;
  readonly memory: MemoryBudget;
  /** Pace of work behind responses. Unset: nothing else goes on. */
  readonly background?: Pace;
}> {
  readonly #sidecars = this.ports.memory.cache<string, { readonly index: Jp2Index; readonly bytes: number }>({
    bytesOf: ({ bytes }) => SIDECAR_GROWTH * bytes,
    worthMs: CACHE_WORTH_MS.sidecar,
  });
  readonly #origins = this.ports.memory.cache<string, ImageOrigin>({ bytesOf: () => ORIGIN_BYTES, worthMs: CACHE_WORTH_MS.row });
  readonly statistics = new ImageStatistics({
    background: UNTIMED,
    ...this.ports,
    later: (key, make) => this.ports.coefficients?.later(key, make),
  });

  async open(image: ArchivedImage, stopwatch: Stopwatch = UNTIMED): Promise<OpenImage> {
    const { coefficients } = this.ports;
    const partA = coefficients ? await stopwatch.measure('read', () => coefficients.partA(image)) : null;
    if (partA) return { image, index: partA.index, partA };
    const index = await this.openIndex(image.key, stopwatch);
    coefficients?.request(image, index, 'A', 'missing');
    return { image, index, partA };
  }

  /** The sidecar of a JP2, rebuilt where it is missing or damaged. @param objects Charge a client @throws Jp2Error, Failure `missing-file` */
  async openIndex(key: string, stopwatch: Stopwatch = UNTIMED, objects: IndexObjects = this.ports.objects) {
    const cached = this.#sidecars.get(key);
    if (cached) return cached.index;
    const bytes = await stopwatch.measure('read', () => objects.readAll(sidecarKey(key, SIDECAR_VERSION)));
    const index = (bytes && orNull(() => decodeSidecar(bytes))) ?? (await rebuiltSidecar(key, objects, stopwatch)).index;
    this.#sidecars.set(key, { index, bytes: bytes?.length ?? index.mainHeader.length + INDEX_BYTES });
    return index;
  }

  /** Observer and origin from the FITS header. A file without one means an observer on the Sun-Earth line. @throws Failure `missing-file` */
  async origin({ image, index }: OpenImage, stopwatch: Stopwatch = UNTIMED): Promise<ImageOrigin> {
    const known = this.#origins.get(image.key);
    if (known !== undefined) return known;
    const { xmlOffset, xmlLength } = index;
    const read = async () =>
      (await this.ports.objects.read(image.key, xmlOffset, xmlLength)) ?? Promise.reject(missingFile(image.key));
    const bytes = xmlLength === 0 ? null : await stopwatch.measure('read', read).catch(when(RangeError, () => null));
    const header = bytes && parseXmlHeader(decodeXmlText(bytes));
    const fits = header?.fits ?? new Map<string, string>();
    const { sourceId, takenAtMs, geometry } = image;
    const observer = imageObserver(takenAtMs, geometry.dsunMetres, fits);
    const plane = planeOf(image, { fits });
    const origin = {
      isSynthetic: isSynthetic(fits),
      observer,
      isRollVerified: isSynthetic(fits) || rollOf(fits, sourceId).isVerified,
      turned: plane && turnedImage(plane, geometry, { width: index.size.x1, height: index.size.y1 }),
      hasPlace: plane !== null && (numberIn(fits, 'HGLN_OBS') ?? numberIn(fits, 'CRLN_OBS')) !== null,
    };
    this.#origins.set(image.key, origin);
    return origin;
  }

  /** Samples of the first component in `window` (image pixels) after discarding `reduce` levels. @throws Jp2Error, Failure `missing-file` */
  async samples(open: OpenImage, reduce: number, window: Rect, pace: Pace = UNTIMED): Promise<DecodedComponent> {
    // First the window becomes the samples that each resolution level contributes.
    const plan = planWindow(open.index, { reduce, window });
    // Then the bytes are read: cells of the coefficient sidecar, and packets of the codestream for levels that it lacks.
    const source = await this.#source(open, plan, pace);
    // They are decoded in one way, with one source a level (decodeSteps).
    return this.#decoded(open, source, plan, pace);
  }

  /** The table of an image in a layer with these operations; null without one. `isSketch`: as in `ImageStatistics`. @throws as `samples` */
  table(open: OpenImage, layer: Operations, pace: Pace = UNTIMED, isSketch = false): Promise<ByteTable | null> {
    return this.statistics.table(open, layer, (...window) => this.samples(open, ...window), pace, isSketch);
  }

  /** A window of a level in strips of `rows` rows, after each of which other requests go first. @param reduce Levels @throws as `samples` */
  async *strips(open: OpenImage, window: Rect, rows: number, pace: Pace, reduce = 0): AsyncGenerator<DecodedComponent> {
    requireSquarePixels(open);
    const [x0, x1] = [window.x0 * 2 ** reduce, window.x1 * 2 ** reduce];
    const planOf = (y0: number, y1: number) =>
      planWindow(open.index, { reduce, window: { x0, x1, y0: y0 * 2 ** reduce, y1: y1 * 2 ** reduce } });
    const stripsRead = Math.max(1, Math.floor(READ_SAMPLES / (rows * (window.x1 - window.x0))));
    for (let from = window.y0; from < window.y1; from += stripsRead * rows) {
      const to = Math.min(from + stripsRead * rows, window.y1);
      const source = await this.#source(open, planOf(from, to), pace);
      for (let y0 = from; y0 < to; y0 += rows) {
        const strip = await this.#decoded(open, source, planOf(y0, Math.min(y0 + rows, to)), pace);
        await pace.pause(PICTURE_COST.drawnPixel * strip.width * strip.height);
        yield strip;
      }
    }
  }

  /** Decodes a plan from bytes that were read for it or for a larger window; again from the codestream where cells are damaged. */
  async #decoded({ image, index, partA }: OpenImage, source: LevelSource, plan: WindowPlan, pace: Pace) {
    const decodeFrom = async (levels: LevelSource): Promise<DecodedComponent> => {
      const steps = decodeSteps(index.size, plan, levels);
      for (;;) {
        const step = pace.measure('decode', () => steps.next());
        if (step.done) return step.value[0]!;
        await pace.pause(step.value);
      }
    };
    const decode = (levels: LevelSource) => pace.inOrder(() => decodeFrom(levels));
    if (!partA) return decode(source);
    try {
      return await decode(source);
    } catch (error) {
      if (error instanceof DamagedCells) {
        const part = partOf(codedComponent(index) as TileComponent, error.level);
        this.ports.coefficients?.request(image, index, part, 'damaged');
      } else if (!(error instanceof Jp2Error)) throw error;
    }
    return decode(codestreamLevels(await this.#read(image, index, windowRanges(plan), pace)));
  }

  /** The bytes of a plan: of the coefficient sidecar, and of the codestream for levels that it lacks. */
  async #source({ image, index, partA }: OpenImage, plan: WindowPlan, stopwatch: Stopwatch): Promise<LevelSource> {
    if (!partA) return codestreamLevels(await this.#read(image, index, windowRanges(plan), stopwatch));
    const coefficients = this.ports.coefficients as Coefficients;
    const tc = codedComponent(index) as TileComponent;
    const cells = new Map<number, ReadCells>();
    const readLevel = async (levelPlan: LevelPlan): Promise<void> => {
      const { level } = levelPlan;
      const part = partOf(tc, level);
      const present = partA.levels[level];
      if (!present) return coefficients.request(image, index, part, 'missing');
      const range = cellRange(tc.resolutions[level] as Resolution, levelPlan, present);
      if (!range) return void cells.set(level, { cells: present, chunk: null });
      const { offset, length } = range;
      const own = part === 'A' && { offset, bytes: partA.cells.subarray(offset, offset + length) };
      const chunk = own || (await coefficients.chunk(image, part, range));
      if (chunk) cells.set(level, { cells: present, chunk });
      else coefficients.request(image, index, part, 'damaged');
    };
    const levels = plan.tiles[0]?.components[0]?.levels ?? [];
    const lacking = windowRanges(plan, (level) => !partA.levels[level]);
    const [ahead] = await Promise.all([
      this.#read(image, index, lacking, stopwatch),
      stopwatch.measure('read', () => Promise.all(levels.map(readLevel))),
    ]);
    const lost = windowRanges(plan, (level) => partA.levels[level] !== null && !cells.has(level));
    const chunks = [...ahead, ...(await this.#read(image, index, lost, stopwatch))];
    const isComplete = levels.every(({ level }) => cells.has(level));
    return cellLevels(cells, isComplete ? null : codestreamLevels(chunks));
  }

  #read(image: ArchivedImage, index: Jp2Index, ranges: readonly ByteRange[], stopwatch: Stopwatch): Promise<Chunk[]> {
    const chunk = async ({ offset, length }: ByteRange): Promise<Chunk> => {
      const bytes = await this.ports.objects.read(image.key, index.codestreamOffset + offset, length);
      if (!bytes) throw missingFile(image.key);
      return { offset, bytes };
    };
    return stopwatch.measure('read', () => Promise.all(ranges.map(chunk)));
  }
}

/** Rows by which the strip at the top of an image is longer: the others then begin below the edges of code-blocks by what three syntheses reach back. */
const LEAD_ROWS = 28;
/** Share of a strip that this is at most. */
const LEAD_SHARE = 1 / 16;

/** `ImageReader.strips` of a file in memory. @param decode Decodes a window of it */
export const stripsInMemory = (decode: (window: Rect) => DecodedComponent): ImageReader['strips'] =>
  async function* (_, window, rows, pace) {
    let end = window.y0 > 0 ? window.y0 : Math.min(LEAD_ROWS, Math.floor(LEAD_SHARE * rows));
    for (let { y0 } = window; y0 < window.y1; y0 = end) {
      end = Math.min(end + rows, window.y1);
      const strip = decode({ ...window, y0, y1: end });
      await pace.pause(strip.width * strip.height);
      yield strip;
    }
  };

// Statistics of the annuli of archived images, from which the tables of filters are made. They follow from the content of a file alone, by
// which they are kept; the survey of an image that is being ingested makes them.
import { CACHE_WORTH_MS, JOB_BYTES, MEMORY_WAIT_MS } from '../../config/limits/memory.ts';
import { COEFFICIENT_MAKING, SHARED_RENDER_WAIT_MS, SKETCH_SAMPLES, STRIP_SAMPLES } from '../../config/limits/rendering.ts';
import { annuliKey } from '../../domain/archive/keys.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { recognise } from '../../domain/measurement/recognise.ts';
import { AnnulusCounter, type AnnulusStatistics, decodeStatistics, encodeStatistics } from '../../imaging/filters/annuli.ts';
import type { ByteTable } from '../../imaging/filters/byte-table.ts';
import { hasTable, tableOf } from '../../imaging/filters/filters.ts';
import { type DecodedComponent, greyBytes } from '../../imaging/jp2/decode.ts';
import type { Jp2Index } from '../../imaging/jp2/sidecar.ts';
import type { Rect } from '../../imaging/jp2/structure.ts';
import { discardableLevels } from '../../imaging/jp2/window.ts';
import { decodeXmlText, lawHeader, parseXmlHeader } from '../../imaging/jp2/xml-header.ts';
import { pictureKey } from '../../picture/key.ts';
import { type Operations, operationsOf } from '../../picture/operations/operations.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Pace, Stopwatch } from '../../ports/timing.ts';
import type { MemoryBudget, MemoryCache } from '../../util/memory-budget.ts';
import { SingleFlight } from '../../util/single-flight.ts';

/** Changes with the statistics and their file, so that older ones are not read. */
export const STATISTICS_VERSION = 1;

/** Samples that are counted at once: with the decoder, they take the memory of a tile. */
const COUNTED_SAMPLES = STRIP_SAMPLES / 2;

export const statisticsKey = (image: Pick<ArchivedImage, 'sha256'>): string => annuliKey(image, STATISTICS_VERSION);

/** Whether a body is a file of statistics. */
export const isStatisticsFile = (file: Uint8Array): boolean => decodeStatistics(file) !== null;

interface CountedImage {
  readonly image: ArchivedImage;
  readonly index: Jp2Index;
}

type Objects = Pick<ObjectStore, 'read' | 'readAll' | 'put'>;

/** Decodes a window of an image, as `ImageReader.samples`. */
type Decode = (reduce: number, window: Rect, pace: Pace) => Promise<DecodedComponent>;

/** A counter of an image. */
export function counterOf({ image, index }: CountedImage): AnnulusCounter {
  const { x1: width, y1: height } = index.size;
  const { mask = null, isBlackTransparent: isBlackMasked = false } = findSource(image.sourceId) ?? {};
  return new AnnulusCounter({ geometry: image.geometry, size: { width, height }, mask, isBlackMasked });
}

/** The statistics of what has been counted, with the law that the header names. */
async function statisticsOf(
  objects: Pick<Objects, 'read'>,
  { image, index }: CountedImage,
  counter: AnnulusCounter,
): Promise<AnnulusStatistics> {
  const { xmlOffset, xmlLength } = index;
  const xml = xmlLength === 0 ? null : await objects.read(image.key, xmlOffset, xmlLength);
  const header = xml && parseXmlHeader(decodeXmlText(xml));
  const recognised = header && recognise(lawHeader(header));
  return counter.statistics(recognised && 'candidates' in recognised ? (recognised.candidates[0]?.law ?? null) : null);
}

/** Stores what has been counted of a whole image. */
export async function storeStatistics(objects: Pick<Objects, 'read' | 'put'>, counted: CountedImage, counter: AnnulusCounter) {
  const file = encodeStatistics(await statisticsOf(objects, counted, counter));
  await objects.put(statisticsKey(counted.image), file, 'application/octet-stream');
  return file;
}

export class ImageStatistics {
  readonly #objects: Objects;
  readonly #memory: MemoryBudget;
  /** Pace of work behind responses. */
  readonly #background: Pace;
  /** Statistics by the hash of the image and the operations. */
  readonly #tables: MemoryCache<string, ByteTable>;
  readonly #reads = new SingleFlight<AnnulusStatistics>(SHARED_RENDER_WAIT_MS);
  /** Makers of the statistics of images that were drawn without, by their hash. */
  readonly #wanted = new Map<string, () => Promise<unknown>>();

  constructor(objects: Objects, memory: MemoryBudget, background: Pace) {
    this.#objects = objects;
    this.#memory = memory;
    this.#background = background;
    this.#tables = memory.cache({ bytesOf: ({ levels }) => levels.length, worthMs: CACHE_WORTH_MS.table });
  }

  /** Whether the table of an image in a layer can be had at once. */
  async isReady(image: ArchivedImage, layer: Operations, stopwatch: Stopwatch): Promise<boolean> {
    if (!hasTable(layer) || this.#tables.get(tableKey(image, layer))) return true;
    const stored = await this.#stored(image, stopwatch);
    if (stored) this.#keep(image, layer, stored);
    return stored !== null;
  }

  /**
   * The table of an image in a layer; null for a layer without one. `isSketch`: from a reduced level where the whole image has not been counted,
   * which it will be by `makeRequested`.
   * @throws as `decode`
   */
  async table(
    counted: CountedImage,
    layer: Operations,
    decode: Decode,
    pace: Pace,
    isSketch: boolean,
  ): Promise<ByteTable | null> {
    if (!hasTable(layer)) return null;
    const { image } = counted;
    const known = this.#tables.get(tableKey(image, layer));
    if (known) return known;
    if (!isSketch) return this.#keep(image, layer, await this.#of(counted, decode, pace));
    const key = `${tableKey(image, layer)} sketch`;
    const sketched = this.#tables.get(key);
    if (sketched) return sketched;
    if (this.#wanted.size < COEFFICIENT_MAKING.waiting) {
      this.#wanted.set(image.sha256, () => this.#of(counted, decode, this.#background));
    }
    const counter = await this.#counted(counted, decode, pace, sketchLevels(counted.index));
    const table = tableOf(layer, await statisticsOf(this.#objects, counted, counter), image.sourceId);
    if (table) this.#tables.set(key, table);
    return table;
  }

  /** Counts the images that were drawn by statistics of a reduced level, one after the other. Failures come again with the next picture. */
  async makeRequested(): Promise<void> {
    for (const [sha256, make] of this.#wanted) {
      this.#wanted.delete(sha256);
      await this.#memory.run(JOB_BYTES.tile, MEMORY_WAIT_MS.background, make).catch(() => undefined);
    }
  }

  #keep(image: ArchivedImage, layer: Operations, statistics: AnnulusStatistics): ByteTable | null {
    const table = tableOf(layer, statistics, image.sourceId);
    if (table) this.#tables.set(tableKey(image, layer), table);
    return table;
  }

  async #stored(image: ArchivedImage, stopwatch: Stopwatch): Promise<AnnulusStatistics | null> {
    const file = await stopwatch.measure('read', () => this.#objects.readAll(statisticsKey(image)));
    return file && decodeStatistics(file);
  }

  /** The statistics of an image, counted and stored where they are missing or damaged. */
  #of(counted: CountedImage, decode: Decode, pace: Pace): Promise<AnnulusStatistics> {
    return this.#reads.run(counted.image.sha256, async () => {
      const stored = await this.#stored(counted.image, pace);
      if (stored) return stored;
      const counter = await this.#counted(counted, decode, pace, 0);
      // Read from the file, so that pictures do not depend on who made it.
      return decodeStatistics(await storeStatistics(this.#objects, counted, counter))!;
    });
  }

  async #counted(counted: CountedImage, decode: Decode, pace: Pace, reduce: number): Promise<AnnulusCounter> {
    const counter = counterOf(counted);
    const { x1, y1 } = counted.index.size;
    const scale = 2 ** reduce;
    const rows = scale * Math.max(1, Math.floor((COUNTED_SAMPLES * scale) / x1));
    for (let y0 = 0; y0 < y1; y0 += rows) {
      const decoded = await decode(reduce, { x0: 0, y0, x1, y1: Math.min(y0 + rows, y1) }, pace);
      pace.measure('colour', () => counter.add({ ...decoded, samples: greyBytes(decoded) }, reduce));
    }
    return counter;
  }
}

const tableKey = ({ sha256 }: ArchivedImage, layer: Operations): string => `${sha256} ${pictureKey(operationsOf(layer))}`;

/** Resolution levels that are discarded for a sketch. */
function sketchLevels(index: Jp2Index): number {
  const { x1, y1 } = index.size;
  const halvings = Math.ceil(Math.log2((x1 * y1) / SKETCH_SAMPLES) / 2);
  return Math.min(Math.max(0, halvings), discardableLevels(index));
}

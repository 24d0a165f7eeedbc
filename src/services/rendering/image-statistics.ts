// Statistics of the annuli of archived images, from which the tables of filters are made. They follow from the content of a file alone, by
// which they are kept.
import { CACHE_WORTH_MS } from '../../config/limits/memory.ts';
import { SHARED_RENDER_WAIT_MS, STRIP_SAMPLES } from '../../config/limits/rendering.ts';
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
import { decodeXmlText, lawHeader, parseXmlHeader } from '../../imaging/jp2/xml-header.ts';
import { pictureKey } from '../../picture/key.ts';
import { type Operations, operationsOf } from '../../picture/operations/operations.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Pace } from '../../ports/timing.ts';
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

/** Decodes a window of an image, as `ImageReader.samples`. */
type Decode = (reduce: number, window: Rect) => Promise<DecodedComponent>;

/** A counter of an image. */
export function counterOf({ image, index }: CountedImage): AnnulusCounter {
  const { x1: width, y1: height } = index.size;
  const source = findSource(image.sourceId);
  const { mask = null, isBlackTransparent: isBlackMasked = false } = source ?? {};
  return new AnnulusCounter({ geometry: image.geometry, size: { width, height }, mask, isBlackMasked });
}

export class ImageStatistics {
  readonly #objects: Pick<ObjectStore, 'read' | 'readAll' | 'put'>;
  /** By the hash of the image and the operations. */
  readonly #tables: MemoryCache<string, ByteTable>;
  readonly #reads = new SingleFlight<AnnulusStatistics>(SHARED_RENDER_WAIT_MS);

  constructor(objects: Pick<ObjectStore, 'read' | 'readAll' | 'put'>, memory: MemoryBudget) {
    this.#objects = objects;
    this.#tables = memory.cache({ bytesOf: ({ levels }) => levels.length, worthMs: CACHE_WORTH_MS.table });
  }

  /** The table of an image in a layer; null without one. @throws as `decode` */
  async table(counted: CountedImage, layer: Operations, decode: Decode, pace: Pace): Promise<ByteTable | null> {
    if (!hasTable(layer)) return null;
    const { sourceId, sha256 } = counted.image;
    const key = `${sha256} ${pictureKey(operationsOf(layer))}`;
    const known = this.#tables.get(key);
    if (known) return known;
    const statistics = await this.#of(counted, decode, pace);
    const table = pace.measure('colour', () => tableOf(layer, statistics, sourceId));
    if (table) this.#tables.set(key, table);
    return table;
  }

  /** The statistics of an image, counted and stored where they are missing or damaged. @throws as `decode` */
  async #of(counted: CountedImage, decode: Decode, pace: Pace): Promise<AnnulusStatistics> {
    return this.#reads.run(counted.image.sha256, async () => {
      const stored = await pace.measure('read', () => this.#objects.readAll(statisticsKey(counted.image)));
      return (stored && decodeStatistics(stored)) ?? (await this.#made(counted, decode, pace));
    });
  }

  async #made(counted: CountedImage, decode: Decode, pace: Pace): Promise<AnnulusStatistics> {
    const counter = counterOf(counted);
    const { x1, y1 } = counted.index.size;
    const rows = Math.max(1, Math.floor(COUNTED_SAMPLES / x1));
    for (let y0 = 0; y0 < y1; y0 += rows) {
      const decoded = await decode(0, { x0: 0, y0, x1, y1: Math.min(y0 + rows, y1) });
      pace.measure('colour', () => counter.add({ ...decoded, samples: greyBytes(decoded) }));
    }
    return this.store(counted, counter);
  }

  /** Stores what has been counted of a whole image. */
  async store({ image, index }: CountedImage, counter: AnnulusCounter): Promise<AnnulusStatistics> {
    const { xmlOffset, xmlLength } = index;
    const xml = xmlLength === 0 ? null : await this.#objects.read(image.key, xmlOffset, xmlLength);
    const header = xml && parseXmlHeader(decodeXmlText(xml));
    const recognised = header && recognise(lawHeader(header));
    const law = recognised && 'candidates' in recognised ? (recognised.candidates[0]?.law ?? null) : null;
    const file = encodeStatistics(counter.statistics(law));
    await this.#objects.put(statisticsKey(image), file, 'application/octet-stream');
    // Read from the file, so that pictures do not depend on who made it.
    return decodeStatistics(file)!;
  }
}

// Statistics of the annuli of archived images, from which the tables of filters are made, kept by content, and made by its survey or for the first picture.
import { type DecodedComponent, greyBytes } from '../../jp2/decode.ts';
import type { Jp2Index } from '../../jp2/sidecar.ts';
import type { Rect } from '../../jp2/structure.ts';
import { discardableLevels } from '../../jp2/window.ts';
import { decodeXmlText, type Jp2Header, lawHeader, parseXmlHeader } from '../../jp2/xml-header.ts';
import { type AnnulusStatistics, annulusCounter, decodeStatistics, encodeStatistics } from '../../picture/filters/annuli.ts';
import type { ByteTable } from '../../picture/filters/byte-table.ts';
import { tableOf } from '../../picture/filters/filters.ts';
import { turnedImage } from '../../picture/grids/upright.ts';
import { hasTables, type Operations, operationsOf } from '../../picture/operations/operations.ts';
import { pictureKey } from '../../picture/picture.ts';
import { CACHE_WORTH_MS } from '../../platform/limits/memory.ts';
import { PICTURE_COST, SHARED_RENDER_WAIT_MS, SKETCH_SAMPLES, STRIP_SAMPLES } from '../../platform/limits/rendering.ts';
import type { Pace, Stopwatch } from '../../platform/ports/timing.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import type { MemoryBudget } from '../../platform/util/memory-budget.ts';
import { Service } from '../../platform/util/service.ts';
import { SingleFlight } from '../../platform/util/single-flight.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { planeOf } from '../../sun/coordinates/image-plane.ts';
import type { ArchivedImage } from '../../sun/image.ts';
import type { Recognised } from '../../sun/laws/law.ts';
import { recognise } from '../../sun/laws/recognise.ts';
import { annuliKey } from '../keys.ts';

/** Changes with the statistics and their file, so that older ones are not read. */
const STATISTICS_VERSION = 2;

/** Samples that are counted at once: with the decoder, they take the memory of a tile. */
const COUNTED_SAMPLES = STRIP_SAMPLES / 2;

export const statisticsKey = (image: Pick<ArchivedImage, 'sha256'>): string => annuliKey(image, STATISTICS_VERSION);

export const isStatisticsFile = (file: Uint8Array): boolean => decodeStatistics(file) !== null;

type CountedImage = { readonly image: ArchivedImage; readonly index: Jp2Index };

type Objects = Pick<ObjectStore, 'read' | 'readAll' | 'put'>;

type Decode = (reduce: number, window: Rect, pace: Pace) => Promise<DecodedComponent>;

/** A counter of an image. @param named The laws that its header names */
export function counterOf({ image, index }: CountedImage, header: Pick<Jp2Header, 'fits'> | null, named: Recognised | null) {
  const { geometry, sourceId } = image;
  const { mask = null, isBlackTransparent: isBlackMasked = false } = findSource(sourceId) ?? {};
  const size = { width: index.size.x1, height: index.size.y1 };
  const plane = header && planeOf(image, header);
  const turned = plane && turnedImage(plane, geometry, size);
  const law = named && 'candidates' in named ? (named.candidates[0]?.law ?? null) : null;
  return annulusCounter({ geometry, size, turned, mask, isBlackMasked, law });
}

/** Stores what has been counted of a whole image. */
export async function storeStatistics(objects: Pick<Objects, 'put'>, image: ArchivedImage, statistics: AnnulusStatistics) {
  const file = encodeStatistics(statistics);
  await objects.put(statisticsKey(image), file, 'application/octet-stream');
  return file;
}

export class ImageStatistics extends Service<{
  readonly objects: Objects;
  readonly memory: MemoryBudget;
  readonly background: Pace;
  readonly later: (key: string, make: () => Promise<unknown>) => void;
}> {
  /** Statistics by the hash of the image and the operations. */
  readonly #tables = this.ports.memory.cache<string, ByteTable>({
    bytesOf: ({ levels }) => levels.length,
    worthMs: CACHE_WORTH_MS.table,
  });
  readonly #counts = new SingleFlight<AnnulusStatistics>(SHARED_RENDER_WAIT_MS);

  /** The table of an image in a layer where it can be had at once, else null. */
  async ready(image: ArchivedImage, layer: Operations, stopwatch: Stopwatch): Promise<ByteTable | null> {
    const known = this.#tables.get(tableKey(image, layer));
    const stored = known ? null : await this.#stored(image, stopwatch);
    return known ?? (stored && this.#keep(image, layer, stored));
  }

  /** The table of an image in a layer, or null. `isSketch`: from a reduced level until the whole image has been counted. @throws as `decode` */
  async table(counted: CountedImage, layer: Operations, decode: Decode, pace: Pace, isSketch: boolean) {
    if (!hasTables(layer)) return null;
    const { image } = counted;
    const known = this.#tables.get(tableKey(image, layer));
    if (known) return known;
    if (!isSketch) return this.#keep(image, layer, await this.#of(counted, decode, pace));
    const key = `${tableKey(image, layer)} sketch`;
    const sketched = this.#tables.get(key);
    if (sketched) return sketched;
    this.ports.later(statisticsKey(image), () => this.#of(counted, decode, this.ports.background));
    const statistics = await this.#counted(counted, decode, pace, sketchLevels(counted.index));
    const table = tableOf(layer, statistics, image.sourceId);
    if (table) this.#tables.set(key, table);
    return table;
  }

  #keep(image: ArchivedImage, layer: Operations, statistics: AnnulusStatistics): ByteTable | null {
    const table = tableOf(layer, statistics, image.sourceId);
    if (table) this.#tables.set(tableKey(image, layer), table);
    return table;
  }

  async #stored(image: ArchivedImage, stopwatch: Stopwatch): Promise<AnnulusStatistics | null> {
    const file = await stopwatch.measure('read', () => this.ports.objects.readAll(statisticsKey(image)));
    return file && decodeStatistics(file);
  }

  /** The statistics of an image, counted and stored where they are missing or damaged. */
  async #of(counted: CountedImage, decode: Decode, pace: Pace): Promise<AnnulusStatistics> {
    const stored = await this.#stored(counted.image, pace);
    if (stored) return stored;
    // Before the work is shared, so that no client is refused because of another.
    await pace.charge(counted.index.size.x1 * counted.index.size.y1 * PICTURE_COST.countedPixel);
    return this.#counts.run(counted.image.sha256, async () => {
      const statistics = await this.#counted(counted, decode, pace, 0);
      // Read from the file, so that pictures do not depend on who made it.
      return decodeStatistics(await storeStatistics(this.ports.objects, counted.image, statistics))!;
    });
  }

  async #counted(counted: CountedImage, decode: Decode, pace: Pace, reduce: number): Promise<AnnulusStatistics> {
    const { xmlOffset, xmlLength, size } = counted.index;
    const { x1, y1 } = size;
    const xml = xmlLength === 0 ? null : await this.ports.objects.read(counted.image.key, xmlOffset, xmlLength);
    const header = xml && parseXmlHeader(decodeXmlText(xml));
    const counter = counterOf(counted, header, header && recognise(lawHeader(header)));
    const scale = 2 ** reduce;
    const rows = scale * Math.max(1, Math.floor((COUNTED_SAMPLES * scale) / x1));
    for (let y0 = 0; y0 < y1; y0 += rows) {
      const decoded = await decode(reduce, { x0: 0, y0, x1, y1: Math.min(y0 + rows, y1) }, pace);
      pace.measure('colour', () => counter.add({ ...decoded, samples: greyBytes(decoded) }, reduce));
    }
    return counter.statistics;
  }
}

const tableKey = ({ sha256 }: ArchivedImage, layer: Operations): string => `${sha256} ${pictureKey(operationsOf(layer))}`;

function sketchLevels(index: Jp2Index): number {
  const { x1, y1 } = index.size;
  const halvings = Math.ceil(Math.log2((x1 * y1) / SKETCH_SAMPLES) / 2);
  return Math.min(Math.max(0, halvings), discardableLevels(index));
}

// The laws of archived images. A law that the header names is confirmed once for each file, at ingest or before its first value: a survey counts
// all bytes, and leaves the grid of the values or levels of the image.
import { jp2Header } from '../archive/jp2-header.ts';
import { lawKey } from '../archive/keys.ts';
import { type ImageReader, type OpenImage, requireSquarePixels, stripsInMemory } from '../archive/reading/image-reader.ts';
import { counterOf, storeStatistics } from '../archive/reading/image-statistics.ts';
import { cellsOfA, type PartA } from '../jp2/coefficients/format.ts';
import { decodeFileWindow, greyBytes } from '../jp2/decode.ts';
import { decodeSidecar, type Jp2Index } from '../jp2/sidecar.ts';
import type { Rect } from '../jp2/structure.ts';
import { decodeXmlText, type Jp2Header, lawHeader, parseXmlHeader } from '../jp2/xml-header.ts';
import type { AnnulusCounter } from '../picture/filters/annuli.ts';
import { plateScale } from '../picture/grids/pixel-grid.ts';
import { refusalOfMagnetogram } from '../picture/operations/filter.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { CACHE_WORTH_MS, JOB_BYTES, MEMORY_WAIT_MS } from '../platform/limits/memory.ts';
import { MEASURING, SHARED_RENDER_WAIT_MS, STRIP_SAMPLES } from '../platform/limits/rendering.ts';
import { type Log, type Pace, paceOf, UNTIMED } from '../platform/ports/timing.ts';
import type { ObjectStore } from '../platform/storage/r2-object-store.ts';
import { jsonBytes, jsonOf } from '../platform/util/bytes.ts';
import { type MemoryBudget, NoMemory } from '../platform/util/memory-budget.ts';
import { Service } from '../platform/util/service.ts';
import { SingleFlight } from '../platform/util/single-flight.ts';
import { type ImagePlane, planeOf } from '../sun/coordinates/image-plane.ts';
import type { Places } from '../sun/coordinates/nodes.ts';
import type { Shape } from '../sun/coordinates/region.ts';
import { type ArchivedImage, type Circle, isSynthetic } from '../sun/image.ts';
import type { ByteWindow, Census, ConfirmedLaw, Verdict } from '../sun/laws/gate.ts';
import { confirm, LAWS_VERSION, LEVELS, levelCounter } from '../sun/laws/gate.ts';
import { recognise } from '../sun/laws/recognise.ts';
import { wcsOf } from '../sun/wcs.ts';
import { CellCounter, type GriddedImage } from './grids/image-grid.ts';
import type { GridsByKind } from './grids/image-grids.ts';

const LAW_BYTES = 3000;

/** Whether the levels of images are measured, which all have, in place of their values. */
export interface OfLevels {
  readonly isRaw: boolean;
}

interface MeasurableImage {
  readonly verdict: Verdict;
  /** Null for an image without coordinates. */
  readonly plane: ImagePlane | null;
  /** Whether the header says that the image is synthetic. */
  readonly isSynthetic: boolean;
}

/** Whether so many pixels may be counted to confirm a law, which it charges. */
export type MayConfirm = (pixels: number) => Promise<boolean>;

/** Charges the client of a series or map, which has a number of pixels. @param mayOwe Whether the work goes on when its units are used up */
export function seriesConfirmations({ admission }: RenderCall, mayOwe = () => false): MayConfirm {
  let left: number = MEASURING.seriesPixels;
  return async (pixels) => {
    if (pixels > left) return false;
    left -= pixels;
    await admission.admit('regions', pixels).catch((error: unknown) => {
      if (!mayOwe()) throw error;
    });
    return true;
  };
}

/** Rows of a window of this width that are decoded at once to be measured. */
export const rowsAtOnce = (width: number, samples: number = STRIP_SAMPLES): number => Math.max(1, Math.floor(samples / width));

interface StripCounter {
  add(strip: ByteWindow): void;
}

/** Adds the bytes of a window at full resolution to what counts them, in strips of `rows` rows. */
export async function addStrips(
  reader: Pick<ImageReader, 'strips'>,
  open: OpenImage,
  { window, rows }: { readonly window: Rect; readonly rows: number },
  pace: Pace,
  counters: readonly StripCounter[],
): Promise<void> {
  for await (const decoded of reader.strips(open, window, rows, pace)) {
    const { x0, y0, width, height } = decoded;
    pace.measure('compose', () => {
      const strip = { x0, y0, width, height, samples: greyBytes(decoded) };
      for (const counter of counters) counter.add(strip);
    });
  }
}

/** Pixels that are counted at full resolution. */
interface CountedWindow {
  readonly window: Rect;
  readonly disc: Circle | null;
  /** Region whose pixels are counted; unset or null for all. */
  readonly shape?: Shape | null;
  /** Count the strips as well. */
  readonly also?: readonly StripCounter[];
  /** Pixels of a strip. */
  readonly samplesAtOnce?: number;
}

/** Counts the bytes of a window at full resolution, strip by strip. */
export async function countWindow(
  reader: Pick<ImageReader, 'strips'>,
  open: OpenImage,
  { window, disc, shape = null, also = [], samplesAtOnce }: CountedWindow,
  pace: Pace,
): Promise<Census> {
  const counter = levelCounter(open.image.geometry, disc, shape);
  const rows = rowsAtOnce(window.x1 - window.x0, samplesAtOnce);
  await addStrips(reader, open, { window, rows }, pace, [counter, ...also]);
  return counter.census;
}

/** The window of all pixels around these places but those that are not numbers; null where none is in the image. */
export function windowAround({ width, height }: ArchivedImage['geometry'], { x: xs, y: ys }: Places): Rect | null {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < xs.length; i++) {
    const x = xs[i]!;
    const y = ys[i]!;
    if (Number.isNaN(x)) continue;
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < low) low = y;
    if (y > high) high = y;
  }
  const [x0, x1] = [Math.max(0, Math.floor(left) - 1), Math.min(width, Math.floor(right) + 1)];
  const [y0, y1] = [Math.max(0, height - Math.floor(high) - 1), Math.min(height, height - Math.floor(low) + 1)];
  return x1 > x0 && y1 > y0 ? { x0, y0, x1, y1 } : null;
}

/** The bytes of a window of a resolution level, decoded strip by strip. @param reduce Levels to discard */
export async function windowBytes(reader: Pick<ImageReader, 'strips'>, open: OpenImage, window: Rect, pace: Pace, reduce = 0) {
  const [width, height] = [window.x1 - window.x0, window.y1 - window.y0];
  const samples = new Uint8Array(width * height);
  let done = 0;
  for await (const decoded of reader.strips(open, window, rowsAtOnce(width), pace, reduce)) {
    samples.set(greyBytes(decoded), done);
    done += decoded.width * decoded.height;
  }
  return { x0: window.x0, y0: window.y0, width, height, samples };
}

/** Memory of a count of pixels. */
export const countingBytes = (pixels: number): number =>
  (JOB_BYTES.perLayerPixel + JOB_BYTES.perDecodedPixel) * Math.min(pixels, STRIP_SAMPLES) + JOB_BYTES.tile;

export class ImageLaws extends Service<{
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly surveys: Pick<ImageSurveys, 'stored' | 'survey'>;
  readonly reader: Pick<ImageReader, 'open' | 'strips'>;
  readonly memory: MemoryBudget;
}> {
  /** Laws by the hash of their image. */
  readonly #known = this.ports.memory.cache<string, MeasurableImage>({ bytesOf: () => LAW_BYTES, worthMs: CACHE_WORTH_MS.law });
  readonly #verdicts = new SingleFlight<Verdict | null>(SHARED_RENDER_WAIT_MS);

  /** The law of an image and its coordinates. @throws Failure `bad-header`, `damaged-image`, `missing-file`, `rate-limited`, or `busy` */
  async of(image: ArchivedImage, call: RenderCall): Promise<MeasurableImage> {
    const found = await this.within(image, call, async (pixels) => {
      await call.admission.admit('regions', pixels);
      return true;
    });
    // Null if another series was computing the law and was not allowed to confirm it.
    return found ?? this.of(image, call);
  }

  /** As `of`; null where the law is not confirmed and may not be now. */
  async within(image: ArchivedImage, call: RenderCall, mayConfirm: MayConfirm): Promise<MeasurableImage | null> {
    const known = this.#known.get(image.sha256);
    if (known) return known;
    const reading = jp2Header({ objects: this.ports.objects, stopwatch: call.stopwatch }, image);
    const [header, verdict] = await Promise.all([reading, this.#verdict(image, reading, call, mayConfirm)]);
    if (!verdict) return null;
    const measurable = { verdict, plane: planeOf(image, header), isSynthetic: isSynthetic(header.fits) };
    this.#known.set(image.sha256, measurable);
    return measurable;
  }

  /** Levels in place of a law, and the coordinates. @throws Failure `bad-header`, `damaged-image`, or `missing-file` */
  async levels(image: ArchivedImage, { stopwatch }: RenderCall): Promise<MeasurableImage> {
    const header = await jp2Header({ objects: this.ports.objects, stopwatch }, image);
    return { verdict: { confirmed: LEVELS }, plane: planeOf(image, header), isSynthetic: isSynthetic(header.fits) };
  }

  /** The stored verdict, which is read beside the header; else a new one where it may be. */
  async #verdict(
    image: ArchivedImage,
    reading: Promise<Jp2Header>,
    call: RenderCall,
    mayConfirm: MayConfirm,
  ): Promise<Verdict | null> {
    const { surveys, reader } = this.ports;
    return this.#verdicts.run(image.sha256, async () => {
      const stored = call.stopwatch.measure('read', () => surveys.stored(image));
      const [header, verdict] = await Promise.all([reading, stored]);
      const recognised = recognise(lawHeader(header));
      if ('refusal' in recognised) return recognised;
      if (verdict) return verdict;
      const { width, height } = image.geometry;
      if (!(await mayConfirm(width * height))) return null;
      return call.admission.hold(JOB_BYTES.survey, async (pace) =>
        surveys.survey(await reader.open(image, pace), header, reader, pace),
      );
    });
  }
}

/** Bits a pixel from which a file of the reversible transform counts as lossless: the lossy ones of the archive have up to 1.3. */
const LOSSLESS_BITS = 3;
/** Pixels that are counted at once, with 7.6 MiB in the core. Code-blocks at the edges of strips are decoded twice: half as many pixels take a third longer. */
const SURVEYED_SAMPLES = 4 * STRIP_SAMPLES;

/** Whether a file has the bytes that its image had. */
export function isLossless(
  { byteLength }: Pick<ArchivedImage, 'byteLength'>,
  { size, tiles }: Pick<Jp2Index, 'size' | 'tiles'>,
): boolean {
  const bits = (8 * byteLength) / ((size.x1 - size.x0) * (size.y1 - size.y0));
  const isReversible = tiles.every((tile) => tile.components.every(({ coding }) => coding.reversible));
  return isReversible && bits >= LOSSLESS_BITS;
}

/** Digits of a scale, which is the same in images of a day but for rounding. */
const SCALE_DIGITS = 8;

/** Facts with which the grid of an image is read. */
function griddedImage(image: ArchivedImage, { fits }: Jp2Header, { law, status, lossy, caveats }: ConfirmedLaw): GriddedImage {
  const { id, sourceId, takenAtMs, geometry } = image;
  const wcs = wcsOf(fits, sourceId);
  const { least, greatest } = law;
  const view = {
    width: geometry.width,
    height: geometry.height,
    wcs: wcs && { ...wcs, dateObs: null, observer: null },
    arcsecPerPixel: Number(plateScale(geometry).toPrecision(SCALE_DIGITS)),
    law: { ...law, least: null, greatest: null },
    status,
    caveats,
    lossyLevels: lossy?.area ?? 0,
    isSynthetic: isSynthetic(fits),
  };
  return { id, takenAtMs, least, greatest, view };
}

export class ImageSurveys extends Service<{
  readonly objects: Pick<ObjectStore, 'read' | 'readAll' | 'put'>;
  readonly grids: GridsByKind<'has' | 'put'>;
  readonly memory: MemoryBudget;
  /** Lets requests go first before a step of about so many milliseconds. */
  readonly turn: (ms: number) => Promise<void>;
  readonly log: Log;
}> {
  /** The verdict on an image; null before its survey. */
  async stored(image: ArchivedImage): Promise<Verdict | null> {
    const bytes = await this.ports.objects.readAll(lawKey(LAWS_VERSION, image));
    return bytes && jsonOf<Verdict>(bytes);
  }

  /** Counts all bytes of an image, and stores its grid and the verdict on its laws. @throws Jp2Error when the file cannot be decoded */
  async survey(open: OpenImage, header: Jp2Header, reader: Pick<ImageReader, 'strips'>, pace: Pace) {
    const { image, index } = open;
    requireSquarePixels(open);
    const recognised = recognise(lawHeader(header));
    const counted = async (disc: Circle | null, annuli?: AnnulusCounter | null) => {
      const cells = new CellCounter(image.geometry, disc);
      const also = annuli ? [cells, annuli] : [cells];
      const counting = { window: index.size, disc, also, samplesAtOnce: SURVEYED_SAMPLES };
      return { cells, census: await countWindow(reader, open, counting, pace) };
    };
    const disc = 'refusal' in recognised ? null : (recognised.candidates[0]?.disc ?? null);
    // No filter or steady brightness shows a magnetogram.
    const annuli = refusalOfMagnetogram(image.sourceId) ? null : counterOf(open, header, recognised);
    const { cells, census } = await counted(disc, annuli);
    const verdict = confirm(recognised, census, isLossless(image, index));
    const { grids, objects } = this.ports;
    if (annuli) await storeStatistics(objects, image, annuli.statistics);
    const isOfValues = 'confirmed' in verdict;
    const inverted = isOfValues ? verdict.confirmed : LEVELS;
    // All pixels have levels.
    const own = disc && !isOfValues ? (await counted(null)).cells : cells;
    const grid = { image: griddedImage(image, header, inverted), cells: own.grid(inverted.law) };
    await grids[isOfValues ? 'values' : 'levels'].put(image, grid);
    // What a header refuses is read in it each time.
    if ('refusal' in recognised) return verdict;
    const bytes = jsonBytes(verdict);
    await objects.put(lawKey(LAWS_VERSION, image), bytes, 'application/json');
    return verdict;
  }

  /** Surveys an image within the memory of its upload. A failure is logged: a later survey precedes its first value. @param sidecar Of its index */
  async makeFirst(image: ArchivedImage, sidecar: Uint8Array, jp2: Uint8Array, partA: PartA | null = null): Promise<void> {
    await this.#logged(image, async () => {
      const index = decodeSidecar(sidecar);
      const { xmlOffset, xmlLength } = index;
      const header = parseXmlHeader(decodeXmlText(jp2.subarray(xmlOffset, xmlOffset + xmlLength)));
      if (!header) return 'none';
      const cells = partA ? cellsOfA(partA) : new Map();
      const strips = stripsInMemory((window) => decodeFileWindow(jp2, index, { reduce: 0, window, cells })[0]!);
      await this.survey({ image, index, partA }, header, { strips }, this.#pace);
      return 'made';
    });
  }

  /** Surveys an archived image without a grid, or again with `renew`. @returns `none` for an unreadable one @throws NoMemory */
  async make(
    image: ArchivedImage,
    reader: Pick<ImageReader, 'open' | 'strips'>,
    renew: boolean,
  ): Promise<'made' | 'kept' | 'none'> {
    const { objects, grids, memory } = this.ports;
    return this.#logged(image, async () => {
      const header = await jp2Header({ objects, stopwatch: UNTIMED }, image);
      if (!renew) {
        const recognised = recognise(lawHeader(header));
        const verdict = 'refusal' in recognised ? recognised : await this.stored(image);
        const kind = verdict && 'confirmed' in verdict ? 'values' : 'levels';
        if (verdict && (await grids[kind].has(image))) return 'kept';
      }
      await memory.run(JOB_BYTES.survey, MEMORY_WAIT_MS.background, async () =>
        this.survey(await reader.open(image), header, reader, this.#pace),
      );
      return 'made';
    });
  }

  get #pace(): Pace {
    return paceOf({ stopwatch: UNTIMED, step: this.ports.turn });
  }

  async #logged(image: ArchivedImage, work: () => Promise<'made' | 'kept' | 'none'>): Promise<'made' | 'kept' | 'none'> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof NoMemory) throw error;
      this.ports.log({ survey: image.fileName, failed: error instanceof Error ? error.message : String(error) });
      return 'none';
    }
  }
}

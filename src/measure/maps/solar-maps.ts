// Maps of the whole Sun, from the images of a rotation.
import { imagesAt, nearer, noImages } from '../../archive/find-image.ts';
import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { jp2Header } from '../../archive/jp2-header.ts';
import type { ImageReader } from '../../archive/reading/image-reader.ts';
import { Jp2Error } from '../../jp2/errors.ts';
import { discardableLevels } from '../../jp2/window.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import { MAPS } from '../../platform/limits/maps.ts';
import { JOB_BYTES } from '../../platform/limits/memory.ts';
import { MEASURING, STRIP_SAMPLES } from '../../platform/limits/rendering.ts';
import type { Pace, Stopwatch } from '../../platform/ports/timing.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { inOrder } from '../../platform/util/concurrency.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import { boundedMap } from '../../platform/util/memory-budget.ts';
import { Service } from '../../platform/util/service.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { imagePlane } from '../../sun/coordinates/image-plane.ts';
import { imageObserver, RADIANS_PER_DEGREE } from '../../sun/coordinates/observer.ts';
import type { ArchivedImage, Size } from '../../sun/image.ts';
import { type ConfirmedLaw, LEVELS } from '../../sun/laws/gate.ts';
import type { LawRefusal } from '../../sun/laws/law.ts';
import { cellDegrees, type MapGrid, type MapMethod, mapTimes } from '../../sun/maps/map-grid.ts';
import { type MapPart, type MappedImage, SurfaceStrip } from '../../sun/maps/surface-strip.ts';
import { formatDateTime } from '../../sun/time.ts';
import { wcsOf } from '../../sun/wcs.ts';
import { type ImageLaws, type OfLevels, seriesConfirmations, windowBytes } from '../image-laws.ts';
import { valueTableOf } from '../value-means.ts';
import { noLaw, unconfirmed } from '../values.ts';

export interface MapRequest extends MapGrid, OfLevels {
  readonly sourceIds: readonly number[];
  readonly atMs: number;
  readonly method: MapMethod;
}

/** An image of a map, and what its bytes stand for. */
interface MapImage extends Pick<MappedImage, 'homography' | 'observer' | 'time'> {
  readonly image: ArchivedImage;
  readonly confirmed: ConfirmedLaw;
}

export type PlannedMap = Awaited<ReturnType<SolarMaps['plan']>>;

type Found = { readonly image: ArchivedImage; readonly time: number };

/** Resolution levels of an image that a map leaves out: as many as leave a pixel or more for each cell in the middle of the disc. */
function reducedBy({ rsunPixels }: ArchivedImage['geometry'], grid: MapGrid, most: number): number {
  const pixels = rsunPixels * Math.min(...cellDegrees(grid)) * RADIANS_PER_DEGREE;
  return Math.min(most, Math.max(0, Math.floor(Math.log2(pixels))));
}

/** Null for a failure of one image, which the map leaves out; noted unless it has no law. */
const unreadable = (image: ArchivedImage, unread: Set<ArchivedImage>) => (error: unknown) => {
  const isOfFile = error instanceof Failure && ['missing-file', 'bad-header', 'damaged-image'].includes(error.kind);
  if (isOfFile || error instanceof Jp2Error) unread.add(image);
  else if (!(error instanceof Failure && error.kind === 'no-law')) throw error;
  return null;
};

/** Pixels around the corners of blocks, because their edges are curved and values are taken between pixels. */
const MARGIN = 3;

const nameOf = (sourceId: number) => findSource(sourceId)?.nickname ?? String(sourceId);

export class SolarMaps extends Service<{
  readonly index: Pick<ImageIndex, 'neighboursOfTimes' | 'neighbours'>;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly laws: Pick<ImageLaws, 'within'>;
  readonly reader: Pick<ImageReader, 'open' | 'strips'>;
}> {
  /** Places of images by their contents. */
  readonly #places = boundedMap<Pick<MapImage, 'observer' | 'homography'>>(MAPS.places);

  /** The images of a map, from the newest. Charges the client a unit. @throws Failure `no-image`, `bad-parameter`, or `rate-limited` */
  async images(request: Pick<MapRequest, 'sourceIds' | 'atMs'>, call: RenderCall): Promise<readonly Found[]> {
    const { index } = this.ports;
    await call.admission.admit('regions', 1);
    const times = mapTimes(request.atMs);
    const found = await call.stopwatch.measure('index', () =>
      Promise.all(request.sourceIds.map((sourceId) => imagesAt(index, sourceId, times))),
    );
    const isNear = (image: ArchivedImage, time: number) => Math.abs(image.takenAtMs - times[time]!) <= MAPS.stepMs / 2;
    const images = found.flatMap((nearest) =>
      nearest.flatMap((image, time): Found[] => (image && isNear(image, time) ? [{ image, time }] : [])),
    );
    if (images.length === 0) throw await this.#noImages(request);
    const ageOf = ({ image }: Found) => Math.abs(request.atMs - image.takenAtMs);
    return images.sort((a, b) => a.time - b.time || ageOf(a) - ageOf(b) || a.image.id - b.image.id);
  }

  async #noImages({ sourceIds, atMs }: Pick<MapRequest, 'sourceIds' | 'atMs'>): Promise<Failure> {
    const around = await Promise.all(sourceIds.map((sourceId) => this.ports.index.neighbours(sourceId, atMs)));
    const images = around.flatMap(({ before, after }) => nearer(before, after, atMs) ?? []);
    const [nearest] = images.sort((a, b) => Math.abs(a.takenAtMs - atMs) - Math.abs(b.takenAtMs - atMs));
    if (!nearest) return noImages(sourceIds[0]!);
    const sentence =
      `There are no images of ${sourceIds.map(nameOf).join(', ')} in the 27 days before ${formatDateTime(atMs)}. ` +
      `The nearest one is of ${formatDateTime(nearest.takenAtMs)}.`;
    return new Failure('no-image', sentence, { parameter: 'date' });
  }

  /** The images of a map from the newest, with what they stand for; `leftOut` have no values or place on the Sun. Charged. @throws Failure `bad-parameter` for no place or another unit; `no-law`, `rate-limited` */
  async plan(request: MapRequest, found: readonly Found[], call: RenderCall, part = wholeOf(request)) {
    const { laws } = this.ports;
    await call.admission.admit('regions', priceOf(request, found, part));
    const mayConfirm = seriesConfirmations(call);
    const images: MapImage[] = [];
    /** Images that are left out because they cannot be read or confirmed now: a map without them is not stored. */
    const unread = new Set<ArchivedImage>();
    const unplaced = new Set(request.sourceIds);
    let refusal: LawRefusal | null = null;
    const of = async ({ image, time }: Found) => {
      const place = await this.#placeOf(image, call.stopwatch, unread);
      if (!place) return null;
      unplaced.delete(image.sourceId);
      const verdict = request.isRaw ? { confirmed: LEVELS } : ((await laws.within(image, call, mayConfirm))?.verdict ?? null);
      if (!verdict) unread.add(image);
      if (verdict && 'refusal' in verdict) refusal ??= verdict.refusal;
      return verdict && 'confirmed' in verdict ? { image, time, ...place, confirmed: verdict.confirmed } : null;
    };
    for await (const one of inOrder(found, MEASURING.seriesAhead, of)) if (one) images.push(one);
    const [without] = [...unplaced].filter((sourceId) => found.some(({ image }) => image.sourceId === sourceId));
    if (without !== undefined) throw noPlaces(without);
    const [first] = images;
    if (!first) throw refusal ? noLaw(refusal) : unconfirmed(', or with raw=true.');
    const other = images.find(({ confirmed }) => confirmed.law.unit !== first.confirmed.law.unit);
    if (other) {
      const what = `datasources whose values have one unit (${first.confirmed.law.unit}), or raw=true for levels,`;
      throw badParameter('sourceId', what, `${request.sourceIds.join(',')} (${other.confirmed.law.unit})`);
    }
    return { request, images, leftOut: found.length - images.length, unread };
  }

  /** Where an image was taken from, and its plane; null without a place on the Sun. Each tile of a map needs those of all its images. */
  async #placeOf(image: ArchivedImage, stopwatch: Stopwatch, unread: Set<ArchivedImage>) {
    const known = this.#places.get(image.sha256);
    if (known) return known;
    const header = await jp2Header({ objects: this.ports.objects, stopwatch }, image).catch(unreadable(image, unread));
    const wcs = header && wcsOf(header.fits, image.sourceId);
    if (!header || !wcs?.observer) return null;
    const observer = imageObserver(image.takenAtMs, wcs.observer.distance, header.fits);
    const homography = imagePlane(wcs, observer)?.homography;
    if (!homography) return null;
    const place = { observer, homography };
    this.#places.set(image.sha256, place);
    return place;
  }

  /** The rows of a part of a map strip by strip from the south; of a picture from the north. @param run Runs the work of a strip */
  async *strips(
    { request, images, unread }: PlannedMap,
    { isPicture = false, hasAges = false }: { readonly isPicture?: boolean; readonly hasAges?: boolean },
    run: (work: (pace: Pace) => Promise<SurfaceStrip>) => Promise<SurfaceStrip>,
    { columns, rows: [south, north] } = wholeOf(request),
  ): AsyncGenerator<SurfaceStrip> {
    const { atMs, method } = request;
    const laws = new Set(images.map(({ confirmed }) => confirmed));
    const values = new Map([...laws].map((law) => [law, valueTableOf(law).values]));
    const rows = rowsOfStrip({ width: columns[1] - columns[0], height: north - south });
    for (let done = 0; south + done < north; done += rows) {
      const count = Math.min(rows, north - south - done);
      const from = isPicture ? north - done - count : south + done;
      yield await run(async (pace) => {
        const options = { atMs, method, hasAges, fadesIn: isPicture };
        const strip = new SurfaceStrip(request, { columns, rows: [from, from + count] }, options);
        // Read ahead, so that their reads wait beside each other: what the images between them add is left out by cells.
        const read = (member: MapImage, number: number) =>
          this.#read(strip, request, member, number, pace).catch(unreadable(member.image, unread));
        for await (const found of inOrder(images, MAPS.ahead, read)) {
          const cells = found && strip.add(found.part, found.reduce, found.window, values.get(found.confirmed)!);
          for (let step = cells && pace.measure('compose', () => cells.next()); step && !step.done; ) {
            await pace.pause(step.value);
            step = pace.measure('compose', () => cells!.next());
          }
        }
        strip.finish();
        return strip;
      });
    }
  }

  /** The window of an image that adds something to a strip; null for one that adds nothing, which is not opened. */
  async #read(strip: SurfaceStrip, grid: MapGrid, member: MapImage, number: number, pace: Pace) {
    const { reader } = this.ports;
    const { image, confirmed, homography, observer, time } = member;
    const { width, height: imageHeight } = image.geometry;
    const mapped = { homography, observer, time, number, imageHeight, atMs: image.takenAtMs };
    const part = pace.measure('compose', () => strip.part(mapped));
    if (!part) return null;
    const open = await reader.open(image, pace);
    const reduce = reducedBy(image.geometry, grid, discardableLevels(open.index));
    const spanOf = (from: number, to: number, side: number) => {
      const [least, most] = [from, to].map((at) => at / 2 ** reduce) as [number, number];
      return [
        Math.max(0, Math.floor(least) - MARGIN),
        Math.min(Math.ceil(side / 2 ** reduce), Math.ceil(most) + MARGIN),
      ] as const;
    };
    const { bounds } = part;
    const [[x0, x1], [y0, y1]] = [spanOf(bounds.x0, bounds.x1, width), spanOf(bounds.y0, bounds.y1, imageHeight)];
    if (x1 - x0 < 2 || y1 - y0 < 2) return null;
    const window = await windowBytes(reader, open, { x0, y0, x1, y1 }, pace, reduce);
    return { part, reduce, window, confirmed };
  }
}

const rowsOfStrip = ({ width, height }: Size): number => Math.min(height, Math.max(1, Math.floor(MAPS.stripCells / width)));

/** Memory of a map while a strip is made, beside what its file holds. */
export function stripBytes(size: Size): number {
  const cells = rowsOfStrip(size) * size.width;
  const windows = MAPS.ahead * Math.min(MAPS.windowBytes, MAPS.windowBytesOfCell * cells);
  return MAPS.cellBytes * cells + JOB_BYTES.perDecodedPixel * STRIP_SAMPLES + windows;
}

/** The part of a map that is all of it. */
const wholeOf = ({ width, height }: Size): MapPart => ({ columns: [0, width], rows: [0, height] });

/** Share of a map that images of a part of it are decoded for, in shares of its cells. */
const AROUND = 2;

/** Pixels that a part of a map costs: those that are decoded, and the cells. */
function priceOf(request: MapRequest, found: readonly Found[], { columns, rows }: MapPart): number {
  const cells = (columns[1] - columns[0]) * (rows[1] - rows[0]);
  const share = Math.min(1, (AROUND * cells) / (request.width * request.height));
  const decoded = found.map(({ image: { geometry } }) => {
    const radius = geometry.rsunPixels / 2 ** reducedBy(geometry, request, Number.POSITIVE_INFINITY);
    return share * MAPS.decodedShare * Math.min(4 * radius ** 2, geometry.width * geometry.height);
  });
  return decoded.reduce((sum, pixels) => sum + pixels, MAPS.cellPixels * cells);
}

/** The failure of a datasource whose headers have no place on the Sun. */
function noPlaces(sourceId: number): Failure {
  const what =
    'a datasource whose headers say where on the Sun it looks (HGLN_OBS or CRLN_OBS, and a distance), as 10 (AIA 171),';
  return badParameter('sourceId', what, `${sourceId} (${nameOf(sourceId)})`);
}

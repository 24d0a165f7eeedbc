// Light curves: figures of a region in each image of a series, by its pixels, or by the grids of the images where there are too many.

import type { ImageIndex } from '../archive/image-index/d1-image-index.ts';
import type { GridKind } from '../archive/keys.ts';
import { noFrames } from '../archive/range-images.ts';
import type { ImageReader } from '../archive/reading/image-reader.ts';
import { plateScale } from '../picture/grids/pixel-grid.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { GRIDS } from '../platform/limits/grids.ts';
import { JOB_BYTES } from '../platform/limits/memory.ts';
import type { Pace } from '../platform/ports/timing.ts';
import { inOrder } from '../platform/util/concurrency.ts';
import { DAY_MS, SECOND_MS } from '../platform/util/durations.ts';
import { badParameter, conflict, Failure } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import { imagePlane } from '../sun/coordinates/image-plane.ts';
import { imageObserver } from '../sun/coordinates/observer.ts';
import { windowOf } from '../sun/coordinates/region.ts';
import { ASTRONOMICAL_UNIT_M } from '../sun/geometry.ts';
import type { ArchivedImage } from '../sun/image.ts';
import type { ConfirmedLaw } from '../sun/laws/gate.ts';
import { type ByteLaw, LawScale } from '../sun/laws/law.ts';
import { type FigureName, figuresOf, type RegionFigures } from '../sun/laws/value.ts';
import { dayStart, isoDay, throughSecond } from '../sun/time.ts';
import type { GriddedImage, GridMean, GridSide, GridView, RegionCells } from './grids/image-grid.ts';
import { GRID_SIDES, gridMean, regionCells } from './grids/image-grid.ts';
import { bandRange, type GridDay, type ImageGrids } from './grids/image-grids.ts';
import { countingBytes, countWindow, type OfLevels } from './image-laws.ts';
import type { ImageSeries, MeasurableMember, SeriesReason, SeriesRequest } from './image-series.ts';
import { SeriesWalk } from './image-series.ts';
import type { PlacedImage, RegionRequest, SeenRegion, Tracking } from './regions.ts';
import { fixedRegion, isOfSurface, regionOff, regionParameter, seenShape, shapeOf, trackedShape } from './regions.ts';
import { noData } from './values.ts';

export const GRID_CHOICES = ['auto', 'true', 'false'] as const;

export interface CurveRequest extends SeriesRequest, OfLevels, Tracking {
  /** Null: the whole image. */
  readonly region: RegionRequest | null;
  readonly names: readonly FigureName[];
  readonly threshold: number | null;
  /** Whether cells of grids are measured in place of pixels; `auto`: where there are too many images, and cells give the figures. */
  readonly grid: (typeof GRID_CHOICES)[number];
}

/** A member of a curve: figures, or the reason why there are none. */
export interface CurveItem {
  readonly atMs: number;
  readonly image: (Pick<ArchivedImage, 'id'> & Partial<Pick<ArchivedImage, 'sha256'>>) | null;
  readonly result: RegionFigures | null;
  readonly reason: SeriesReason | null;
  /** Present in an item with figures. */
  readonly member?: { readonly confirmed: Pick<ConfirmedLaw, 'status'> & { readonly law: Pick<ByteLaw, 'unit'> } };
}

export interface LightCurve {
  /** Facts of the first image that has values. */
  readonly first: { readonly confirmed: Pick<ConfirmedLaw, 'law' | 'status' | 'caveats'>; readonly isSynthetic: boolean };
  /** Images and rows, which are more by the gaps. */
  readonly images: number;
  readonly rows: number;
  /** Cells along each side of an image, the width of one, and the days with images and without grids, as `2024-05-10`. */
  readonly grid: { readonly cells: GridSide; readonly cellArcsec: number; readonly missingDays: readonly string[] } | null;
  /** Can be called once. */
  items(): AsyncGenerator<CurveItem>;
}

const GRID_FIGURES: readonly FigureName[] = ['mean', 'sum'];

/** The shortest cadence of a grid. */
const LEAST_SECONDS = DAY_MS / SECOND_MS / GRIDS.imagesOfDay;

/** Why cells do not give what a request asks for. */
function cellsRefusal({ names, isTracked, cadenceSeconds, region }: CurveRequest): Failure | null {
  const other = names.find((name) => !GRID_FIGURES.includes(name));
  if (other) return badParameter('statistics', `${GRID_FIGURES.join(' and ')}, which cells of a grid give,`, other);
  if (isTracked) return conflict('track=rotation', 'grid=true');
  if (cadenceSeconds !== null && cadenceSeconds < LEAST_SECONDS)
    return badParameter('cadence', `${LEAST_SECONDS} seconds or more, as the grids of a day have,`, cadenceSeconds);
  if (region?.kind === 'outline') return conflict('eventId', 'grid=true');
  return isOfSurface(region) ? conflict(`frame=${region.frame}`, 'grid=true') : null;
}

type Grids = Pick<ImageGrids, 'days' | 'rows' | 'waiting' | 'fold' | 'hasSource'>;

/** An image of a range; null without values. */
interface MeasuredImage extends GriddedImage {
  readonly measured: GridMean | null;
  readonly reason: SeriesReason | null;
}

export class LightCurves extends Service<{
  readonly series: ImageSeries;
  readonly reader: Pick<ImageReader, 'open' | 'strips'>;
  readonly grids: Readonly<Record<GridKind, Grids>>;
  readonly index: Pick<ImageIndex, 'heldDays'>;
}> {
  /** Sources known to have grids of values; a source loses them only with all of its images. */
  readonly #gridded = new Set<number>();

  /** A light curve, measured up to the first image with values, or from grids. @throws Failure as `ofPixels` and `ofGrids` */
  async open(request: CurveRequest, call: RenderCall): Promise<LightCurve> {
    const isOfGrid =
      request.grid === 'true' ||
      (request.grid === 'auto' && !cellsRefusal(request) && (await this.ports.series.isTooLong(request)));
    return (isOfGrid && (await this.#ofGrids(request, call))) || this.#ofPixels(request, call);
  }

  /** @throws Failure as `ImageSeries.slots` and `open`, and `bad-parameter` for a region off the first image or, tracked, off the disc */
  async #ofPixels(request: CurveRequest, call: RenderCall): Promise<LightCurve> {
    const { region, isTracked, names, threshold } = request;
    const { series, reader } = this.ports;
    const slots = await series.slots(request, call);
    const shapeIn = ({ image, plane }: PlacedImage, first: PlacedImage) => {
      if (!region) return null;
      if (isTracked) return trackedShape(first, { image, plane }, region);
      return shapeOf({ image, plane }, fixedRegion(first, region));
    };
    const windowIn = (placed: PlacedImage, from: PlacedImage) => {
      const { width, height } = placed.image.geometry;
      const shape = shapeIn(placed, from);
      const window = shape ? windowOf(shape, { width, height }) : { x0: 0, y0: 0, x1: width, y1: height };
      if (!window) throw regionOff(placed.image.geometry, region!, shape);
      return { shape, window, pixels: (window.x1 - window.x0) * (window.y1 - window.y0) };
    };
    const parameter = region ? regionParameter(region).name : 'x';
    const opened = await series.open(slots, request, call, (first) => {
      const { pixels } = windowIn(first, first);
      const measure = async ({ image, plane, confirmed }: MeasurableMember, pace: Pace): Promise<RegionFigures> => {
        const { shape, window } = windowIn({ image, plane }, first);
        const open = await reader.open(image, pace);
        const census = await countWindow(reader, open, { window, disc: confirmed.disc, shape }, pace);
        const wanted = { names, threshold, pixelArea: plateScale(image.geometry) ** 2 };
        const figures = figuresOf(confirmed, census, wanted);
        if (!figures) throw noData('in this region', parameter);
        return figures;
      };
      return { pixels, bytes: countingBytes(pixels), parameter, measure };
    });
    return { ...opened, rows: slots.length, grid: null };
  }

  /** The sources among these whose images have grids of values, in the same order. */
  async sourcesWithGrids(sourceIds: readonly number[]): Promise<number[]> {
    const { grids } = this.ports;
    const isGridded = async (id: number) => this.#gridded.has(id) || grids.values.hasSource(id);
    const has = await Array.fromAsync(inOrder(sourceIds, GRIDS.readsAtOnce, isGridded));
    const found = sourceIds.filter((_, i) => has[i]);
    for (const id of found) this.#gridded.add(id);
    return found;
  }

  /**
   * A light curve of the cells of a region, measured as a whole before its first row. Null where no day has grids, unless they are required.
   * @throws Failure `bad-parameter` for what cells do not give, too long a range, or too small a region; `no-frames`; `rate-limited`; `busy`
   */
  async #ofGrids(request: CurveRequest, call: RenderCall): Promise<LightCurve | null> {
    const refused = cellsRefusal(request);
    if (refused) throw refused;
    const grids = this.ports.grids[request.isRaw ? 'levels' : 'values'];
    await call.admission.admit('regions', 1);
    // Its grids of levels are those of the few images that have no values.
    if (request.isRaw && (await this.sourcesWithGrids([request.sourceId])).length > 0) {
      if (request.grid === 'auto') return null;
      throw badParameter(
        'raw',
        'false for the grids of this datasource, which have values, or grid=false for its levels,',
        'true',
      );
    }
    const { days, missing } = await this.#days(grids, request);
    if (days.length === 0 && !request.isRaw && (await this.#hasLevelsAlone(request.sourceId))) throw noValues();
    if (days.length === 0 && request.grid === 'auto') return null;
    if (days.length === 0) throw missing.length > 0 ? notGridded(missing, request) : noFrames(request);
    const cellsIn = cellsOf(request.region as SeenRegion | null);
    const plan = await planOf(grids, days, cellsIn, request.region);
    const bytes = days.reduce((sum, { lengths }) => sum + bandRange(lengths, plan.side, plan.firstRow, plan.lastRow).length, 0);
    await call.admission.admit('regions', bytes / GRIDS.bytesPerPixel);
    const measured = await call.admission.hold(JOB_BYTES.gridDay, async (pace) => {
      const walk = new SeriesWalk<MeasuredImage>(request);
      const read = (day: GridDay) => grids.rows(day, plan.side, plan.firstRow, plan.lastRow);
      for await (const rows of inOrder(days, GRIDS.readsAtOnce, read)) {
        if (!rows) throw changing();
        await pace.pause(rows.planes.means.length / GRIDS.bytesPerPixel);
        pace.measure('compose', () => {
          for (const each of measureDay({ ...rows, side: plan.side }, cellsIn, request)) walk.add(each);
        });
        if (walk.images.length > GRIDS.rows) throw tooManyRows(request);
      }
      return walk.slots();
    });
    return curveOf(measured, missing, plan.side, request);
  }

  /** Whether the images of a source have grids of levels and none of values. */
  async #hasLevelsAlone(sourceId: number): Promise<boolean> {
    if ((await this.sourcesWithGrids([sourceId])).length > 0) return false;
    return this.ports.grids.levels.hasSource(sourceId);
  }

  /** The days with grids, and those with images and without. Makes some of these. */
  async #days(grids: Grids, { sourceId, startMs, endMs }: SeriesRequest) {
    const { index } = this.ports;
    const [first, last] = [dayStart(startMs), dayStart(endMs)];
    const count = (last - first) / DAY_MS + 1;
    if (count > GRIDS.days) {
      const most = isoDay(first + (GRIDS.days - 1) * DAY_MS);
      throw badParameter(
        'endTime',
        `a time until ${most}, because a light curve reads ${GRIDS.days} days at most,`,
        isoDay(last),
      );
    }
    const [present, held] = await Promise.all([
      grids.days(sourceId, first, last),
      index.heldDays(sourceId, { fromMs: first, toMs: last }, GRIDS.days),
    ]);
    const days = new Map(present.map((day) => [day.dayMs, day]));
    const isMissing = (dayMs: number) => !days.has(dayMs);
    const without = held.map((day) => day.startMs).filter(isMissing);
    let folds = 0;
    for await (const dayMs of grids.waiting(sourceId, without)) {
      const day = await grids.fold(sourceId, dayMs);
      if (day) days.set(dayMs, day);
      folds += 1;
      if (folds === GRIDS.foldedDays) break;
    }
    return { days: [...days.values()].sort((a, b) => a.dayMs - b.dayMs), missing: without.filter(isMissing) };
  }
}

/** The finest cells whose bytes a request reads, by the coordinates of the first and the last day. */
async function planOf(grids: Pick<Grids, 'rows'>, days: readonly GridDay[], cellsIn: CellsIn, region: RegionRequest | null) {
  const coarsest = GRID_SIDES.at(-1)!;
  const ends = await Promise.all([days[0]!, days.at(-1)!].map((day) => grids.rows(day, coarsest, 0, 0)));
  const views = ends.flatMap((rows) => (rows ? [rows.images[0]!.view, rows.images.at(-1)!.view] : []));
  if (views.length === 0) throw changing();
  for (const side of GRID_SIDES) {
    const found = views.flatMap((view) => cellsIn(view, side) ?? []);
    if (found.length === 0) throw regionOff(views[0]!, region!);
    const firstRow = Math.max(0, Math.min(...found.map((cells) => cells.firstRow)) - 1);
    const lastRow = Math.min(side - 1, Math.max(...found.map((cells) => cells.lastRow)) + 1);
    const bytes = days.reduce((sum, { lengths }) => sum + bandRange(lengths, side, firstRow, lastRow).length, 0);
    if (bytes > GRIDS.bytes && side !== coarsest) continue;
    if (found[0]!.shares.reduce((sum, share) => sum + share, 0) < 1) throw tooSmall(views[0]!, side, region!);
    return { side, firstRow, lastRow };
  }
  throw changing();
}

type CellsIn = (view: GridView, side: GridSide) => RegionCells | null;

/** The cells of a region in images, which most of them share. */
function cellsOf(region: SeenRegion | null): CellsIn {
  const known = new Map<string, RegionCells | null>();
  return ({ wcs, width, height, arcsecPerPixel }, side) => {
    const name = JSON.stringify([side, width, height, arcsecPerPixel, wcs]);
    if (known.has(name)) return known.get(name)!;
    // Places on the sky do not depend on the observer.
    const plane = wcs && imagePlane(wcs, imageObserver(0, ASTRONOMICAL_UNIT_M, new Map()));
    const shape = region && seenShape(plane, { scaleArcsecPerPixel: arcsecPerPixel, scaleCorrection: 1 }, region);
    const cells = regionCells(shape, { width, height }, side);
    known.set(name, cells);
    return cells;
  };
}

function measureDay(
  { images, planes, firstRow, side }: NonNullable<Awaited<ReturnType<ImageGrids['rows']>>> & { readonly side: GridSide },
  cellsIn: CellsIn,
  { startMs, endMs }: CurveRequest,
): MeasuredImage[] {
  const scales = new Map<GridView, LawScale>();
  const regions = new Map<GridView, RegionCells | null>();
  const rows = { planes, firstRow, side, images: images.length };
  const lastRow = firstRow + planes.means.length / images.length / side - 1;
  return images.flatMap((image, i): MeasuredImage[] => {
    const { view, takenAtMs, least, greatest } = image;
    if (takenAtMs < startMs || takenAtMs > throughSecond(endMs)) return [];
    if (!scales.has(view)) {
      scales.set(view, new LawScale(view.law));
      regions.set(view, cellsIn(view, side));
    }
    const cells = regions.get(view);
    if (!cells || cells.firstRow < firstRow || cells.lastRow > lastRow)
      return [{ ...image, measured: null, reason: 'off-image' }];
    const law = { scale: scales.get(view)!, lossyLevels: view.lossyLevels, least, greatest };
    const measured = gridMean(cells, rows, law, i);
    return [{ ...image, measured, reason: measured ? null : 'no-data' }];
  });
}

function curveOf(
  slots: ReturnType<SeriesWalk<MeasuredImage>['slots']>,
  missing: readonly number[],
  side: GridSide,
  request: CurveRequest,
): LightCurve {
  const images = slots.filter(({ image }) => image !== null).length;
  const first = slots.find(({ image }) => image?.measured)?.image;
  if (!first) throw images === 0 ? noFrames(request) : noCells(request.region);
  const { view, least, greatest } = first;
  const width = (view.width / side) * view.arcsecPerPixel;
  const grid = { cells: side, cellArcsec: Number(width.toPrecision(4)), missingDays: missing.map(isoDay) };
  const confirmed = {
    law: { ...view.law, least, greatest },
    status: 'approximate' as const,
    caveats: [gridCaveat(grid.cells, grid.cellArcsec), ...missingCaveat(missing), ...view.caveats],
  };
  const itemOf = ({ atMs, image }: (typeof slots)[number]): CurveItem => {
    if (!image) return { atMs, image, result: null, reason: 'gap' };
    const { measured, reason } = image;
    if (!measured) return { atMs, image, result: null, reason };
    const { mean, count, censored } = measured;
    const sum = { value: mean.value * count, lower: times(mean.lower, count), upper: times(mean.upper, count) };
    const figures = Object.fromEntries(request.names.map((name) => [name, name === 'mean' ? mean : sum]));
    const member = { confirmed: { law: image.view.law, status: 'approximate' as const } };
    return { atMs, image, result: { figures, count, censored }, member, reason: null };
  };
  async function* items() {
    for (const slot of slots) yield itemOf(slot);
  }
  return { first: { confirmed, isSynthetic: view.isSynthetic }, images, rows: slots.length, grid, items };
}

const times = (value: number | null, count: number) => (value === null ? null : value * count);

const gridCaveat = (cells: number, arcsec: number) =>
  `From the grid of ${cells} x ${cells} means of each image: a cell of ${arcsec} arcsec at the edge of the region counts by its share in it, ` +
  'with the mean of the whole cell, which the interval has as half the range of the cells around it.';

const missingCaveat = (missing: readonly number[]) =>
  missing.length === 0 ? [] : [`${missing.length} days with images have no grid, from ${isoDay(missing[0]!)}: ${HOW_TO_FILL}`];

const HOW_TO_FILL = 'npm run sidecars makes them.';

function tooManyRows({ cadenceSeconds }: SeriesRequest): Failure {
  const what = `a cadence with at most ${GRIDS.rows} rows in this range`;
  return badParameter('cadence', `${what}, such as 3600,`, cadenceSeconds ?? undefined);
}

function tooSmall({ width, arcsecPerPixel }: GridView, side: GridSide, region: RegionRequest): Failure {
  const { name, value } = regionParameter(region);
  const cell = Number(((width / side) * arcsecPerPixel).toPrecision(3));
  return badParameter(name, `a region of at least a cell of the grid, ${cell} x ${cell} arcsec,`, value);
}

function noCells(region: RegionRequest | null): Failure {
  const sentence = 'There is no data in this region. Choose a place on the disc, or away from blank parts of the images.';
  return new Failure('no-data', sentence, { parameter: regionParameter(region).name });
}

function notGridded(missing: readonly number[], { isRaw }: CurveRequest): Failure {
  const sentence =
    `The images from ${isoDay(missing[0]!)} to ${isoDay(missing.at(-1)!)} have no grids of ${isRaw ? 'levels' : 'values'}. ${HOW_TO_FILL} ` +
    `${isRaw ? '' : 'Images without a law have those of levels, with raw=true. '}` +
    'Or request fewer images, with grid=false.';
  return new Failure('no-frames', sentence, { parameter: 'grid' });
}

function noValues(): Failure {
  const sentence =
    'The images of this datasource have no physical values. With raw=true, their levels are given. See /docs/#guide-measure.';
  return new Failure('no-law', sentence, { parameter: 'sourceId' });
}

function changing(): Failure {
  return new Failure('busy', 'The grids of these days are being made again. Try again in a minute.', { retryAfterSeconds: 60 });
}

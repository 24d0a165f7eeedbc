// Cut-outs: the images of a series, of one source or several, on one grid, whose cells are equal arcseconds of an observer or equal Carrington
// degrees; and the movie of a cut-out: its pictures, over the same range and around the same place.
import type { ImageReader } from '../archive/reading/image-reader.ts';
import type { MovieRequest } from '../movies/movie-recipe.ts';
import { plateScale } from '../picture/grids/pixel-grid.ts';
import { type Layer, plainLayer, printLayers } from '../picture/layers.ts';
import { RECIPE_LIMITS } from '../picture/limits.ts';
import { layerParameters, withOperations } from '../picture/operations/operations.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { MOVIE_LIMITS } from '../platform/limits/movies.ts';
import { MEASURING } from '../platform/limits/rendering.ts';
import type { Pace } from '../platform/ports/timing.ts';
import { MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import { badParameter } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import { imagePlane } from '../sun/coordinates/image-plane.ts';
import { eachBy, NodeTable, noPlaces, type Placing, type Sampling } from '../sun/coordinates/nodes.ts';
import { pictureObserver, RADIANS_PER_DEGREE } from '../sun/coordinates/observer.ts';
import { type Helioprojective, rotation, type Stonyhurst } from '../sun/coordinates/sphere.ts';
import type { ImageGeometry } from '../sun/image.ts';
import { cadenceCount } from '../sun/time.ts';
import { gridWcs, type Wcs } from '../sun/wcs.ts';
import { countingBytes, type OfLevels, windowAround, windowBytes } from './image-laws.ts';
import type { ImageSeries, MeasurableMember, OpenSeries, SeriesRange, SeriesRequest, SeriesSlot } from './image-series.ts';
import type { OutlineRegion, PlacedImage, SeenRegion, TimedPlane, Tracking } from './regions.ts';
import { boundsOf, regionParameter, timedPlane } from './regions.ts';
import { valueMeans, valueTableOf } from './value-means.ts';
import { noData } from './values.ts';

interface CutGrid {
  readonly frame: 'helioprojective' | 'carrington';
  /** The centre: arcseconds to the west and north, or degrees of longitude and latitude. */
  readonly x: number;
  readonly y: number;
  /** Cells. */
  readonly width: number;
  readonly height: number;
  /** Arcseconds or degrees of a cell. */
  readonly scale: number;
}

/** The coordinates of a grid: gnomonic about the centre of the Sun, or a plate carrée from the equator. */
export function wcsOfGrid({ frame, x, y, width, height, scale }: CutGrid): Wcs {
  const isSeen = frame === 'helioprojective';
  const [middleX, middleY] = [(width + 1) / 2, (height + 1) / 2];
  return gridWcs({
    naxis: [width, height],
    ctype: isSeen ? ['HPLN-TAN', 'HPLT-TAN'] : ['CRLN-CAR', 'CRLT-CAR'],
    cunit: isSeen ? ['arcsec', 'arcsec'] : ['deg', 'deg'],
    crpix: [isSeen ? middleX - x / scale : middleX, middleY - y / scale],
    cdelt: [scale, scale],
    crval: [isSeen ? 0 : x, 0],
    lonpole: isSeen ? 180 : 0,
    latpole: isSeen ? 0 : 90,
  });
}

/**
 * The placing of a grid in an image, rows from the bottom, to FITS pixels.
 * @param first The image whose observer and time the grid has
 * @param isTracked Whether places rotate with the Sun from that time; else they keep their coordinates
 */
export function placingOf(grid: CutGrid, first: TimedPlane, to: TimedPlane, isTracked: boolean): Placing {
  const wcs = wcsOfGrid(grid);
  const turned = isTracked ? rotation(first.atMs, to.atMs) : (location: Stonyhurst) => location;
  const seenIn = (location: Stonyhurst | null) => location && to.plane.directionOf(turned(location));
  const pixelOf = (seen: Helioprojective | null) => seen && to.plane.pixelAt(seen);
  if (grid.frame === 'carrington') {
    const plane = isTracked ? first.plane : to.plane;
    return (x, y) => {
      const latitude = (y + 0.5 - wcs.crpix[1]) * grid.scale;
      const longitude = grid.x + (x + 0.5 - wcs.crpix[0]) * grid.scale;
      return Math.abs(latitude) > 90 ? null : pixelOf(seenIn(plane.stonyhurstOfCarrington({ latitude, longitude })));
    };
  }
  const plane = imagePlane(wcs, pictureObserver(first.atMs))!;
  return (x, y) => {
    const seen = plane.seenAt({ x: x + 0.5, y: y + 0.5 });
    return pixelOf(isTracked ? seenIn(first.plane.stonyhurstAt(seen)) : seen);
  };
}

/** A frame for each item of the range. */
interface CutMovie extends Pick<CutoutRequest, 'layers' | 'projection' | 'scale' | keyof SeriesRange | keyof Tracking> {
  /** Centre and size in arcseconds to the west and north, as the observer of the first image saw them; in a screen plane as seen from 1 au. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** Equal shares of the layers in the picture: the layer above n others covers them with an opacity of 100 / (n + 1). */
const shareOf = (layer: number): number => Math.round(100 / (layer + 1));

/**
 * The layers of a movie, of sources from the bottom to the top: equal shares, but all of the light that one adds.
 * @param parameters Those that name the operations of layers
 * @throws Failure naming the parameter at fault
 */
export function cutLayers(sourceIds: readonly number[], parameters: object): readonly Layer[] {
  const refuse = (failure: Error) => {
    throw failure;
  };
  const layers = withOperations(sourceIds.map(plainLayer), parameters, refuse);
  return layers.map((layer, i) => ({ ...layer, opacity: layer.blend === 'add' ? 100 : shareOf(i) }));
}

/** @throws Failure `bad-parameter` for a scale at which the shorter side has no pixel, or the longer one more than a picture */
function checkSize({ box, projection }: CutMovie, scale: number): void {
  const longest = Math.max(box.width, box.height);
  const sidePixels = projection ? RECIPE_LIMITS.projectedSidePixels : RECIPE_LIMITS.sidePixels;
  if (longest / scale > sidePixels) {
    const least = Number((longest / sidePixels).toPrecision(3));
    throw badParameter('scale', `${least} arcseconds or more, for a movie of at most ${sidePixels} pixels a side,`, scale);
  }
  const shortest = Math.min(box.width, box.height);
  if (shortest / scale < 1) throw badParameter('scale', `at most ${shortest} arcseconds, for a movie of a pixel or more,`, scale);
}

/** The request of the movie. `geometry`: that of the first image, for arcseconds as seen from 1 au. @throws Failure `bad-parameter` for `scale` */
export function movieOfCutout(cut: CutMovie, geometry: Pick<ImageGeometry, 'scaleArcsecPerPixel' | 'scaleCorrection'>) {
  const { layers, startMs, endMs, cadenceSeconds, box, isTracked, trackFromMs, projection } = cut;
  const scaleCorrection = projection ? 1 : geometry.scaleCorrection;
  const scale = cut.scale ?? plateScale({ ...geometry, scaleCorrection });
  checkSize(cut, scale);
  const seenAtOneAu = (arcsec: number) => arcsec / scaleCorrection;
  const { x, y, width, height } = box;
  const wanted = cadenceSeconds === null ? undefined : cadenceCount(cut, cadenceSeconds);
  return {
    startTime: startMs,
    endTime: endMs,
    layers: printLayers(layers),
    ...layerParameters(layers),
    imageScale: seenAtOneAu(scale),
    x1: seenAtOneAu(x - width / 2),
    y1: seenAtOneAu(-y - height / 2),
    x2: seenAtOneAu(x + width / 2),
    y2: seenAtOneAu(-y + height / 2),
    followViewport: isTracked,
    projection,
    ...(trackFromMs === null ? {} : { reqObservationDate: trackFromMs }),
    ...(wanted === undefined ? {} : { maxFrames: Math.max(MOVIE_LIMITS.frames.least, wanted) }),
  };
}

export interface CutoutRequest extends SeriesRequest, OfLevels, Tracking {
  /** Sources beside that of the series. */
  readonly others: readonly number[];
  /** Layers of its movie, from the bottom to the top. */
  readonly layers: readonly Layer[];
  readonly frame: CutGrid['frame'];
  /** Centre and size: arcseconds as the observer of the first image saw them, or degrees; or an outline, whose bounds are those of the grid. */
  readonly region: Extract<SeenRegion | OutlineRegion, { readonly kind: 'rectangle' | 'outline' }>;
  /** Arcseconds or degrees of a cell, or of a pixel of a movie; null: about a pixel of the first image. */
  readonly scale: number | null;
  /** Screen plane in which the region of a movie lies; unset: that of the image. */
  readonly projection?: string | undefined;
}

/** A cut-out, source by source at each time. */
export interface Cutout extends OpenSeries<Float32Array> {
  readonly grid: CutGrid;
  readonly reference: PlacedImage;
}

interface SampledGrid {
  readonly grid: CutGrid;
  readonly sampling: Sampling;
}

/** Samples along the side of a cell, at most. */
const MOST_SAMPLES = 8;

export class Cutouts extends Service<{ readonly series: ImageSeries; readonly reader: Pick<ImageReader, 'open' | 'strips'> }> {
  /** A cut-out from the bottom row, NaN without a value. @throws Failure as `ImageSeries.slots` and `open`, `bad-parameter` for its grid */
  async open(request: CutoutRequest, call: RenderCall): Promise<Cutout> {
    const { series, reader } = this.ports;
    const own = await series.slots(request, call);
    const slots = await this.#withOthers(own, request);
    const placedIn = ({ grid, sampling }: SampledGrid, from: PlacedImage, to: PlacedImage) =>
      new NodeTable(grid, eachBy(placingOf(grid, timedPlane(from), timedPlane(to), request.isTracked)), sampling);
    const { name: parameter, value } = regionParameter(request.region);
    const place = (reference: PlacedImage) => {
      const sampled = gridOf(request, reference, slots.length);
      const window = windowAround(reference.image.geometry, placedIn(sampled, reference, reference).nodes);
      if (!window)
        throw badParameter(parameter, 'a region of the first image, on the disc where it rotates or has degrees,', value);
      const decoded = (window.x1 - window.x0) * (window.y1 - window.y0);
      const { grid } = sampled;
      const samples = sampled.sampling.each;
      const cells = grid.width * grid.height;
      const measure = async ({ image, plane, confirmed }: MeasurableMember, pace: Pace): Promise<Float32Array> => {
        const placing = placedIn(sampled, reference, { image, plane });
        const window = windowAround(image.geometry, placing.nodes);
        if (!window) throw noData('in this region');
        const open = await reader.open(image, pace);
        const bytes = await windowBytes(reader, open, window, pace);
        const means = valueMeans(valueTableOf(confirmed), bytes, image.geometry.height, grid.width);
        const places = noPlaces(grid.width * samples);
        const values = new Float32Array(cells);
        for (let row = 0; row < grid.height; row++) {
          await pace.pause(grid.width * samples ** 2);
          for (let k = 0; k < samples; k++) {
            placing.row(row + (k + 0.5) / samples, places);
            means.add(places, samples);
          }
          means.take(values, row * grid.width);
        }
        if (values.every(Number.isNaN)) throw noData('in this region');
        return values;
      };
      const bytes = countingBytes(decoded) + decoded + 2 * cells * Float32Array.BYTES_PER_ELEMENT;
      return { grid, reference, pixels: Math.max(decoded, cells * samples ** 2), bytes, parameter: 'width', measure };
    };
    return series.open(slots, request, call, place, own);
  }

  /** The movie of a cut-out in arcseconds, of pictures. @throws Failure as `ImageSeries.first` and `boundsOf`, `bad-parameter` for `scale` */
  async movie(request: CutoutRequest, call: RenderCall): Promise<MovieRequest> {
    const { series } = this.ports;
    const { region } = request;
    const image = await series.first(request, call);
    const slots = [{ atMs: image.takenAtMs, image }];
    const boxIn = async () =>
      (await series.placeInFirst(slots, (first) => boundsOf(first, region), call, { ...request, isRaw: true })).placed;
    const box = region.kind === 'rectangle' ? region : await boxIn();
    return movieOfCutout({ ...request, box }, image.geometry);
  }

  /** The slots with those of the other sources at their times: at most half the cadence away, or half the mean interval. */
  async #withOthers(own: readonly SeriesSlot[], { others, cadenceSeconds }: CutoutRequest): Promise<readonly SeriesSlot[]> {
    if (others.length === 0) return own;
    const meanMs = (own.at(-1)!.atMs - own[0]!.atMs) / Math.max(1, own.length - 1);
    const withinMs = Math.max(cadenceSeconds === null ? meanMs : cadenceSeconds * SECOND_MS, MINUTE_MS) / 2;
    const beside = await Promise.all(others.map((sourceId) => this.ports.series.alongside(sourceId, own, withinMs)));
    const slots = own.flatMap((slot, i) => [slot, ...beside.map((source) => source[i]!)]);
    if (slots.length > MEASURING.seriesImages) {
      const most = Math.floor(MEASURING.seriesImages / (others.length + 1));
      throw badParameter(
        'sourceIds',
        `sources of at most ${MEASURING.seriesImages} images in all (${most} times)`,
        others.join(','),
      );
    }
    return slots;
  }
}

/** The grid of a request. @throws Failure for one that is too large */
function gridOf(request: CutoutRequest, placed: PlacedImage, items: number): SampledGrid {
  const { frame } = request;
  const { image } = placed;
  const box = boundsOf(placed, request.region);
  const { x, y } = box;
  const { rsunPixels } = image.geometry;
  // Degrees at the centre of the disc.
  const pixel = frame === 'carrington' ? 1 / (rsunPixels * RADIANS_PER_DEGREE) : plateScale(image.geometry);
  const scale = request.scale ?? pixel;
  const [width, height] = [box.width, box.height].map((side) => Math.max(1, Math.round(side / scale))) as [number, number];
  const most = Math.min(MEASURING.arrayBytes / Float32Array.BYTES_PER_ELEMENT, Math.floor(MEASURING.cubeValues / items));
  if (width * height > most) {
    const least = Number((scale * Math.sqrt((width * height) / most)).toPrecision(3));
    const unit = frame === 'carrington' ? 'degrees' : 'arcseconds';
    const sentence = `${least} ${unit} or more, for at most ${most} values of each of ${items} images (${width} x ${height} here),`;
    throw badParameter('scale', sentence, scale);
  }
  const each = Math.min(MOST_SAMPLES, Math.max(1, Math.round(scale / pixel)));
  return { grid: { frame, x, y, width, height, scale }, sampling: { each, pixels: scale / pixel / each } };
}

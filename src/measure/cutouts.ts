// Cut-outs: the images of a series, of one source or several, on one grid.
import type { ImageReader } from '../archive/reading/image-reader.ts';
import type { MovieRequest } from '../movies/movie-recipe.ts';
import { plateScale } from '../picture/grids/pixel-grid.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { MEASURING } from '../platform/limits/rendering.ts';
import { MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import { badParameter } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import { NodeTable, noPlaces, type Sampling } from '../sun/coordinates/nodes.ts';
import { RADIANS_PER_DEGREE } from '../sun/coordinates/observer.ts';
import { countingBytes, type OfLevels, windowAround, windowBytes } from './image-laws.ts';
import type { ImageSeries, OpenSeries, SeriesRequest, SeriesSlot } from './image-series.ts';
import { type CutGrid, movieOfCutout, placingOf } from './regions/cut-grid.ts';
import { ValueMeans, valueTableOf } from './regions/value-window.ts';
import {
  boundsOf,
  type OutlineRegion,
  type PlacedImage,
  regionParameter,
  type SeenRegion,
  type Tracking,
  timedPlane,
} from './regions.ts';
import { noData } from './values.ts';

export interface CutoutRequest extends SeriesRequest, OfLevels, Tracking {
  /** Sources beside that of the series. */
  readonly others: readonly number[];
  readonly frame: CutGrid['frame'];
  /** Centre and size: arcseconds as the observer of the first image saw them, or degrees; or an outline, whose bounds are those of the grid. */
  readonly region: Extract<SeenRegion | OutlineRegion, { readonly kind: 'rectangle' | 'outline' }>;
  /** Arcseconds or degrees of a cell; null: about a pixel of the first image. */
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
    const { isRaw } = request;
    const own = await series.slots(request, call);
    const slots = await this.#withOthers(own, request);
    const placedIn = ({ grid, sampling }: SampledGrid, from: PlacedImage, to: PlacedImage) =>
      new NodeTable(grid, placingOf(grid, timedPlane(from), timedPlane(to), request.isTracked), sampling);
    const { name: parameter, value } = regionParameter(request.region);
    const place = (image: PlacedImage) => {
      const sampled = gridOf(request, image, slots.length);
      const window = windowAround(image.image.geometry, placedIn(sampled, image, image).nodes);
      if (!window)
        throw badParameter(parameter, 'a region of the first image, on the disc where it rotates or has degrees,', value);
      const decoded = (window.x1 - window.x0) * (window.y1 - window.y0);
      const { grid, sampling } = sampled;
      return { sampled, decoded, pixels: Math.max(decoded, grid.width * grid.height * sampling.each ** 2) };
    };
    const { first: reference, placed } = await series.placeInFirst(own, place, call, request);
    const { sampled, decoded, pixels } = placed;
    const { grid } = sampled;
    const samples = sampled.sampling.each;
    const cells = grid.width * grid.height;
    const opened = await series.open<Float32Array>(
      slots,
      {
        isRaw,
        pixels,
        bytes: countingBytes(decoded) + decoded + 2 * cells * Float32Array.BYTES_PER_ELEMENT,
        parameter: 'width',
        measure: async ({ image, plane, confirmed }, pace) => {
          const placing = placedIn(sampled, reference, { image, plane });
          const window = windowAround(image.geometry, placing.nodes);
          if (!window) throw noData('in this region');
          const open = await reader.open(image, pace);
          const bytes = await windowBytes(reader, open, window, pace);
          const means = new ValueMeans(valueTableOf(confirmed), bytes, image.geometry.height, grid.width);
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
        },
      },
      call,
    );
    return { ...opened, grid, reference };
  }

  /** The movie of a cut-out in arcseconds, of pictures. @throws Failure as `ImageSeries.first` and `boundsOf`, `bad-parameter` for `scale` */
  async movie(request: CutoutRequest, call: RenderCall): Promise<MovieRequest> {
    const { series } = this.ports;
    const { region, sourceId, others } = request;
    const image = await series.first(request, call);
    const slots = [{ atMs: image.takenAtMs, image }];
    const boxIn = async () =>
      (await series.placeInFirst(slots, (first) => boundsOf(first, region), call, { ...request, isRaw: true })).placed;
    const box = region.kind === 'rectangle' ? region : await boxIn();
    return movieOfCutout({ ...request, sourceIds: [sourceId, ...others], box }, image.geometry);
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

// Light curves: figures of a region in each image of a series, by its pixels, or by the grids of the images where there are too many.
import type { ImageReader } from '../archive/reading/image-reader.ts';
import { plateScale } from '../picture/grids/pixel-grid.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { Service } from '../platform/util/service.ts';
import { windowOf } from '../sun/coordinates/region.ts';
import { figuresOf, type RegionFigures } from '../sun/laws/value.ts';
import type { CurveRequest, LightCurve } from './curves.ts';
import { type GridCurves, hasCells } from './grids/grid-curves.ts';
import { countingBytes, countWindow } from './image-laws.ts';
import type { ImageSeries } from './image-series.ts';
import { fixedRegion, type PlacedImage, regionOff, regionParameter, shapeOf, trackedShape } from './regions.ts';
import { noData } from './values.ts';

export class LightCurves extends Service<{
  readonly series: ImageSeries;
  readonly grids: GridCurves;
  readonly reader: Pick<ImageReader, 'open' | 'strips'>;
}> {
  /** A light curve, measured up to the first image with values, or from grids. @throws Failure as `ofPixels` and `GridCurves.open` */
  async open(request: CurveRequest, call: RenderCall): Promise<LightCurve> {
    const { series, grids } = this.ports;
    const isOfGrid =
      request.grid === 'true' || (request.grid === 'auto' && hasCells(request) && (await series.isTooLong(request)));
    return (isOfGrid && (await grids.open(request, call))) || this.#ofPixels(request, call);
  }

  /** @throws Failure as `ImageSeries.slots` and `open`, and `bad-parameter` for a region off the first image or, tracked, off the disc */
  async #ofPixels(request: CurveRequest, call: RenderCall): Promise<LightCurve> {
    const { region, isTracked, isRaw, names, threshold, ...range } = request;
    const { series, reader } = this.ports;
    const slots = await series.slots(range, call);
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
    const { first, placed } = await series.placeInFirst(slots, (image) => windowIn(image, image), call, request);
    const { pixels } = placed;
    const parameter = region ? regionParameter(region).name : 'x';
    const opened = await series.open<RegionFigures>(
      slots,
      {
        isRaw,
        pixels,
        bytes: countingBytes(pixels),
        parameter,
        measure: async ({ image, plane, confirmed }, pace) => {
          const { shape, window } = windowIn({ image, plane }, first);
          const open = await reader.open(image, pace);
          const census = await countWindow(reader, open, { window, disc: confirmed.disc, shape }, pace);
          const wanted = { names, threshold, pixelArea: plateScale(image.geometry) ** 2 };
          const figures = figuresOf(confirmed, census, wanted);
          if (!figures) throw noData('in this region', parameter);
          return figures;
        },
      },
      call,
    );
    return { ...opened, rows: slots.length, grid: null };
  }
}

// Physical values of a place in an image, and the statistics of a box around it.
import { type ImageReader, requireSquarePixels } from '../archive/reading/image-reader.ts';
import { greyBytes } from '../jp2/decode.ts';
import type { Rect } from '../jp2/structure.ts';
import { plateScale } from '../picture/grids/pixel-grid.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { type Pace, unpaused } from '../platform/ports/timing.ts';
import { badParameter, Failure } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import type { FitsPixel } from '../sun/coordinates/image-plane.ts';
import type { ArchivedImage } from '../sun/image.ts';
import type { LawRefusal } from '../sun/laws/law.ts';
import { isOutside, measure, statisticsOf } from '../sun/laws/value.ts';
import { countingBytes, countWindow, type ImageLaws, type OfLevels } from './image-laws.ts';
import { type PlaceRequest, placeOf } from './regions.ts';

const GUIDE = 'See /docs/#guide-measure.';

export function noLaw({ reason, sentence }: LawRefusal): Failure {
  const levels = 'With raw=true, its levels are given.';
  return new Failure('no-law', `This image has no physical values. ${sentence} ${levels} ${GUIDE}`, { reason });
}

/** @param otherwise What else can be done, and the end of the sentence */
export const unconfirmed = (otherwise: string): Failure =>
  new Failure('busy', `The laws of these images have not been confirmed yet. Try again in a minute${otherwise}`, {
    retryAfterSeconds: 60,
  });

/** The failure of a place or region without data. @param what Where, as `at this place` */
export function noData(what: string, parameter = 'x'): Failure {
  const sentence = `There is no data ${what}. Choose a place on the disc, or away from blank parts of the image. ${GUIDE}`;
  return new Failure('no-data', sentence, { parameter });
}

/** Column or row of the pixel whose centre is nearest, from 0 at the top left; null outside of the image. */
function pixelWindow({ width, height }: ArchivedImage['geometry'], { x, y }: FitsPixel): Rect | null {
  const [column, row] = [Math.round(x) - 1, height - Math.round(y)];
  const isInside = column >= 0 && row >= 0 && column < width && row < height;
  return isInside ? { x0: column, y0: row, x1: column + 1, y1: row + 1 } : null;
}

/** The pixels whose centres are in a box along the axes of the image; at least `least`. `size`: arcseconds. */
function boxWindow(geometry: ArchivedImage['geometry'], { x, y }: FitsPixel, size: number, least: Rect): Rect {
  const { width, height } = geometry;
  const half = size / plateScale(geometry) / 2;
  const [left, top] = [x - 1, height - y];
  return {
    x0: Math.min(least.x0, Math.max(0, Math.ceil(left - half))),
    y0: Math.min(least.y0, Math.max(0, Math.ceil(top - half))),
    x1: Math.max(least.x1, Math.min(width, Math.floor(left + half) + 1)),
    y1: Math.max(least.y1, Math.min(height, Math.floor(top + half) + 1)),
  };
}

export class Measurements extends Service<{
  readonly laws: ImageLaws;
  readonly reader: Pick<ImageReader, 'open' | 'samples' | 'strips'>;
}> {
  /** The value at a place, null where its pixel has no data, and in a box of `size` arcseconds. @throws Failure `no-law`, `no-data`, `bad-parameter`, or as `ImageLaws.of` */
  async value(image: ArchivedImage, request: PlaceRequest & OfLevels & { readonly size: number | null }, call: RenderCall) {
    const { laws, reader } = this.ports;
    const { verdict, plane } = await (request.isRaw ? laws.levels(image, call) : laws.of(image, call));
    if ('refusal' in verdict) throw noLaw(verdict.refusal);
    const { confirmed } = verdict;
    const place = placeOf(plane, request);
    const own = pixelWindow(image.geometry, place.pixel);
    if (!own) throw offImage(image, request);
    const box = request.size === null ? null : boxWindow(image.geometry, place.pixel, request.size, own);
    const pixels = box ? (box.x1 - box.x0) * (box.y1 - box.y0) : 1;
    const measured = async (pace: Pace) => {
      const open = await reader.open(image, pace);
      requireSquarePixels(open);
      const byte = greyBytes(await reader.samples(open, 0, own, pace))[0]!;
      const fits = { x: own.x0 + 1, y: image.geometry.height - own.y0 };
      const measurement = isOutside(confirmed.disc, fits.x, fits.y) ? null : measure(confirmed, byte);
      const counted = box && (await countWindow(reader, open, { window: box, disc: confirmed.disc }, pace));
      const statistics = counted && statisticsOf(confirmed, counted);
      if (box ? !statistics : !measurement) throw noData(box ? 'in this box' : 'at this place');
      return { place, measurement, byte, statistics, confirmed };
    };
    const bytes = countingBytes(pixels);
    const { admission } = call;
    if (!box) return admission.hold(bytes, () => measured(unpaused(call.stopwatch)), { isShared: true });
    await admission.admit('regions', pixels);
    return admission.hold(bytes, measured);
  }
}

function offImage({ geometry: { width, height } }: ArchivedImage, { x }: PlaceRequest): Failure {
  return badParameter('x', `a place in the image, whose pixels are 1 to ${width} in x and 1 to ${height} in y,`, x);
}

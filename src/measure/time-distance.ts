// Time-distance maps (J-maps): values along a path in each image of a series.
import type { ImageReader } from '../archive/reading/image-reader.ts';
import { plateScale } from '../picture/grids/pixel-grid.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { MEASURING } from '../platform/limits/rendering.ts';
import type { Pace } from '../platform/ports/timing.ts';
import { badParameter } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import type { FitsPixel } from '../sun/coordinates/image-plane.ts';
import { noPlaces, type Places } from '../sun/coordinates/nodes.ts';
import { type PathPosition, pathLength, pathPositions } from '../sun/coordinates/path.ts';
import type { Helioprojective } from '../sun/coordinates/sphere.ts';
import { countingBytes, type OfLevels, windowAround, windowBytes } from './image-laws.ts';
import type { ImageSeries, MeasurableMember, OpenSeries, SeriesRequest } from './image-series.ts';
import { type Frame, type PlacedImage, seenPlace, type Tracking, timedPlane, trackBetween } from './regions.ts';
import { valueMeans, valueTableOf } from './value-means.ts';
import { noData } from './values.ts';

export interface PathRequest extends SeriesRequest, OfLevels, Tracking {
  /** Coordinates in the first image. Between them the path is straight as its observer saw it. */
  readonly vertices: readonly FitsPixel[];
  readonly frame: Frame;
  /** The parameter that has them, and its value for error sentences. */
  readonly parameter: 'path' | 'radial';
  readonly given: string;
  readonly width: number;
  /** Arcseconds between positions; null: a pixel of the first image. */
  readonly step: number | null;
}

export interface TimeDistanceMap extends OpenSeries<Float32Array> {
  readonly step: number;
  /** The path as the observer of the first image saw it. */
  readonly vertices: readonly Helioprojective[];
  readonly positions: readonly PathPosition[];
}

/** Longest stretch of a path that is decoded in one window, of which the diagonal is half used at worst: pixels. */
const STRETCH = 192;
/** Windows of a path in an image, at most. */
const MOST_STRETCHES = 16;

export class TimeDistance extends Service<{
  readonly series: ImageSeries;
  readonly reader: Pick<ImageReader, 'open' | 'strips'>;
}> {
  /** A map, measured up to the first image with values, NaN without one. @throws Failure as `ImageSeries`, `bad-parameter` for the path */
  async open(request: PathRequest, call: RenderCall): Promise<TimeDistanceMap> {
    const { parameter, width, isTracked } = request;
    const { series, reader } = this.ports;
    const slots = await series.slots(request, call);
    const place = (first: PlacedImage) => {
      const finest = plateScale(first.image.geometry);
      const step = request.step ?? finest;
      const vertices = seenPath(first, request);
      const count = Math.floor(pathLength(vertices) / step) + 1;
      const samples = count * Math.max(1, Math.ceil(width / finest));
      checkSize({ count, samples, slots: slots.length, step });
      const positions = pathPositions(vertices, { step, width, finest });
      const groups = Math.min(MOST_STRETCHES, Math.max(1, Math.floor(MEASURING.seriesWindows / slots.length)));
      const size = Math.max(Math.ceil((STRETCH * finest) / step), Math.ceil(positions.length / groups));
      const stretches = Array.from({ length: Math.ceil(positions.length / size) }, (_, i) => {
        return { from: i * size, positions: positions.slice(i * size, (i + 1) * size) };
      });
      const windows = stretches.map((stretch) => windowAround(first.image.geometry, pixelsOf(first, first, stretch.positions)));
      if (windows.every((window) => window === null)) {
        const { geometry } = first.image;
        const what = `a path in the image, which has ${geometry.width} x ${geometry.height} pixels,`;
        throw badParameter(parameter, what, request.given);
      }
      const pixels = windows.reduce((sum, window) => sum + (window ? (window.x1 - window.x0) * (window.y1 - window.y0) : 0), 0);
      const bytes = countingBytes(pixels) + pixels + positions.length * Float32Array.BYTES_PER_ELEMENT;
      const measure = async ({ image, plane, confirmed }: MeasurableMember, pace: Pace): Promise<Float32Array> => {
        const open = await reader.open(image, pace);
        const table = valueTableOf(confirmed);
        const values = new Float32Array(positions.length).fill(Number.NaN);
        for (const stretch of stretches) {
          const places = pixelsOf(first, { image, plane }, stretch.positions);
          const window = windowAround(image.geometry, places);
          if (!window) continue;
          const bytes = await windowBytes(reader, open, window, pace);
          const means = valueMeans(table, bytes, image.geometry.height, stretch.positions.length);
          means.add(places, stretch.positions[0]!.across.length);
          means.take(values, stretch.from);
        }
        if (values.every(Number.isNaN)) throw noData('along this path', parameter);
        return values;
      };
      return { step, vertices, positions, pixels, bytes, parameter, measure };
    };
    const pixelsOf = (from: PlacedImage, to: PlacedImage, positions: readonly PathPosition[]): Places => {
      const [start, end] = [timedPlane(from), timedPlane(to)];
      const track = isTracked ? trackBetween(start, end) : null;
      const places = noPlaces(positions.length * positions[0]!.across.length);
      let next = 0;
      for (const { across } of positions) {
        for (const asked of across) {
          const seen = track ? track(asked) : asked;
          if (seen === 'off-disc')
            throw badParameter(parameter, 'a path on the disc of the first image, for track=rotation,', request.given);
          const pixel = seen === 'hidden' ? null : end.plane.pixelAt(seen);
          if (pixel) {
            places.x[next] = pixel.x;
            places.y[next] = pixel.y;
          }
          next += 1;
        }
      }
      return places;
    };
    return series.open(slots, request, call, place);
  }
}

/** The vertices of a path as the observer of the first image saw them. @throws Failure `bad-parameter` for one that is hidden */
function seenPath(first: PlacedImage, request: PathRequest): readonly Helioprojective[] {
  const { vertices, frame, parameter } = request;
  if (frame === 'helioprojective') return vertices;
  const { plane } = timedPlane(first);
  const seen = vertices.map(({ x, y }) => {
    const place = seenPlace(plane, { frame, x, y });
    if (!place)
      throw badParameter(parameter, 'places on the side of the Sun that the observer of the first image saw', `${x},${y}`);
    return place;
  });
  if (pathLength(seen) === 0) throw badParameter(parameter, 'vertices at different places', request.given);
  return seen;
}

function checkSize({ count, samples, slots, step }: Readonly<Record<'count' | 'samples' | 'slots' | 'step', number>>): void {
  const most = Math.min(MEASURING.pathPositions, Math.floor(MEASURING.arrayBytes / Float32Array.BYTES_PER_ELEMENT / slots));
  if (count > most) {
    const least = Number(((step * count) / most).toPrecision(3));
    throw badParameter('step', `${least} arcseconds or more, for at most ${most} positions of ${slots} images,`, step);
  }
  if (samples > MEASURING.pathSamples) {
    const sentence = `a width with which the path has at most ${MEASURING.pathSamples} samples`;
    throw badParameter('width', sentence, `one with ${samples}`);
  }
}

// Parameters of what is measured: regions, the images of a range of time, and their rotation with the Sun; and the facts of the responses.
import { eventIdOf, hekEvent } from '../../events/event-service.ts';
import type { SeriesRequest } from '../../measure/image-series.ts';
import type { RegionRequest, SeenRegion, SurfaceRegion, Tracking } from '../../measure/regions.ts';
import { FRAMES, isLatitude, isOfSurface, outlineRegion, ROTATION } from '../../measure/regions.ts';
import { savedAs } from '../../platform/http/lists.ts';
import type { CanonicalValues } from '../../platform/http/operation.ts';
import { boolean, choice, date, decimal, decimalList, notation, type Values } from '../../platform/http/parameters.ts';
import { DRAWN, type FileType, MEDIA_TYPES, RECENT, type RepresentationFacts } from '../../platform/http/response.ts';
import { MEASURING } from '../../platform/limits/rendering.ts';
import { badParameter, conflict, requires } from '../../platform/util/errors.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { FitsPixel } from '../../sun/coordinates/image-plane.ts';
import { checkOrder, fileStamp } from '../../sun/time.ts';
import { imageHeaders } from '../images/image-headers.ts';
import type { SelectedImage } from '../images/jp2.ts';
import { singleSource, sourceId } from '../images/source-parameters.ts';
import type { Context } from '../services.ts';

/** Operations that measure and that the edge cache keeps. */
export const MEASURING_OPERATION = { tag: 'Measurements', parametersInV1: null, edge: 'shared' } as const;

/** Statuses of operations that measure. */
export const NO_VALUES = {
  422: 'The image has no law by which its bytes become physical values; `reason` is a word for programs, the sentence says why.',
} as const;

export const coordinateRange = { min: -MEASURING.regionCoordinate, max: MEASURING.regionCoordinate };
const size = { min: 0, max: MEASURING.regionCoordinate };

export const eventId = () =>
  notation(
    'The outline of this event of the HEK instead, as events lists it, rotated with the Sun from the time at which it was measured to that of the image.',
    { what: 'the id of an event', example: 'SPoCA_v1.0_20240510_120000' },
  ).optional();

/** @param more Further sentences, after a space */
export const raw = (more = '') =>
  boolean(`The levels of the images, from 0 to 255, instead of values: also of images without a law.${more}`).default(false);

/** Vertices as x and y in turns. */
export const vertexList = (
  description: string,
  { least, most }: { readonly least: number; readonly most: number },
  example: string,
) =>
  decimalList(description, {
    ...coordinateRange,
    what: `x and y of ${least} to ${most} vertices, such as ${example},`,
    example,
    counts: (count) => count % 2 === 0 && count >= 2 * least && count <= 2 * most,
  }).optional();

/** A rectangle, a circle or a polygon; none of them is the whole image where that is allowed. */
export const regionParameters = {
  x: decimal(
    'Centre of a rectangle, arcseconds to the west as the observer saw it, or by `frame` FITS pixels or degrees of longitude.',
    coordinateRange,
  ).optional(),
  y: decimal('The same to the north; latitude.', coordinateRange).optional(),
  width: decimal('Width of the rectangle in arcseconds, pixels or degrees.', size).optional(),
  height: decimal('Height of the rectangle.', size).optional(),
  circle: decimalList('A circle instead: x and y of its centre, and its radius.', {
    ...coordinateRange,
    what: 'x, y and radius of a circle, such as [100,200,50],',
    example: '[100,200,50]',
    counts: (count) => count === 3,
  }).optional(),
  polygon: vertexList('A polygon instead: x and y of each vertex.', MEASURING.vertices.polygon, '[[0,0],[100,0],[0,100]]'),
  eventId: eventId(),
  frame: choice(
    'Coordinates of the region. FITS pixels begin with 1 at the lower left. In degrees a rectangle lies between meridians and parallels, and ' +
      'the radius of a circle is along great circles; all of the region must be on the side of the Sun that the observer saw.',
    FRAMES,
  ).default('helioprojective'),
};

type RegionValues = Values<typeof regionParameters>;

const RECTANGLE = ['x', 'y', 'width', 'height'] as const;

/** A region as a request names it: an event is looked up when the request is handled. */
export type NamedRegion = SeenRegion | SurfaceRegion | { readonly kind: 'event'; readonly id: string };

/** The region that a request names. @throws Failure `unknown-id`, or as `outlineRegion` */
export async function regionFound(region: NamedRegion | null, context: Context): Promise<RegionRequest | null> {
  if (region?.kind !== 'event') return region;
  return outlineRegion(await hekEvent(context, { id: region.id, parameter: 'eventId' }, (event) => event));
}

/** Degrees of the greatest radius of a circle on the visible side. */
const QUARTER_TURN = 90;

/** @throws Failure `bad-parameter` for latitudes that the Sun does not have */
export function checkLatitudes(region: SurfaceRegion): void {
  const places = region.kind === 'polygon' ? region.vertices : [region];
  const wrong = places.map(({ y }) => y).find((y) => !isLatitude(y));
  const name = region.kind === 'rectangle' ? 'y' : region.kind;
  if (wrong !== undefined) throw badParameter(name, 'a latitude from -90 to 90 degrees', wrong);
  if (region.kind === 'circle' && region.radius > QUARTER_TURN)
    throw badParameter('circle', 'a radius of at most 90 degrees', region.radius);
  if (region.kind === 'rectangle' && !isLatitude(Math.abs(region.y) + region.height / 2))
    throw badParameter('height', 'a height with which all latitudes are from -90 to 90 degrees', region.height);
}

/** The region of a request; null without one. @throws Failure for an incomplete or ambiguous region, or one that the Sun does not have */
export function regionOf(values: RegionValues): NamedRegion | null {
  const region = formOf(values);
  if (region && region.kind !== 'event' && isOfSurface(region)) checkLatitudes(region);
  return region;
}

/** The vertices in a list of x and y in turns, and the list of vertices. */
export const verticesOf = (list: readonly number[]): FitsPixel[] =>
  Array.from({ length: list.length / 2 }, (_, i) => ({ x: list[2 * i]!, y: list[2 * i + 1]! }));
export const listOf = (vertices: readonly FitsPixel[]): number[] => vertices.flatMap(({ x, y }) => [x, y]);

function areOnOneLine([first, ...others]: readonly FitsPixel[]): boolean {
  const [along, ...rest] = others
    .map(({ x, y }) => ({ x: x - first!.x, y: y - first!.y }))
    .filter(({ x, y }) => x !== 0 || y !== 0);
  return along === undefined || rest.every(({ x, y }) => x * along.y === y * along.x);
}

function formOf(values: RegionValues): NamedRegion | null {
  const { circle, polygon, eventId: id, frame } = values;
  const given = RECTANGLE.filter((name) => values[name] !== undefined);
  const others = { circle, polygon, eventId: id };
  const [first, second] = [...given.slice(0, 1), ...Object.keys(others).filter((name) => others[name as keyof typeof others])];
  if (second !== undefined) throw conflict(second, first!);
  if (circle) {
    const [x, y, radius] = circle as [number, number, number];
    if (radius < 0) throw badParameter('circle', 'a radius of 0 or more', radius);
    return { kind: 'circle', frame, x, y, radius };
  }
  if (polygon) {
    const vertices = verticesOf(polygon);
    if (areOnOneLine(vertices))
      throw badParameter('polygon', 'vertices around an area, which are not on one line', polygon.join(','));
    return { kind: 'polygon', frame, vertices };
  }
  if (id) {
    if (frame !== 'helioprojective') throw conflict(`frame=${frame}`, 'eventId');
    return { kind: 'event', id: eventIdOf(id, 'eventId') };
  }
  if (given.length === 0) return null;
  const [x, y, width, height] = RECTANGLE.map((name) => {
    const value = values[name];
    if (value === undefined) throw requires(given[0]!, name);
    return value;
  }) as [number, number, number, number];
  return { kind: 'rectangle', frame, x, y, width, height };
}

export function regionKey(region: NamedRegion | null): CanonicalValues {
  if (region === null) return {};
  if (region.kind !== 'polygon') return { ...region };
  const { frame, vertices } = region;
  return { kind: region.kind, frame, vertices: listOf(vertices) };
}

/** Facts of a response about one image: a measurement changes with the rules as a picture with the renderer. */
export function measuredFacts(
  { image, distanceSeconds, policy, tags }: SelectedImage,
  headers: Readonly<Record<string, string>> = {},
): RepresentationFacts {
  const facts = { policy, tags, headers: { ...imageHeaders(image, distanceSeconds), ...headers } };
  return distanceSeconds === undefined ? { ...facts, ...DRAWN } : facts;
}

/** Seconds: to the length of a solar cycle. */
export const CADENCE = { min: 1, max: 400_000_000 };

export const seriesParameters = {
  sourceId: sourceId(),
  startTime: date('Start of the range, included.'),
  endTime: date('End of the range, included with the fractions of its second.'),
  cadence: decimal(
    'Seconds between images: the nearest to each time, at most half of it away. Unset: every image.',
    CADENCE,
  ).optional(),
};

export const trackingParameters = {
  track: choice(
    `\`rotation\`: the places rotate with the Sun, from where they are in the first image (${ROTATION}; the default of SunPy).`,
    ['none', 'rotation'],
  ).default('none'),
  trackFrom: date(
    'With `track=rotation`: the time to which the coordinates belong, as the observer of the image nearest to it saw them. Unset: that of the first image.',
  ).optional(),
};

/** @throws Failure for a time of places that do not rotate */
export function trackingOf({ track, trackFrom }: Values<typeof trackingParameters>): Tracking {
  if (track === 'none' && trackFrom !== undefined) throw badParameter('track', 'rotation, which trackFrom needs,', track);
  return { isTracked: track === 'rotation', trackFromMs: trackFrom ?? null };
}

export const trackingKey = ({ isTracked, trackFromMs }: Tracking) => ({ track: isTracked, trackFrom: trackFromMs ?? undefined });

/** The datasource of a series. @throws Failure for an unknown one, and for a group of them */
export function seriesSource(id: number, parameter = 'sourceId'): number {
  if (!findSource(id)) throw badParameter(parameter, 'the id of a datasource, as getDataSources has it,', id);
  return singleSource(id, parameter);
}

/** The range of a request. @throws Failure as `seriesSource`, and for swapped times */
export function seriesOf({ sourceId: id, startTime, endTime, cadence }: Values<typeof seriesParameters>): SeriesRequest {
  const source = seriesSource(id);
  checkOrder(startTime, endTime, ['startTime', 'endTime']);
  return { sourceId: source, startMs: startTime, endMs: endTime, cadenceSeconds: cadence ?? null };
}

/** The members of a cache key that name a range. */
export const seriesKey = ({ sourceId: source, startMs, endMs, cadenceSeconds }: SeriesRequest) => ({
  sourceId: source,
  startTime: startMs,
  endTime: endMs,
  cadence: cadenceSeconds ?? undefined,
});

/** Facts of a file of a series with so many rows, whose name is such as `AIA_171_lightcurve_20240510_000000_20240511_000000.csv`. */
export function seriesFacts({ sourceId: source, startMs, endMs }: SeriesRequest, what: string, format: FileType, rows: number) {
  const stem = [findSource(source)?.nickname ?? String(source), what, fileStamp(startMs), fileStamp(endMs)].join('_');
  const headers: Readonly<Record<string, string>> = { 'X-Series-Rows': String(rows), ...savedAs(format, stem) };
  return { contentType: MEDIA_TYPES[format], policy: RECENT, headers };
}

// Parameters of images that are measured and of regions in them, and the headers of responses about one image.
import { MEASURING } from '../../config/limits/rendering.ts';
import type { FitsPixel } from '../../domain/coordinates/image-plane.ts';
import { badParameter, conflict, requires } from '../../domain/errors.ts';
import { DRAWN } from '../../http/cache-policy.ts';
import type { CanonicalValues } from '../../http/operation.ts';
import { boolean, choice, decimal, decimalList, notation, type Values } from '../../http/parameters.ts';
import type { RepresentationFacts } from '../../http/response.ts';
import { eventIdOf, hekEvent } from '../../services/events/hek-event.ts';
import { FRAMES, isLatitude } from '../../services/measurement/places.ts';
import {
  isOfSurface,
  outlineRegion,
  type RegionRequest,
  type SeenRegion,
  type SurfaceRegion,
} from '../../services/measurement/regions.ts';
import { imageFacts, imageHeaders } from '../images/image-headers.ts';
import type { SelectedImage } from '../images/jp2.ts';
import type { Context } from '../services.ts';

/** Operations that measure and that the edge cache keeps. */
export const MEASURING_OPERATION = { tag: 'Measurements', parametersInV1: null, edge: 'shared' } as const;

/** Statuses of operations that measure. */
export const NO_VALUES = {
  422: 'The image has no law by which its bytes become physical values; `reason` is a word for programs, the sentence says why.',
} as const;

const range = { min: -MEASURING.regionCoordinate, max: MEASURING.regionCoordinate };
const POLYGON = MEASURING.vertices.polygon;
const size = { min: 0, max: MEASURING.regionCoordinate };

export const eventId = () =>
  notation(
    'The outline of this event of the HEK instead, as events lists it, rotated with the Sun from the time at which it was measured to that of the image.',
    { what: 'the id of an event', example: 'SPoCA_v1.0_20240510_120000' },
  ).optional();

/** @param more Further sentences, after a space */
export const raw = (more = '') =>
  boolean(`The levels of the images, from 0 to 255, instead of values: also of images without a law.${more}`).default(false);

/** A rectangle, a circle or a polygon; none of them is the whole image where that is allowed. */
export const regionParameters = {
  x: decimal(
    'Centre of a rectangle, arcseconds to the west as the observer saw it, or by `frame` FITS pixels or degrees of longitude.',
    range,
  ).optional(),
  y: decimal('The same to the north; latitude.', range).optional(),
  width: decimal('Width of the rectangle in arcseconds, pixels or degrees.', size).optional(),
  height: decimal('Height of the rectangle.', size).optional(),
  circle: decimalList('A circle instead: x and y of its centre, and its radius.', {
    ...range,
    what: 'x, y and radius of a circle, such as [100,200,50],',
    example: '[100,200,50]',
    counts: (count) => count === 3,
  }).optional(),
  polygon: decimalList('A polygon instead: x and y of each vertex.', {
    ...range,
    what: `x and y of ${POLYGON.least} to ${POLYGON.most} vertices, such as [[0,0],[100,0],[0,100]],`,
    example: '[[0,0],[100,0],[0,100]]',
    counts: (count) => count % 2 === 0 && count >= 2 * POLYGON.least && count <= 2 * POLYGON.most,
  }).optional(),
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
  const [name, ys] =
    region.kind === 'polygon'
      ? (['polygon', region.vertices.map(({ y }) => y)] as const)
      : ([region.kind === 'circle' ? 'circle' : 'y', [region.y]] as const);
  const wrong = ys.find((y) => !isLatitude(y));
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
    const vertices = Array.from({ length: polygon.length / 2 }, (_, i) => ({ x: polygon[2 * i]!, y: polygon[2 * i + 1]! }));
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
  return { kind: region.kind, frame, vertices: vertices.flatMap(({ x, y }) => [x, y]) };
}

/** Facts of a response about one image: a measurement changes with the rules as a picture with the renderer. */
export function measuredFacts(
  { image, distanceSeconds, policy, tags = [] }: SelectedImage,
  headers: Readonly<Record<string, string>> = {},
): RepresentationFacts {
  if (distanceSeconds === undefined) return { ...imageFacts(image, headers), ...DRAWN };
  return { policy, tags, headers: { ...imageHeaders(image, distanceSeconds), ...headers } };
}

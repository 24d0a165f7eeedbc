// Places and regions that requests name: places in all frames of an image, regions as shapes among its pixels, and the rotation of both.
import { plateScale } from '../picture/grids/pixel-grid.ts';
import { badParameter, Failure } from '../platform/util/errors.ts';
import type { FitsPixel, ImagePlane } from '../sun/coordinates/image-plane.ts';
import { earthObserver, RADIANS_PER_DEGREE } from '../sun/coordinates/observer.ts';
import { boxAround, type RegionForm, type Shape, touchesImage } from '../sun/coordinates/region.ts';
import { type Helioprojective, rotation, type Stonyhurst, stonyhurstOf, surfacePoint } from '../sun/coordinates/sphere.ts';
import type { SolarEvent } from '../sun/events/solar-event.ts';
import type { ArchivedImage } from '../sun/image.ts';
import { formatExact } from '../sun/time.ts';

/** The differential rotation of tracked regions, by `rotation`; SunPy names it `howard`, its default. */
export const ROTATION = 'Howard, Harvey and Forgach 1990: 2.894 - 0.428 sin²B - 0.370 sin⁴B µrad/s, sidereal';

/** Whether places rotate with the Sun, and the time to which their coordinates belong. */
export interface Tracking {
  readonly isTracked: boolean;
  /** Milliseconds since 1970; null for that of the first image. */
  readonly trackFromMs: number | null;
}

/** The differential rotation of tracked places, and from when; null for fixed ones. */
export function statedRotation({ isTracked, trackFromMs }: Tracking): string | null {
  if (!isTracked) return null;
  return trackFromMs === null ? ROTATION : `${ROTATION}; from ${formatExact(trackFromMs)}`;
}

/** The coordinates of an image with its time. */
export interface TimedPlane {
  readonly plane: ImagePlane;
  readonly atMs: number;
}

/** The track from an image to another: `off-disc` for a place beside the Sun, `hidden` for one behind the limb. */
export function trackBetween(
  from: TimedPlane,
  to: TimedPlane,
): (seen: Helioprojective) => Helioprojective | 'off-disc' | 'hidden' {
  const turned = rotation(from.atMs, to.atMs);
  return (seen) => {
    const location = from.plane.stonyhurstAt(seen);
    if (!location) return 'off-disc';
    return to.plane.directionOf(turned(location)) ?? 'hidden';
  };
}

export const FRAMES = ['helioprojective', 'stonyhurst', 'carrington', 'pixel'] as const;
export type Frame = (typeof FRAMES)[number];

/** A place: arcseconds, degrees of longitude and latitude, or FITS pixels. */
export interface PlaceRequest {
  readonly frame: Frame;
  readonly x: number;
  readonly y: number;
}

/** A place in all frames; null where a frame does not have it. */
export interface Place {
  readonly helioprojective: Helioprojective | null;
  readonly stonyhurst: Stonyhurst | null;
  readonly carrington: Stonyhurst | null;
  readonly pixel: FitsPixel;
}

/** The place that a request names. @throws Failure `bad-parameter` where the image cannot have it, `unsupported` without coordinates */
export function placeOf(plane: ImagePlane | null, { frame, x, y }: PlaceRequest): Place {
  if (plane === null) {
    if (frame === 'pixel') return { helioprojective: null, stonyhurst: null, carrington: null, pixel: { x, y } };
    const sentence = 'The projection of this image is not supported. Use frame=pixel.';
    throw new Failure('unsupported', sentence, { parameter: 'frame' });
  }
  const seen = directionOf(plane, { frame, x, y });
  const pixel = frame === 'pixel' ? { x, y } : plane.pixelAt(seen);
  if (!pixel) throw badParameter('x', 'a place in front of the observer', x);
  const stonyhurst = plane.stonyhurstAt(seen);
  return { helioprojective: seen, stonyhurst, carrington: stonyhurst && plane.carringtonOf(stonyhurst), pixel };
}

/** The direction in which the observer saw a place; null on the other side of the Sun. */
export function seenPlace(plane: ImagePlane, { frame, x, y }: PlaceRequest): Helioprojective | null {
  if (frame === 'helioprojective') return { x, y };
  if (frame === 'pixel') return plane.seenAt({ x, y });
  const named = { longitude: x, latitude: y };
  return plane.directionOf(frame === 'stonyhurst' ? named : plane.stonyhurstOfCarrington(named));
}

/** Whether the coordinates of a frame are longitude and latitude. */
export const isInDegrees = (frame: Frame): frame is 'stonyhurst' | 'carrington' =>
  frame === 'stonyhurst' || frame === 'carrington';

/** Whether the Sun has this latitude. */
export const isLatitude = (degrees: number): boolean => Math.abs(degrees) <= 90;

function directionOf(plane: ImagePlane, place: PlaceRequest): Helioprojective {
  const { frame, x, y } = place;
  if (isInDegrees(frame) && !isLatitude(y)) throw badParameter('y', 'a latitude from -90 to 90 degrees', y);
  const seen = seenPlace(plane, place);
  if (!seen) throw badParameter('x', 'a place on the side of the Sun that the observer of this image saw', x);
  return seen;
}

/** Degrees between vertices: a chord of one leaves the surface by 4e-5 solar radii. */
const VERTEX_DEGREES = 1;
/** Vertices of an outline, about: of a longer one they are farther apart. */
const VERTICES = 1000;
/** Vertices of a circle, whose polygon has 0.02 % less area. */
const CIRCLE_VERTICES = 180;

/** The places on a great circle at `radius` degrees from a centre, by their angle from north to west. */
function circleOutline({ x, y, radius }: Extract<RegionForm, { readonly kind: 'circle' }>): Stonyhurst[] {
  const [phi, away] = [y * RADIANS_PER_DEGREE, radius * RADIANS_PER_DEGREE];
  return Array.from({ length: CIRCLE_VERTICES }, (_, i) => {
    const angle = (2 * Math.PI * i) / CIRCLE_VERTICES;
    const north = Math.sin(phi) * Math.cos(away) + Math.cos(phi) * Math.sin(away) * Math.cos(angle);
    const west = Math.sin(away) * Math.sin(angle);
    const ahead = Math.cos(phi) * Math.cos(away) - Math.sin(phi) * Math.sin(away) * Math.cos(angle);
    return {
      latitude: Math.atan2(north, Math.hypot(west, ahead)) / RADIANS_PER_DEGREE,
      longitude: x + Math.atan2(west, ahead) / RADIANS_PER_DEGREE,
    };
  });
}

/** Vertices of a rectangle between meridians and parallels, or of a polygon. */
function cornersOf(region: Exclude<RegionForm, { readonly kind: 'circle' }>): Vertices {
  if (region.kind === 'polygon') return region.vertices;
  const [right, up] = [region.width / 2, region.height / 2];
  const { x, y } = region;
  return [
    { x: x - right, y: y - up },
    { x: x + right, y: y - up },
    { x: x + right, y: y + up },
    { x: x - right, y: y + up },
  ];
}

/** The outline of a region in degrees of longitude and latitude. Along its edges both change in proportion. */
function surfaceOutline(region: RegionForm): Stonyhurst[] {
  if (region.kind === 'circle') return circleOutline(region);
  const corners = cornersOf(region);
  const lengths = corners.map(({ x, y }, i) => Math.hypot(at(corners, i + 1).x - x, at(corners, i + 1).y - y));
  const around = lengths.reduce((sum, length) => sum + length, 0);
  const step = Math.max(VERTEX_DEGREES, around / VERTICES);
  const places = alongEdges(corners, (i) => Math.max(1, Math.ceil(lengths[i]! / step)));
  return places.map(({ x: longitude, y: latitude }) => ({ longitude, latitude }));
}

type Vertices = readonly { readonly x: number; readonly y: number }[];
const at = (corners: Vertices, i: number) => corners[i % corners.length]!;

/** Places at equal distances along each edge of a polygon, from its first corner on: as many as `countOf` the edge. */
const alongEdges = (corners: Vertices, countOf: (edge: number) => number) =>
  corners.flatMap((from, i) => {
    const [to, count] = [at(corners, i + 1), countOf(i)];
    const between = (a: number, b: number, k: number) => a + ((b - a) * k) / count;
    return Array.from({ length: count }, (_, k) => ({ x: between(from.x, to.x, k), y: between(from.y, to.y, k) }));
  });

/** The outline of an event: places on the Sun at a time. */
export interface OutlineRegion {
  readonly kind: 'outline';
  readonly frame: 'helioprojective';
  readonly id: string;
  readonly atMs: number;
  readonly places: readonly Stonyhurst[];
}

/** A region in arcseconds as the observer saw them or in FITS pixels. */
export type SeenRegion = { readonly frame: 'helioprojective' | 'pixel' } & RegionForm;

/** A region in degrees: a rectangle lies between meridians and parallels, a circle has its radius along great circles. */
export type SurfaceRegion = { readonly frame: 'stonyhurst' | 'carrington' } & RegionForm;

export type RegionRequest = SeenRegion | SurfaceRegion | OutlineRegion;

/** Whether a region has longitude and latitude. */
export function isOfSurface(region: RegionRequest | null): region is SurfaceRegion {
  return region !== null && isInDegrees(region.frame);
}

/** The shape of a region in an image; an outline rotates with the Sun. @throws Failure as `placeOf`, `no-data` for what is behind the limb */
export function shapeOf(placed: PlacedImage, region: RegionRequest): Shape {
  if (region.kind === 'outline') return outlineShape(placed, region);
  if (isOfSurface(region)) return surfaceShape(placed, placed, region);
  return seenShape(placed.plane, placed.image.geometry, region);
}

/** The shape of a region in an image with this plane and scale. @throws Failure as `placeOf` */
export function seenShape(
  plane: ImagePlane | null,
  geometry: Pick<ArchivedImage['geometry'], 'scaleArcsecPerPixel' | 'scaleCorrection'>,
  region: SeenRegion,
): Shape {
  const { frame } = region;
  const pixelOf = ({ x, y }: { readonly x: number; readonly y: number }) => placeOf(plane, { frame, x, y }).pixel;
  if (region.kind === 'circle') {
    const unit = frame === 'pixel' ? 1 : plateScale(geometry);
    return { kind: 'circle', ...pixelOf(region), radius: region.radius / unit };
  }
  return { kind: 'polygon', vertices: cornersOf(region).map(pixelOf) };
}

export interface PlacedImage {
  readonly image: ArchivedImage;
  readonly plane: ImagePlane | null;
}

/** The coordinates of an image with its time. @throws Failure `unsupported` without coordinates */
export function timedPlane({ image, plane }: PlacedImage): TimedPlane {
  if (plane) return { plane, atMs: image.takenAtMs };
  const sentence = 'With the projection of these images, only light curves of fixed regions with frame=pixel are possible.';
  throw new Failure('unsupported', sentence, { parameter: 'sourceId' });
}

function outlineShape(placed: PlacedImage, { places, atMs }: OutlineRegion): Shape {
  const { plane } = timedPlane(placed);
  const turn = rotation(atMs, placed.image.takenAtMs);
  const vertices = places.flatMap((place) => {
    const seen = plane.directionOf(turn(place));
    return (seen && plane.pixelAt(seen)) ?? [];
  });
  if (vertices.length < 3) throw behindLimb();
  return { kind: 'polygon', vertices };
}

/** The shape of a region in degrees of another image, rotated to this one. @throws Failure `no-data` where a part is behind the limb */
function surfaceShape(from: PlacedImage, to: PlacedImage, region: SurfaceRegion): Shape {
  const [start, end] = [timedPlane(from), timedPlane(to)];
  const turn = rotation(start.atMs, end.atMs);
  const vertices = surfaceOutline(region).map((named) => {
    const place = region.frame === 'stonyhurst' ? named : start.plane.stonyhurstOfCarrington(named);
    const seen = end.plane.directionOf(turn(place));
    const pixel = seen && end.plane.pixelAt(seen);
    if (!pixel) throw partlyHidden(region);
    return pixel;
  });
  return { kind: 'polygon', vertices };
}

function partlyHidden(region: SurfaceRegion): Failure {
  const sentence =
    'Part of the region is behind the limb in this image. Choose one on the side of the Sun that its observer saw, or another time.';
  return new Failure('no-data', sentence, { parameter: regionParameter(region).name });
}

/** A region that has the same coordinates in all images: an outline as it is in the first. */
export function fixedRegion(first: PlacedImage, region: RegionRequest): SeenRegion | SurfaceRegion {
  if (region.kind !== 'outline') return region;
  const { plane } = timedPlane(first);
  return {
    kind: 'polygon',
    frame: region.frame,
    vertices: outlineOf(shapeOf(first, region)).map((pixel) => plane.seenAt(pixel)),
  };
}

/** Centre and size of a rectangle, or of the bounds of an outline in an image. */
export function boundsOf(placed: PlacedImage, region: OutlineRegion | Extract<SeenRegion, { readonly kind: 'rectangle' }>) {
  if (region.kind === 'rectangle') return region;
  const { plane } = timedPlane(placed);
  const { left, right, low, high } = boxAround(outlineOf(shapeOf(placed, region)).map((pixel) => plane.seenAt(pixel)));
  return { x: (left + right) / 2, y: (low + high) / 2, width: right - left, height: high - low };
}

/** Vertices of a tracked circle, and of each edge of a polygon, which is no straight line after rotation. */
const TRACKED = { circle: 64, edge: 8 } as const;

function outlineOf(shape: Shape): FitsPixel[] {
  if (shape.kind === 'circle') {
    return Array.from({ length: TRACKED.circle }, (_, i) => {
      const angle = (2 * Math.PI * i) / TRACKED.circle;
      return { x: shape.x + shape.radius * Math.cos(angle), y: shape.y + shape.radius * Math.sin(angle) };
    });
  }
  return alongEdges(shape.vertices, () => TRACKED.edge);
}

/** The shape of the surface of a region of another image. @throws Failure `bad-parameter` off the disc, `no-data` behind the limb */
export function trackedShape(from: PlacedImage, to: PlacedImage, region: RegionRequest): Shape {
  if (region.kind === 'outline') return shapeOf(to, region);
  if (isOfSurface(region)) return surfaceShape(from, to, region);
  const [start, end] = [timedPlane(from), timedPlane(to)];
  const track = trackBetween(start, end);
  const vertices = outlineOf(shapeOf(from, region)).map((pixel) => {
    const seen = track(start.plane.seenAt(pixel));
    if (seen === 'off-disc') throw offDisc(region);
    const found = seen === 'hidden' ? null : end.plane.pixelAt(seen);
    if (!found) throw behindLimb();
    return found;
  });
  return { kind: 'polygon', vertices };
}

function offDisc(region: RegionRequest): Failure {
  const { name, value } = regionParameter(region);
  return badParameter(name, 'a region on the disc of the first image, because it rotates with the Sun,', value);
}

/** The failure of an image in which a tracked place is behind the limb. */
function behindLimb(): Failure {
  const sentence = 'The region has rotated behind the limb in this image. Choose another range.';
  return new Failure('no-data', sentence, { parameter: 'startTime' });
}

/** The failure of a region without a pixel, or without a block of `factor` x `factor` of them: off the image, or too small. */
export function regionOff(
  { width, height }: Pick<ArchivedImage['geometry'], 'width' | 'height'>,
  region: RegionRequest,
  shape: Shape | null = null,
  factor = 1,
): Failure {
  const { name, value } = regionParameter(region);
  if (shape === null || !touchesImage(shape, { width, height }))
    return badParameter(name, `a region of the image, which has ${width} x ${height} pixels,`, value);
  const what =
    factor === 1 ? 'the centre of a pixel,' : `the centre of a mean of ${factor} x ${factor} pixels, or a lower level,`;
  const { name: side, value: size } = region.kind === 'rectangle' ? { name: 'width', value: region.width } : { name, value };
  return badParameter(side, `a region with ${what}`, size);
}

/** The parameter that names a region, and its value for error sentences; `level` for the whole image. */
export function regionParameter(region: RegionRequest | null): { readonly name: string; readonly value?: string | number } {
  if (region === null) return { name: 'level' };
  if (region.kind === 'outline') return { name: 'eventId', value: region.id };
  if (region.kind === 'rectangle') return { name: 'x', value: region.x };
  if (region.kind === 'circle') return { name: 'circle', value: [region.x, region.y, region.radius].join(',') };
  return { name: 'polygon', value: region.vertices.map(({ x, y }) => `${x},${y}`).join(',') };
}

const UNITS = { helioprojective: '"', pixel: ' px', stonyhurst: '°', carrington: '°' } as const;

export function regionText(region: RegionRequest | null): string {
  if (region === null) return 'whole image';
  if (region.kind === 'outline') return 'outline of an event';
  const shown = (value: number) => `${Number(value.toPrecision(6))}${UNITS[region.frame]}`;
  const frame = isOfSurface(region) ? ` (${region.frame})` : '';
  if (region.kind === 'polygon') return `polygon of ${region.vertices.length} vertices${frame}`;
  const [x, y] = isOfSurface(region) ? ['longitude', 'latitude'] : ['x', 'y'];
  const at = `at ${x} ${shown(region.x)}, ${y} ${shown(region.y)}${frame}`;
  if (region.kind === 'circle') return `circle of radius ${shown(region.radius)} ${at}`;
  return `${shown(region.width)} x ${shown(region.height)} ${at}`;
}

/** Vertices of an outline; of longer ones every second or third is taken. */
const OUTLINE_VERTICES = 400;

/** The places of the outline with the most vertices, which pictures show. @throws Failure `bad-parameter` without one, or beyond the disc */
export function outlineRegion({ id, outlines, position }: SolarEvent): OutlineRegion {
  const [longest] = outlines.toSorted((a, b) => b.length - a.length);
  if (!longest || longest.length < 3) {
    const place =
      position.kind === 'helioprojective'
        ? ` It was reported at ${position.x},${position.y} arcseconds: give circle with a radius.`
        : '';
    throw badParameter('eventId', `an event with an outline.${place}`.replace(/\.$/, ''), id);
  }
  const observer = earthObserver(position.atMs);
  const step = Math.ceil(longest.length / OUTLINE_VERTICES);
  const places = longest.flatMap(([x, y], i): Stonyhurst[] => {
    const point = i % step === 0 ? surfacePoint({ x, y }, observer) : null;
    return point ? [stonyhurstOf(point, observer)] : [];
  });
  if (places.length < Math.ceil(longest.length / step)) {
    throw badParameter('eventId', 'an event on the disc (for what is beside the Sun, give x, y, width and height)', id);
  }
  return { kind: 'outline', frame: 'helioprojective', id, atMs: position.atMs, places };
}

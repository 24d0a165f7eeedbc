// The plane of pictures in an image: north up, and gnomonic about the Sun's centre, whatever the projection and the roll of the image.
import type { ImagePlane } from '../../sun/coordinates/image-plane.ts';
import { RADIANS_PER_ARCSEC } from '../../sun/coordinates/observer.ts';
import { boxOf, type Edges, type PlanePoint, planePointOf } from '../../sun/coordinates/picture-plane.ts';
import { boxAround } from '../../sun/coordinates/region.ts';
import type { ImageGeometry, Size } from '../../sun/image.ts';
import { plateScale, sunCentre } from './pixel-grid.ts';
import { type ArcsecBounds, observedBounds } from './tile-pyramid.ts';

/** Where a point of a picture is among the samples of an image: sample k at place k, from the upper left corner. Null where it is not. */
export type SamplePlacing = (point: PlanePoint) => PlanePoint | null;

function samplePlacing(plane: ImagePlane, geometry: ImageGeometry): SamplePlacing {
  const unit = (plateScale(geometry) / geometry.scaleArcsecPerPixel) * RADIANS_PER_ARCSEC;
  return ({ x, y }) => {
    const [west, north] = [x * unit, -y * unit];
    const length = Math.hypot(west, north, 1);
    const pixel = plane.pixelTowards(west / length, north / length, 1 / length);
    return pixel && { x: pixel.x - 1, y: plane.height - pixel.y };
  };
}

/** Samples by which a picture that is scaled alone may misplace one. */
const STRAIGHT = 0.02;
/** Parts of the sides of an image, at whose ends it is tried. */
const PARTS = 4;

/** Whether the geometry of an image, a shift and a scale, places its samples as its coordinates do. @param size Samples of the file */
function isUpright(placing: SamplePlacing, geometry: ImageGeometry, size: Size): boolean {
  const [sun, scale] = [sunCentre(geometry), geometry.scaleArcsecPerPixel];
  const ends = Array.from({ length: PARTS + 1 }, (_, i) => i / PARTS);
  return ends.every((across) =>
    ends.every((down) => {
      const point = { x: (across * geometry.width - sun.x) * scale, y: (down * geometry.height - sun.y) * scale };
      const place = placing(point);
      return place && Math.hypot(place.x - across * size.width + 0.5, place.y - down * size.height + 0.5) < STRAIGHT;
    }),
  );
}

/** An image that a shift and a scale do not place. */
export interface Turned {
  readonly placing: SamplePlacing;
  readonly edges: Edges;
  /** Where a sample is in the plane of pictures, in pixels of the geometry from the Sun's centre. */
  readonly seen: (sample: PlanePoint) => PlanePoint;
  readonly size: Size;
}

/** How an image lies in the plane of pictures; null where a shift and a scale place its samples. @param size Samples of the file */
export function turnedImage(plane: ImagePlane, geometry: ImageGeometry, size: Size): Turned | null {
  const placing = samplePlacing(plane, geometry);
  if (isUpright(placing, geometry, size)) return null;
  const pixels = 1 / plateScale(geometry);
  const seen = ({ x, y }: PlanePoint) => planePointOf(plane.seenAt({ x: x + 1, y: plane.height - y }), pixels);
  return { placing, edges: edgesOf(plane, geometry), seen, size };
}

/** The geometry of a turned image, with the Sun's centre where it is in the file. */
export function asFiled({ placing, size }: Turned, geometry: ImageGeometry): ImageGeometry {
  const { width, height } = geometry;
  const { x, y } = placing({ x: 0, y: 0 }) ?? { x: Number.NaN, y: Number.NaN };
  const [right, low] = [((x + 0.5) * width) / size.width, ((y + 0.5) * height) / size.height];
  return Number.isNaN(right) ? geometry : { ...geometry, refPixelX: right + 0.5, refPixelY: height - low + 0.5 };
}

/** Places on the edge of an image, as parts of its sides. */
const EDGE = Array.from({ length: 4 * PARTS + 1 }, (_, i) => i / (4 * PARTS)).flatMap((part): (readonly [number, number])[] => [
  [part, 0],
  [part, 1],
  [0, part],
  [1, part],
]);

/** Places on the edge of a turned image, as `seen`. */
export const edgeOf = ({ seen, size }: Turned): PlanePoint[] =>
  EDGE.map(([across, down]) => seen({ x: across * size.width - 0.5, y: down * size.height - 0.5 }));

/** The edges of an image in the plane of pictures; of one that is bent the box around it. */
function edgesOf(plane: ImagePlane, { scaleCorrection }: ImageGeometry): Edges {
  const { width, height } = plane;
  const at = (across: number, up: number) =>
    planePointOf(plane.seenAt({ x: 0.5 + across * width, y: 0.5 + up * height }), 1 / scaleCorrection);
  if (plane.homography) {
    const [corner, right, low] = [at(0, 1), at(1, 1), at(0, 0)];
    const half = ({ x, y }: PlanePoint) => ({ x: (x - corner.x) / 2, y: (y - corner.y) / 2 });
    return { x: (right.x + low.x) / 2, y: (right.y + low.y) / 2, across: half(right), down: half(low) };
  }
  const { left, right, low, high } = boxAround(EDGE.map(([across, up]) => at(across, up)));
  const across = { x: (right - left) / 2, y: 0 };
  return { x: (left + right) / 2, y: (low + high) / 2, across, down: { x: 0, y: (high - low) / 2 } };
}

/** The edges of an image, as its observer saw them, after it has been turned to the north. @param plane Null: it has no coordinates */
export function uprightBounds(plane: ImagePlane | null, geometry: ImageGeometry): ArcsecBounds {
  const turned = plane && turnedImage(plane, geometry, plane);
  if (!turned) return observedBounds(geometry);
  const { left, top, right, bottom } = boxOf(turned.edges);
  return [left, -bottom, right, -top].map((edge) => edge * geometry.scaleCorrection) as unknown as ArcsecBounds;
}

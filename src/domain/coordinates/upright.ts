// The plane of pictures in an image: north up, and gnomonic about the Sun's centre, whatever the projection and the roll of the image.
import type { ImageGeometry, Size } from '../image.ts';
import { plateScale, sunCentre } from '../pixel-grid.ts';
import { type ArcsecBounds, observedBounds } from '../tile-pyramid.ts';
import type { ImagePlane } from './image-plane.ts';
import { RADIANS_PER_ARCSEC } from './observer.ts';
import { type PlanePoint, planePointOf } from './picture-plane.ts';

/** Where a point of a picture is among the samples of an image: sample k at place k, from the upper left corner. Null where it is not. */
export type SamplePlacing = (point: PlanePoint) => PlanePoint | null;

export function samplePlacing(plane: ImagePlane, geometry: ImageGeometry): SamplePlacing {
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
export function isUpright(placing: SamplePlacing, geometry: ImageGeometry, size: Size): boolean {
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

/** The edges of an image, as its observer saw them, after it has been turned to the north. @param plane Null: it has no coordinates */
export function uprightBounds(plane: ImagePlane | null, geometry: ImageGeometry): ArcsecBounds {
  if (!plane || isUpright(samplePlacing(plane, geometry), geometry, plane)) return observedBounds(geometry);
  const { width, height } = plane;
  const edge = Array.from({ length: 4 * PARTS + 1 }, (_, i) => i / (4 * PARTS));
  const places = edge
    .flatMap((part) => [[part, 0] as const, [part, 1] as const, [0, part] as const, [1, part] as const])
    .map(([across, up]) => planePointOf(plane.seenAt({ x: 0.5 + across * width, y: 0.5 + up * height }), 1));
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  return [Math.min(...xs), -Math.max(...ys), Math.max(...xs), -Math.min(...ys)];
}

// Regions that requests name, as shapes among the pixels of an image.
import type { ImagePlane } from '../../domain/coordinates/image-plane.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import type { Shape } from '../../domain/measurement/region.ts';
import { plateScale } from '../../domain/pixel-grid.ts';
import { placeOf } from './places.ts';

export const REGION_FRAMES = ['helioprojective', 'pixel'] as const;

/** A rectangle, a circle or a polygon, in arcseconds as the observer saw them or in FITS pixels. */
export type RegionRequest = { readonly frame: (typeof REGION_FRAMES)[number] } & (
  | { readonly kind: 'rectangle'; readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  | { readonly kind: 'circle'; readonly x: number; readonly y: number; readonly radius: number }
  | { readonly kind: 'polygon'; readonly vertices: readonly { readonly x: number; readonly y: number }[] }
);

/** The shape of a region in an image. @throws Failure as `placeOf` */
export function shapeOf(plane: ImagePlane | null, geometry: ArchivedImage['geometry'], region: RegionRequest): Shape {
  const { frame } = region;
  const pixelOf = ({ x, y }: { readonly x: number; readonly y: number }) => placeOf(plane, { frame, x, y }).pixel;
  if (region.kind === 'circle') {
    const unit = frame === 'pixel' ? 1 : plateScale(geometry);
    return { kind: 'circle', ...pixelOf(region), radius: region.radius / unit };
  }
  if (region.kind === 'polygon') return { kind: 'polygon', vertices: region.vertices.map(pixelOf) };
  const { x, y, width, height } = region;
  const corners = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ] as const;
  const vertices = corners.map(([right, up]) => pixelOf({ x: x + (right * width) / 2, y: y + (up * height) / 2 }));
  return { kind: 'polygon', vertices };
}

/** The parameter that names a region, and its value for error sentences; `level` for the whole image. */
export function regionParameter(region: RegionRequest | null): { readonly name: string; readonly value?: string | number } {
  if (region === null) return { name: 'level' };
  if (region.kind === 'rectangle') return { name: 'x', value: region.x };
  if (region.kind === 'circle') return { name: 'circle', value: [region.x, region.y, region.radius].join(',') };
  return { name: 'polygon', value: region.vertices.map(({ x, y }) => `${x},${y}`).join(',') };
}

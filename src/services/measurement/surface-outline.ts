// Outlines of regions that have longitude and latitude: close enough vertices for edges that are no straight lines in an image.
import { RADIANS_PER_DEGREE } from '../../domain/coordinates/observer.ts';
import type { Stonyhurst } from '../../domain/coordinates/sphere.ts';
import type { RegionForm } from '../../domain/measurement/region.ts';

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
function cornersOf(
  region: Exclude<RegionForm, { readonly kind: 'circle' }>,
): readonly { readonly x: number; readonly y: number }[] {
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
export function surfaceOutline(region: RegionForm): Stonyhurst[] {
  if (region.kind === 'circle') return circleOutline(region);
  const corners = cornersOf(region);
  const edges = corners.map((from, i) => {
    const to = corners[(i + 1) % corners.length]!;
    return { from, to, length: Math.hypot(to.x - from.x, to.y - from.y) };
  });
  const around = edges.reduce((sum, { length }) => sum + length, 0);
  const step = Math.max(VERTEX_DEGREES, around / VERTICES);
  return edges.flatMap(({ from, to, length }) => {
    const count = Math.max(1, Math.ceil(length / step));
    return Array.from({ length: count }, (_, k) => ({
      longitude: from.x + ((to.x - from.x) * k) / count,
      latitude: from.y + ((to.y - from.y) * k) / count,
    }));
  });
}

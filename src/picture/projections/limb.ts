// Projections of the picture around the Sun's centre: the limb as a straight line, and a corona that is compressed.
import type { PlanePoint } from '../../sun/coordinates/picture-plane.ts';
import type { Projection } from '../projection.ts';
import { ARCSEC_PER_RADIUS, around, ofPicture, type ProjectionRecord } from './mapping.ts';

/** Width of the unwrapped limb, at whose sides lines around the Sun begin and end. */
const UNWRAPPED_WIDTH = 2 * Math.PI * ARCSEC_PER_RADIUS;

/** Radians by which a point of the seam may be beyond it, by rounding. */
const SEAM = 1e-9;

function unwrapped({ x, y }: PlanePoint): PlanePoint {
  // From north (up) to east (left).
  const angle = (Math.atan2(-x, -y) + 2 * Math.PI) % (2 * Math.PI);
  return { x: (angle - Math.PI) * ARCSEC_PER_RADIUS, y: -Math.hypot(x, y) };
}

function wrapped({ x, y }: PlanePoint): PlanePoint | null {
  const angle = x / ARCSEC_PER_RADIUS + Math.PI;
  if (y > 0 || angle < -SEAM || angle > 2 * Math.PI + SEAM) return null;
  return { x: y * Math.sin(angle), y: y * Math.cos(angle) };
}

export const UNWRAPPED: ProjectionRecord = {
  description: '`unwrapped`: to the right the position angle from north by east, upward the distance from the centre of the Sun.',
  mapping: (_, observer) => ({
    ...ofPicture({ ofPlane: unwrapped, toPlane: wrapped }, observer),
    disc: null,
    width: UNWRAPPED_WIDTH,
  }),
  sides: (_, reach) => ({ left: -UNWRAPPED_WIDTH / 2, top: -reach, right: UNWRAPPED_WIDTH / 2, bottom: 0 }),
  finds: 'plane',
  shader: `  float angle = place.x / RADIUS + PI;
  plane = place.y * vec2(sin(angle), cos(angle));
  float shown = step(place.y, 0.0) * step(0.0, angle) * step(angle, 2.0 * PI);`,
};

/** Distance from the centre in the transformed picture, and back; solar radii. Not finite where there is none. */
export function compressed(radii: number, power: number): number {
  if (radii <= 1) return radii;
  return 1 + (power === 0 ? Math.log(radii) : (radii ** power - 1) / power);
}
function stretched(radii: number, power: number): number {
  if (radii <= 1) return radii;
  return power === 0 ? Math.exp(radii - 1) : (1 + power * (radii - 1)) ** (1 / power);
}

function atReach({ x, y }: PlanePoint, reachOf: (radii: number) => number): PlanePoint | null {
  const radii = Math.hypot(x, y) / ARCSEC_PER_RADIUS;
  const ratio = radii === 0 ? 1 : reachOf(radii) / radii;
  return Number.isFinite(ratio) ? { x: x * ratio, y: y * ratio } : null;
}

export const RADIAL: ProjectionRecord<Extract<Projection, { readonly kind: 'radial' }>> = {
  description:
    '`radial,<power>`: the picture with a compressed corona, r = 1 + (r^power - 1) / power beyond the limb, logarithmic for 0.',
  mapping: ({ power }, observer) =>
    ofPicture(
      {
        ofPlane: (point) => atReach(point, (radii) => compressed(radii, power)),
        toPlane: (screen) => atReach(screen, (radii) => stretched(radii, power)),
      },
      observer,
    ),
  sides: (_, reach, { power }) => around(ARCSEC_PER_RADIUS * compressed(reach / ARCSEC_PER_RADIUS, power)),
  finds: 'plane',
  shader: `  float radii = max(length(place) / RADIUS, 1e-6);
  float inside = 1.0 + parameter * (radii - 1.0);
  float reach = radii <= 1.0 ? radii : parameter == 0.0 ? exp(radii - 1.0) : pow(max(inside, 1e-6), 1.0 / parameter);
  plane = place * reach / radii;
  float shown = step(1e-6, inside);`,
  parameter: ({ power }) => power,
};

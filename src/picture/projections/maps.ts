// Projections of the surface alone: around a pole, and maps of longitude by latitude.
import type { Stonyhurst } from '../../sun/coordinates/sphere.ts';
import type { Projection } from '../projection.ts';
import { ARCSEC_PER_RADIUS, around, type ProjectionRecord } from './mapping.ts';
import { ofSurface } from './surface.ts';

type Polar = Extract<Projection, { readonly kind: 'polar' }>;

/** The equator in a polar view, solar radii: a quarter of a great circle. */
const POLAR_REACH = Math.PI / 2;

/** The place from which the Earth's meridian is straight ahead. */
const MERIDIAN = { latitude: 0, longitude: 0 };

const sign = ({ pole }: Polar) => (pole === 'north' ? 1 : -1);

/** Directions from the pole: longitude 0 is down from the north pole, up from the south pole. */
const aroundPole = (up: number): Pick<Parameters<typeof ofSurface>[0], 'screenOf' | 'sunAt'> => ({
  screenOf: ({ x, y, z }) => {
    const reach = Math.atan2(Math.hypot(x, z), up * y);
    if (reach > POLAR_REACH) return null;
    const scale = (ARCSEC_PER_RADIUS * reach) / (Math.hypot(x, z) || 1);
    return { x: x * scale, y: up * z * scale };
  },
  sunAt: (points, i, sun) => {
    const x = points[i]!;
    const y = points[i + 1]!;
    const reach = Math.hypot(x, y) / ARCSEC_PER_RADIUS;
    const scale = reach > POLAR_REACH ? Number.NaN : Math.sin(reach) / (Math.hypot(x, y) || 1);
    sun[0] = x * scale;
    sun[1] = up * Math.cos(reach);
    sun[2] = up * y * scale;
  },
});

export const POLAR: ProjectionRecord<Polar> = {
  description: '`polar,north` or `polar,south`: azimuthal equidistant around a pole, to the equator, west to the right.',
  mapping: (projection, observer) => ofSurface({ above: MERIDIAN, ...aroundPole(sign(projection)) }, observer),
  sides: () => around(ARCSEC_PER_RADIUS * POLAR_REACH),
  finds: 'sun',
  shader: `  float reach = length(place) / RADIUS;
  vec2 towards = place / max(length(place), 1e-6);
  vec3 sun = vec3(sin(reach) * towards.x, parameter * cos(reach), parameter * sin(reach) * towards.y);
  float shown = edgeAt(reach, ${POLAR_REACH});`,
  parameter: sign,
};

const aboveMap = (l0Degrees: number): Stonyhurst => ({ latitude: 0, longitude: 180 - l0Degrees });

/** A map of Carrington longitude, 180 degrees in its middle, by a height that latitude gives. */
function mapOf<P extends Projection>(
  heightOf: (latitude: number) => number,
  latitudeOf: (height: number) => number,
  most: number,
  shader: string,
): Omit<ProjectionRecord<P>, 'description'> {
  const width = 2 * Math.PI * ARCSEC_PER_RADIUS;
  return {
    mapping: (_, observer) => ({
      ...ofSurface(
        {
          above: aboveMap(observer.l0Degrees),
          screenOf: ({ x, y, z }) => ({
            x: ARCSEC_PER_RADIUS * Math.atan2(x, z),
            y: -ARCSEC_PER_RADIUS * heightOf(Math.atan2(y, Math.hypot(x, z))),
          }),
          sunAt: (points, i, sun) => {
            const longitude = points[i]! / ARCSEC_PER_RADIUS;
            const height = -points[i + 1]! / ARCSEC_PER_RADIUS;
            const isShown = Math.abs(height) <= most && Math.abs(longitude) <= Math.PI;
            const latitude = isShown ? latitudeOf(height) : Number.NaN;
            const across = Math.cos(latitude);
            sun[0] = across * Math.sin(longitude);
            sun[1] = Math.sin(latitude);
            sun[2] = across * Math.cos(longitude);
          },
        },
        observer,
      ),
      width,
    }),
    sides: () => around(width / 2, ARCSEC_PER_RADIUS * most),
    finds: 'sun',
    shader: `  vec2 map = place * vec2(1.0, -1.0) / RADIUS;
  float latitude = ${shader};
  vec3 sun = vec3(cos(latitude) * sin(map.x), sin(latitude), cos(latitude) * cos(map.x));
  float shown = step(abs(map.x), PI) * edgeAt(abs(map.y), ${most.toFixed(9)});`,
    above: (_, l0Degrees) => aboveMap(l0Degrees),
  };
}

const same = (value: number) => value;

export const CARRINGTON: ProjectionRecord<Extract<Projection, { readonly kind: 'carrington' }>> = {
  description: '`carrington`: Carrington longitude by latitude, 180 degrees in the middle.',
  ...mapOf(same, same, Math.PI / 2, 'map.y'),
};

export const CEA: ProjectionRecord<Extract<Projection, { readonly kind: 'cea' }>> = {
  description: '`cea`: Carrington longitude by the sine of the latitude, of equal areas.',
  ...mapOf(Math.sin, Math.asin, 1, 'asin(clamp(map.y, -1.0, 1.0))'),
};

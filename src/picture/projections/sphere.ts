// The Sun as an observer above another place sees it: its surface alone, or with what is beside it as the planes of the images' observers.
import type { Observer } from '../../sun/coordinates/observer.ts';
import { limbRadius } from '../../sun/coordinates/picture-plane.ts';
import type { SunVector, Viewpoint } from '../../sun/coordinates/sphere.ts';
import type { Projection, Sphere } from '../projection.ts';
import { ARCSEC_PER_RADIUS, around, frameOf, type Mapping, type ProjectionRecord, viewpointOf } from './mapping.ts';
import { between, eyeRadii, into, nearPointFrom, nearPoints, ofSurface, planeOf } from './surface.ts';

/** Space around the disk, in parts of its radius. */
const MARGIN = 0.04;
/** Cosine of the angle between two observers beyond which the plane of the one is too oblique for the other: 80 degrees. */
const LEAST_COSINE = 0.174;

/** Points beside the Sun, on the plane of the sky of the observer of an image, as a viewer sees them. */
function beside(viewer: Viewpoint, eye: number, observer: Observer): Pick<Mapping, 'ofPlane' | 'toPlane'> {
  const [from, to] = [frameOf(viewer), frameOf(viewpointOf(observer))];
  const [turn, back] = [between(from, to), between(to, from)];
  const nothing = () => null;
  const nearPoint = nearPointFrom(eye);
  const seenFrom = into(turn, { x: 0, y: 0, z: eye });
  if (Math.abs(seenFrom.z) < LEAST_COSINE * eye) return { ofPlane: nothing, toPlane: nothing };
  return {
    ofPlane: ({ x, y }) => {
      const seen = into(back, { x: x / ARCSEC_PER_RADIUS, y: -y / ARCSEC_PER_RADIUS, z: 0 });
      const nearness = ARCSEC_PER_RADIUS / (1 - seen.z / eye);
      const screen = { x: seen.x * nearness, y: -seen.y * nearness };
      const near = nearPoint(screen);
      return Math.hypot(x, y) < ARCSEC_PER_RADIUS || seen.z >= eye || (near && seen.z < near.z) ? null : screen;
    },
    toPlane: (screen) => {
      const through = into(turn, { x: screen.x / ARCSEC_PER_RADIUS, y: -screen.y / ARCSEC_PER_RADIUS, z: 0 });
      const way = seenFrom.z / (seenFrom.z - through.z);
      const x = (seenFrom.x + way * (through.x - seenFrom.x)) * ARCSEC_PER_RADIUS;
      const y = -(seenFrom.y + way * (through.y - seenFrom.y)) * ARCSEC_PER_RADIUS;
      const near = nearPoint(screen);
      const isHidden = near !== null && eye * (1 - way) < near.z;
      return !(way > 0) || x * x + y * y < ARCSEC_PER_RADIUS * ARCSEC_PER_RADIUS || isHidden ? null : { x, y };
    },
  };
}

const ofSphere = (above: Viewpoint, observer: Observer, distanceRadii: number, horizon?: number): Mapping => {
  const eye = eyeRadii(above, distanceRadii);
  const screenOf = (sun: SunVector) => planeOf(sun, eye);
  const surface = ofSurface({ above, screenOf, sunAt: nearPoints(eye), ...(horizon === undefined ? {} : { horizon }) }, observer);
  return { ...surface, disc: limbRadius({ distanceRadii: eye }) };
};

const NEAR = `  vec2 p = place * vec2(1.0, -1.0) / RADIUS;
  float p2 = dot(p, p);
  float under = 1.0 - p2 * (1.0 - 1.0 / (parameter * parameter));
  float z = parameter * (p2 + parameter * sqrt(max(under, 0.0))) / (p2 + parameter * parameter);
  vec3 sun = vec3(p * (1.0 - z / parameter), z);`;

export const SPHERE: ProjectionRecord<Sphere> = {
  description: '`sphere,<longitude>,<latitude>`: the surface as seen from above a place, north up; a distance in au may follow.',
  mapping: ofSphere,
  sides: (_, _reach, projection, distanceRadii) =>
    around((1 + MARGIN) * limbRadius({ distanceRadii: eyeRadii(projection, distanceRadii) })),
  finds: 'sun',
  shader: `${NEAR}
  float shown = edgeAt(length(p), inversesqrt(1.0 - 1.0 / (parameter * parameter)));`,
  parameter: eyeRadii,
  above: (projection) => projection,
};

const NOWHERE: Viewpoint = { latitude: 0, longitude: 0 };

export const OBSERVER: ProjectionRecord<Extract<Projection, { readonly kind: 'observer' }>> = {
  description: '`observer,<name>`: the plane as another observer of `getSolarBodies` sees it.',
  mapping: ({ from }, observer, distanceRadii) => {
    // Up to the plane of the sky, where what is beside the Sun begins.
    const surface = ofSphere(from ?? NOWHERE, observer, distanceRadii, 0);
    const nearPoint = nearPointFrom(observer.distanceRadii);
    const space = beside(from ?? NOWHERE, eyeRadii(from ?? NOWHERE, distanceRadii), observer);
    return {
      ...surface,
      ofPlane: (point) => (nearPoint(point) ? surface : space).ofPlane(point),
      toPlane: (screen) => surface.toPlane(screen) ?? space.toPlane(screen),
      toPlanes: (points) => {
        const screen = points.slice();
        surface.toPlanes(points);
        for (let i = 0; i < points.length; i += 2) {
          if (!Number.isNaN(points[i]!)) continue;
          const place = space.toPlane({ x: screen[i]!, y: screen[i + 1]! });
          points[i] = place?.x ?? Number.NaN;
          points[i + 1] = place?.y ?? Number.NaN;
        }
      },
    };
  },
  // Perspective enlarges what is nearer than the Sun, at most by half.
  sides: (_, reach, { from }, distanceRadii) =>
    around(reach / Math.max(1 - reach / ARCSEC_PER_RADIUS / eyeRadii(from ?? NOWHERE, distanceRadii), 2 / 3)),
  finds: 'space',
  shader: `${NEAR}
  float shown = 1.0;`,
  parameter: ({ from }, distanceRadii) => eyeRadii(from ?? NOWHERE, distanceRadii),
  above: ({ from }) => from ?? NOWHERE,
};

/** What a layer shows of a line of sight: the Sun where its observer `i` sees it too, else that observer's plane of the sky. */
export const SPACE_SHADER = `vec3 inSpace(vec3 sun, vec2 p, float under, mat3 turn, float distance) {
  vec3 seen = turn * sun;
  if (under >= 0.0 && seen.z >= 0.0) return vec3(seen.xy / (1.0 - seen.z / distance), 1.0);
  vec3 eye = turn * vec3(0.0, 0.0, parameter);
  vec3 through = turn * vec3(p, 0.0);
  float way = eye.z / (eye.z - through.z);
  vec2 at = mix(eye.xy, through.xy, way);
  bool isSeen = way > 0.0 && length(at) >= 1.0 && abs(eye.z) >= ${LEAST_COSINE} * parameter && (under < 0.0 || parameter * (1.0 - way) >= sun.z);
  return vec3(at, isSeen ? 1.0 : 0.0);
}`;

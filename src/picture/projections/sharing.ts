// Layers of several observers on one Sun: which of them share places, and how well each sees a place. The shader of the page has the same weights.
import { areOfOneLine } from '../../sun/catalogue/datasource.ts';
import { type Observer, RADIANS_PER_DEGREE, separationDegrees } from '../../sun/coordinates/observer.ts';
import type { PlanePoint } from '../../sun/coordinates/picture-plane.ts';
import { FADING_MU2, fadedWeight, LEAST_MU2, mu2Of } from '../../sun/maps/surface-strip.ts';
import type { Layer } from '../layers.ts';
import { operationsOf } from '../operations/operations.ts';
import { pictureKey } from '../picture.ts';
import type { Projection } from '../projection.ts';
import { PROJECTIONS, recordOf } from './projections.ts';
import { nearPointFrom } from './surface.ts';

interface SeenLayer extends Omit<Layer, 'isVisible' | 'sourceId'> {
  /** Name of the source, as `AIA 193`. */
  readonly name: string;
  /** Where its image was taken from; null where that is not known yet. */
  readonly observer: Observer | null;
}

/** Least angle between observers that are apart, degrees: SOHO and the Earth are within it. */
export const LEAST_SEPARATION = 1;

/** Whether two opaque layers show images of one line in one way. */
function areAlike(a: SeenLayer, b: SeenLayer): boolean {
  const wavelength = ({ name }: SeenLayer) => name.split(' ').at(-1);
  const isOpaque = ({ opacity, blend }: SeenLayer) => opacity === 100 && !blend;
  const isOneWay = pictureKey(operationsOf(a)) === pictureKey(operationsOf(b));
  return areOfOneLine(wavelength(a), wavelength(b)) && isOneWay && isOpaque(a) && isOpaque(b);
}

const areApart = ({ observer: a }: SeenLayer, { observer: b }: SeenLayer) =>
  !a || !b || separationDegrees(a, b) >= LEAST_SEPARATION;

/**
 * For each layer the numbers of the layers next below with which it shares places.
 * @param layers From the bottom to the top
 */
export function sharedBelow(layers: readonly SeenLayer[], projection: Projection): readonly (readonly number[])[] {
  if (recordOf(projection).finds === 'plane') return layers.map(() => []);
  return layers.map((layer, i) => {
    const other = layers.slice(0, i).findLastIndex((below) => !areAlike(layer, below) || !areApart(layer, below));
    return [...layers.keys()].slice(other + 1, i);
  });
}

/** Beside the Sun a plane of the sky is better by this power of the cosine of the angle at which it is seen, and always less than a surface. */
const BESIDE = { power: 8, most: 1e-6 };

/** Weight at the limb, before the view fades in, as a share of that of maps. */
const AT_LIMB = 1e-3;

/** The weight of what an observer sees beside the Sun. */
export function weightBeside(observer: Observer, projection: Projection): number {
  const viewer = projection.kind === 'observer' ? projection.from : null;
  const away = viewer ? separationDegrees(observer, { b0Degrees: viewer.latitude, longitudeDegrees: viewer.longitude }) : 0;
  return BESIDE.most * Math.max(0, Math.cos(away * RADIANS_PER_DEGREE)) ** BESIDE.power;
}

/** How well an observer sees a point of its plane. */
export function weightFrom(observer: Observer, projection: Projection): (seen: PlanePoint | null) => number {
  const beside = weightBeside(observer, projection);
  const nearPoint = nearPointFrom(observer.distanceRadii);
  return (seen) => {
    if (!seen) return 0;
    const near = nearPoint(seen);
    if (!near) return beside;
    const mu2 = mu2Of(near.z, observer.distanceRadii);
    return fadedWeight(mu2) + AT_LIMB * mu2 + BESIDE.most;
  };
}

/** Pixels between places for which weights are computed. */
export const WEIGHT_STEP = 8;

/** The weight of a place for the shader, between nodes as in pictures of the service. `nodes`: the corner of the picture, and arcseconds between nodes. */
export const weightShader = (kind: Projection['kind']): string => `uniform vec3 nodes;
float weightAt(vec2 place, int i) {
${PROJECTIONS[kind].shader}
  float away = distances[i];
  vec3 seen = turns[i] * sun;
  if (${PROJECTIONS[kind].finds === 'space' ? 'under < 0.0 || seen.z < 0.0) return besides[i] * inSpace(sun, p, under, turns[i], away).z' : 'shown < 0.5 || seen.z * away < 1.0) return 0.0'};
  float facing = max(seen.z * away - 1.0, 0.0);
  float mu2 = facing * facing / (away * away + 1.0 - 2.0 * away * seen.z);
  return mu2 * (smoothstep(${LEAST_MU2}, ${LEAST_MU2 + FADING_MU2}, mu2) + ${AT_LIMB}) + ${BESIDE.most};
}
float weightOf(int i) {${PROJECTIONS[kind].finds === 'space' ? '\n  if (length(place) > RADIUS * inversesqrt(1.0 - 1.0 / (parameter * parameter))) return weightAt(place, i);' : ''}
  vec2 part = (place - nodes.xy) / nodes.z;
  float weight = 0.0;
  for (int k = 0; k < 4; k++) {
    vec2 next = vec2(k & 1, k >> 1);
    vec2 share = mix(1.0 - fract(part), fract(part), next);
    weight += share.x * share.y * weightAt(nodes.xy + (floor(part) + next) * nodes.z, i);
  }
  return weight;
}`;

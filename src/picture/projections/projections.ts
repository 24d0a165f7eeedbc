// The table of projections.
import type { Observer } from '../../sun/coordinates/observer.ts';
import type { Region } from '../../sun/coordinates/picture-plane.ts';
import type { Projection, ProjectionKind } from '../projection.ts';
import { RADIAL, UNWRAPPED } from './limb.ts';
import { type Mapping, PLANE, type ProjectionRecord } from './mapping.ts';
import { CARRINGTON, CEA, POLAR } from './maps.ts';
import { OBSERVER, SPHERE } from './sphere.ts';

type Records = { readonly [K in ProjectionKind]: ProjectionRecord<Extract<Projection, { readonly kind: K }>> };

export const PROJECTIONS: Records = {
  plane: PLANE,
  sphere: SPHERE,
  unwrapped: UNWRAPPED,
  polar: POLAR,
  radial: RADIAL,
  carrington: CARRINGTON,
  cea: CEA,
  observer: OBSERVER,
};

export const recordOf = ({ kind }: Projection): ProjectionRecord => PROJECTIONS[kind] as ProjectionRecord;

/**
 * Where a projection shows what an observer sees. Maps have the Carrington longitudes of the observer's time.
 * @param distanceRadii That from which a sphere without a distance is seen: of the observer of the lowest layer
 */
export const mappingOf = (projection: Projection, observer: Observer, distanceRadii = observer.distanceRadii): Mapping =>
  recordOf(projection).mapping(projection, observer, distanceRadii);

/** A projection, with the distance of the observer of what it shows. */
export interface Projected extends Pick<Observer, 'distanceRadii'> {
  readonly projection: Projection;
}

const reachOf = ({ left, top, right, bottom }: Region) => [Math.max(-left, right), Math.max(-top, bottom)] as const;

/** The part of the screen plane for a part of a picture: up to its farther sides, but not to its corners. */
export const sidesOf = ({ projection, distanceRadii }: Projected, picture: Region): Region =>
  recordOf(projection).sides(picture, Math.max(...reachOf(picture)), projection, distanceRadii);

/** The part of the screen plane that shows something of a part of a picture. */
export const shownSides = ({ projection, distanceRadii }: Projected, picture: Region): Region =>
  recordOf(projection).sides(picture, Math.hypot(...reachOf(picture)), projection, distanceRadii);

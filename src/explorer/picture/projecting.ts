// Projections on the page, of which all but the plane load with what draws pictures, and places of events on their screen plane.
import { signal } from '@preact/signals';
import type { Projection } from '../../picture/projection.ts';
import { type Mapping, planeMapping, type Sides } from '../../picture/projections/mapping.ts';
import type * as Projections from '../../picture/projections/projections.ts';
import { type Observer, pictureObserver } from '../../sun/coordinates/observer.ts';
import { locationAt, type PlanePoint } from '../../sun/coordinates/picture-plane.ts';

/** Null before anything has been drawn in another projection than the plane. */
export const projections = signal<Pick<typeof Projections, 'mappingOf' | 'sidesOf'> | null>(null);

export const mappingOf = (projection: Projection, observer: Observer): Mapping | null =>
  projection.kind === 'plane' ? planeMapping(observer) : (projections.value?.mappingOf(projection, observer) ?? null);

export const sidesOf = (projected: Projections.Projected, picture: Sides): Sides =>
  projections.value?.sidesOf(projected, picture) ?? picture;

/** A place of an event, which is one of the plane of the Earth's observer at a time, on the screen plane. `y` to the NORTH. */
export function eventPoint(
  { x, y }: PlanePoint,
  atMs: number,
  { projection, mapping }: { readonly projection: Projection; readonly mapping: Mapping | null },
): PlanePoint | null {
  const point = { x, y: -y };
  if (projection.kind === 'plane') return point;
  if (mapping?.isOfPicture) return mapping.ofPlane(point);
  const location = locationAt(point, pictureObserver(atMs));
  return location && (mapping?.screenOf(location) ?? null);
}

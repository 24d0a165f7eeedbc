// Places of events on the screen plane of a projection.
import type { Projection } from '../../picture/projection.ts';
import type { Mapping } from '../../picture/projections/mapping.ts';
import { pictureObserver } from '../../sun/coordinates/observer.ts';
import { locationAt, type PlanePoint } from '../../sun/coordinates/picture-plane.ts';

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

// Projections on the page, which load with the first that is not the plane, and places of events on their screen plane.
import { signal } from '@preact/signals';
import type { Projection, ProjectionKind } from '../../picture/projection.ts';
import { type Mapping, PLANE, type ProjectionRecord } from '../../picture/projections/mapping.ts';
import type { Projected } from '../../picture/projections/projections.ts';
import { type Observer, pictureObserver } from '../../sun/coordinates/observer.ts';
import { locationAt, type PlanePoint, type Region } from '../../sun/coordinates/picture-plane.ts';
import type * as Projections from '../motion/projected.ts';

/** Null before the first projection other than the plane. */
export const projections = signal<typeof Projections | null>(null);

/** Loads what a projection needs to be drawn. */
export async function loadProjection({ kind }: Projection): Promise<void> {
  if (kind !== 'plane') projections.value ??= await import('../motion/projected.ts');
}

/** The record of a projection that has been loaded. */
export const recordOf = (kind: ProjectionKind): ProjectionRecord =>
  kind === 'plane' ? PLANE : (projections.value!.PROJECTIONS[kind] as ProjectionRecord);

/** Null for a projection that has not been loaded. */
export const mappingOf = (projection: Projection, observer: Observer, distanceRadii = observer.distanceRadii): Mapping | null => {
  const { kind } = projection;
  return kind === 'plane' || projections.value ? recordOf(kind).mapping(projection, observer, distanceRadii) : null;
};

export const sidesOf = (projected: Projected, picture: Region): Region =>
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

// Projections on the page: all but the plane load with what draws pictures.
import { signal } from '@preact/signals';
import type { Projection } from '../../picture/projection.ts';
import { type Mapping, planeMapping, type Sides } from '../../picture/projections/mapping.ts';
import type * as Projections from '../../picture/projections/projections.ts';
import type { Observer } from '../../sun/coordinates/observer.ts';

/** Null before anything has been drawn in another projection than the plane. */
export const projections = signal<Pick<typeof Projections, 'mappingOf' | 'sidesOf'> | null>(null);

export const mappingOf = (projection: Projection, observer: Observer): Mapping | null =>
  projection.kind === 'plane' ? planeMapping(observer) : (projections.value?.mappingOf(projection, observer) ?? null);

export const sidesOf = (projected: Projections.Projected, picture: Sides): Sides =>
  projections.value?.sidesOf(projected, picture) ?? picture;

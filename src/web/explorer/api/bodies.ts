// Planets and probes near the Sun, as the observer of an image sees them.
import type { Schemas } from '../../../../clients/typescript/operations.ts';
import { bodyName } from '../../../domain/bodies/names.ts';
import type { ObserverName } from '../../../domain/bodies/solar-system.ts';
import { type PlanePoint, planePointOf } from '../../../domain/coordinates/picture-plane.ts';
import { call } from './request.ts';

export interface SeenBody {
  readonly name: string;
  /** In the plane of the picture, arcseconds as seen from 1 au, y downward. */
  readonly at: PlanePoint;
  /** Apparent arcseconds, x to the west, y to the north. */
  readonly x: number;
  readonly y: number;
  /** Whether it is farther away than the Sun. */
  readonly isBehind: boolean;
}

export interface SeenBodies {
  readonly bodies: readonly SeenBody[];
  readonly trajectories: readonly { readonly name: string; readonly points: readonly Pick<SeenBody, 'at' | 'isBehind'>[] }[];
}

type Position = Schemas['BodyPosition'];

function seenAt({ x, y, distance_sun_to_observer_au, behind_plane_of_sun }: Position) {
  return { x, y, at: planePointOf({ x, y }, distance_sun_to_observer_au), isBehind: behind_plane_of_sun === 'True' };
}

/** @throws as `call` */
export async function solarBodies(observer: ObserverName, atMs: number, signal: AbortSignal): Promise<SeenBodies> {
  const body = await call('getSolarBodies', { time: atMs, observers: observer }, signal);
  const [labels, trajectories] = [body.labels[observer] ?? {}, body.trajectories[observer] ?? {}];
  return {
    bodies: Object.entries(labels).flatMap(([name, position]) =>
      position ? [{ name: bodyName(name), ...seenAt(position) }] : [],
    ),
    trajectories: Object.entries(trajectories).map(([name, points]) => ({
      name: bodyName(name),
      points: Object.values(points).map(seenAt),
    })),
  };
}

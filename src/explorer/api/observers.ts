// The places of planets and spacecraft as observers.
import { MINUTE_MS } from '../../platform/util/durations.ts';
import type { Viewpoint } from '../../sun/coordinates/sphere.ts';
import { call } from './request.ts';

/** Time for which the places of observers are taken to be the same: none moves by more than a twentieth of a degree. */
const STEP_MS = 10 * MINUTE_MS;

/** The places of those from which the Sun may be seen, by name. @throws as `call` */
export async function observerPlaces(atMs: number, signal?: AbortSignal): Promise<ReadonlyMap<string, Required<Viewpoint>>> {
  const time = Math.floor(atMs / STEP_MS) * STEP_MS;
  const { places } = await call('getSolarBodies', { time, observers: 'earth' }, signal);
  return new Map(Object.entries(places).map(([name, { distance_au, ...at }]) => [name, { ...at, distanceAu: distance_au }]));
}

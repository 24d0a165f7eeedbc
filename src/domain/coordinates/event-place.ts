// Position of an event in an image: rotated with the Sun since its measurement, for an observer at 1 au.
import type { EventPlace } from '../events/solar-event.ts';
import { earthAt } from './ephemeris.ts';
import { earthObserver, type Helioprojective, isInFront, pictureObserver, seenAt, surfacePoint } from './helioprojective.ts';
import { rotation, type Stonyhurst, stonyhurstOf, vectorOf } from './stonyhurst.ts';

export interface PlacedEvent extends Helioprojective {
  /** Whether it is beside the Sun or on its visible hemisphere. */
  readonly isVisible: boolean;
}

/** Scales a direction beside the Sun from the distance of the Earth to 1 au. No rotation applies there. */
export function scaledToAu({ x, y }: Helioprojective, seenAtMs: number): Helioprojective {
  const { distanceAu } = earthAt(seenAtMs);
  return { x: x * distanceAu, y: y * distanceAu };
}

/** Position of a location on the Sun after rotation. */
function rotated(location: Stonyhurst, fromMs: number, atMs: number): PlacedEvent {
  const observer = pictureObserver(atMs);
  const point = vectorOf(rotation(fromMs, atMs)(location), observer.b0Degrees);
  return { ...seenAt(point, observer), isVisible: isInFront(point, observer) };
}

/** Position of an event at a time, for an observer at exactly 1 au in the direction of the Earth. */
export function placeAt(place: EventPlace, atMs: number): PlacedEvent {
  if (place.kind === 'stonyhurst') return rotated(place, place.atMs, atMs);
  const observer = earthObserver(place.atMs);
  const point = surfacePoint(place, observer);
  if (!point) return { ...scaledToAu(place, place.atMs), isVisible: true };
  return rotated(stonyhurstOf(point, observer.b0Degrees), place.atMs, atMs);
}

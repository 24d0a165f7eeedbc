// Position of an event in an image: rotated with the Sun since its measurement, for an observer at 1 au.
import type { EventPlace } from '../events/solar-event.ts';
import { earthAt } from './ephemeris.ts';
import {
  earthObserver,
  type Helioprojective,
  isInFront,
  type Observer,
  pictureObserver,
  seenAt,
  surfacePoint,
} from './helioprojective.ts';
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

/** Heliographic coordinates of a place, or null beside the Sun. */
function onTheSun(place: EventPlace): Stonyhurst | null {
  if (place.kind === 'stonyhurst') return place;
  const observer = earthObserver(place.atMs);
  const point = surfacePoint(place, observer);
  return point && stonyhurstOf(point, observer.b0Degrees);
}

function projected(place: Stonyhurst, observer: Observer): PlacedEvent {
  const point = vectorOf(place, observer.b0Degrees);
  return { ...seenAt(point, observer), isVisible: isInFront(point, observer) };
}

/** Position of an event at a time, for an observer at exactly 1 au in the direction of the Earth. */
export function placeAt(place: EventPlace, atMs: number): PlacedEvent {
  const from = onTheSun(place);
  if (from) return projected(rotation(place.atMs, atMs)(from), pictureObserver(atMs));
  return { ...scaledToAu(place as Extract<EventPlace, { kind: 'helioprojective' }>, place.atMs), isVisible: true };
}

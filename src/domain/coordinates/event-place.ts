// Where an event is in a picture: turned with the Sun since it was seen, and as from 1 au.
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
import { rotation } from './rotation.ts';
import { type Stonyhurst, stonyhurstOf, vectorOf } from './stonyhurst.ts';

export interface PlacedEvent extends Helioprojective {
  /** Whether it is beside the Sun or on the side that the Earth sees. */
  readonly isVisible: boolean;
}

/** A direction beside the Sun as it is from the Earth, for those at 1 au: nothing there rotates. */
export function scaledToAu({ x, y }: Helioprojective, seenAtMs: number): Helioprojective {
  const { distanceAu } = earthAt(seenAtMs);
  return { x: x * distanceAu, y: y * distanceAu };
}

/** The place on the Sun, or null beside it. */
function onTheSun(place: EventPlace): Stonyhurst | null {
  if (place.kind === 'stonyhurst') return place;
  const observer = earthObserver(place.atMs);
  const point = surfacePoint(place, observer);
  return point && stonyhurstOf(point, observer.b0Degrees);
}

function seenOnTheSun(place: Stonyhurst, observer: Observer): PlacedEvent {
  const point = vectorOf(place, observer.b0Degrees);
  return { ...seenAt(point, observer), isVisible: isInFront(point, observer) };
}

/** Where an event is at a time for an observer at exactly 1 au in the direction of the Earth. */
export function placeAt(place: EventPlace, atMs: number): PlacedEvent {
  const from = onTheSun(place);
  if (from) return seenOnTheSun(rotation(place.atMs, atMs)(from), pictureObserver(atMs));
  return { ...scaledToAu(place as Extract<EventPlace, { kind: 'helioprojective' }>, place.atMs), isVisible: true };
}

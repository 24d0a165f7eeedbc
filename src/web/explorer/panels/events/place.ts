// Places of events in the words of forecasters.
import { pictureObserver } from '../../../../domain/coordinates/observer.ts';
import { locationAt } from '../../../../domain/coordinates/picture-plane.ts';
import type { Stonyhurst } from '../../../../domain/coordinates/sphere.ts';
import type { SolarEvent } from '../../api/events.ts';

export const locationOf = ({ x, y, atMs, isVisible }: SolarEvent): Stonyhurst | null =>
  isVisible ? locationAt({ x, y: -y }, pictureObserver(atMs)) : null;

/** `N17W52`: degrees from the equator and from the meridian that faces the Earth; empty beyond the disk. */
export function placeInWords(event: SolarEvent): string {
  const at = locationOf(event);
  const side = (degrees: number, sides: string) =>
    sides[degrees < 0 ? 1 : 0] + String(Math.abs(Math.round(degrees))).padStart(2, '0');
  return at ? side(at.latitude, 'NS') + side(at.longitude, 'WE') : '';
}

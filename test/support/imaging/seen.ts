// Where observers see places on the Sun, by spherical trigonometry that does not use the code under test.
export const RADIANS = Math.PI / 180;
export const AU_METRES = 149_597_870_700;
export const RADIUS_METRES = 695_700_000;
/** Arcseconds of a solar radius in a plane at 1 au. */
export const RADIUS = (RADIUS_METRES / AU_METRES / RADIANS) * 3600;

/** Degrees. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Angular distance from one place to another, and the direction there from north to the west; radians. */
export function wayTo(from: Place, to: Place): { readonly distance: number; readonly bearing: number } {
  const [a, b, away] = [from.latitude * RADIANS, to.latitude * RADIANS, (to.longitude - from.longitude) * RADIANS];
  const cosine = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(away);
  const bearing = Math.atan2(
    Math.sin(away) * Math.cos(b),
    Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(away),
  );
  return { distance: Math.acos(Math.min(1, Math.max(-1, cosine))), bearing };
}

/** Where an observer above a place sees another one: arcseconds in the plane of the Sun's centre as seen from 1 au, y down. */
export function seen(above: Place, place: Place, distanceRadii: number): { readonly x: number; readonly y: number } {
  const { distance, bearing } = wayTo(above, place);
  const reach = (RADIUS * Math.sin(distance) * distanceRadii) / (distanceRadii - Math.cos(distance));
  return { x: reach * Math.sin(bearing), y: -reach * Math.cos(bearing) };
}

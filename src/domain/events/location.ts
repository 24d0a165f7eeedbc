// Places on the Sun as observers write them.

const LOCATION = /^\s*([NS])\s*(\d{1,2}(?:\.\d+)?)\s*([EW])\s*(\d{1,3}(?:\.\d+)?)\s*$/i;

/** Degrees, north and west. */
export interface Location {
  readonly latitude: number;
  readonly longitude: number;
}

/** A latitude and a longitude that exist, else null. */
export function locationOf(latitude: number | null, longitude: number | null): Location | null {
  if (latitude === null || longitude === null) return null;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

/** `N10E20`, `S07W101`, `n5 e3`: Stonyhurst; null for anything else. */
export function parseLocation(text: string): Location | null {
  const match = LOCATION.exec(text);
  if (!match) return null;
  const degrees = (digits: string, hemisphere: string, positive: string) =>
    hemisphere.toUpperCase() === positive ? Number(digits) : -Number(digits);
  return locationOf(degrees(match[2]!, match[1]!, 'N'), degrees(match[4]!, match[3]!, 'W'));
}

/** `N10E20`, of degrees without decimals. */
export function printLocation({ latitude, longitude }: Location): string {
  const part = (degrees: number, letters: string) =>
    `${letters[degrees < 0 ? 1 : 0]}${String(Math.round(Math.abs(degrees))).padStart(2, '0')}`;
  return part(latitude, 'NS') + part(longitude, 'WE');
}

// Coordinates in the text formats of the sources: heliographic locations of DONKI, and outlines of the HEK.

const LOCATION = /^\s*([NS])\s*(\d{1,2}(?:\.\d+)?)\s*([EW])\s*(\d{1,3}(?:\.\d+)?)\s*$/i;

/** Stonyhurst coordinates, degrees north and west. */
export interface Location {
  readonly latitude: number;
  readonly longitude: number;
}

/** The location, or null for missing values and values out of range. */
export function locationOf(latitude: number | null, longitude: number | null): Location | null {
  if (latitude === null || longitude === null) return null;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

/** Parses `N10E20`, `S07W101`, `n5 e3`; null for anything else. */
export function parseLocation(text: string): Location | null {
  const match = LOCATION.exec(text);
  if (!match) return null;
  const degrees = (digits: string, hemisphere: string, positive: string) =>
    hemisphere.toUpperCase() === positive ? Number(digits) : -Number(digits);
  return locationOf(degrees(match[2]!, match[1]!, 'N'), degrees(match[4]!, match[3]!, 'W'));
}

/** `N10E20`, rounded to degrees. */
export function printLocation({ latitude, longitude }: Location): string {
  const part = (degrees: number, letters: string) =>
    `${letters[degrees < 0 ? 1 : 0]}${String(Math.round(Math.abs(degrees))).padStart(2, '0')}`;
  return part(latitude, 'NS') + part(longitude, 'WE');
}

type Point = readonly [x: number, y: number];

/** Rings per outline: the holes and islands of a coronal hole are rings of their own. */
const MAX_RINGS = 12;
/** Vertices per ring; SPoCA has several hundred. */
const MAX_POINTS = 600;
const MIN_POINTS = 3;

/** Arcseconds beyond which a vertex is an error: 30 solar radii, the field of view of LASCO C3. */
const FARTHEST_ARCSEC = 30_000;

function pointOf(text: string): Point | null {
  const [x, y, ...rest] = text.trim().split(/\s+/).map(Number);
  if (x === undefined || y === undefined || rest.length > 1) return null;
  return Math.abs(x) <= FARTHEST_ARCSEC && Math.abs(y) <= FARTHEST_ARCSEC ? [x, y] : null;
}

/** At most MAX_POINTS vertices at regular steps, because a truncated ring would be another shape. */
function thinned(ring: readonly Point[]): readonly Point[] {
  const step = Math.ceil(ring.length / MAX_POINTS);
  return step > 1 ? ring.filter((_, i) => i % step === 0) : ring;
}

/**
 * The rings of a well-known text, `POLYGON((x y,x y,...))` or MULTIPOLYGON, without the vertex that closes them. Invalid vertices
 * are left out. Arcseconds.
 */
export function parseOutlines(text: string): readonly (readonly Point[])[] {
  if (!/^\s*(MULTI)?POLYGON/i.test(text)) return [];
  const rings = [...text.matchAll(/\(([^()]+)\)/g)].slice(0, MAX_RINGS).map(([, ring]) => {
    const points = ring!
      .split(',')
      .map(pointOf)
      .filter((point) => point !== null);
    const [first, last] = [points[0], points.at(-1)];
    const isClosed = points.length > 1 && first![0] === last![0] && first![1] === last![1];
    return thinned(isClosed ? points.slice(0, -1) : points);
  });
  return rings.filter((ring) => ring.length >= MIN_POINTS);
}

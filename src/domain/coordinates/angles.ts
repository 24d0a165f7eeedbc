export const RADIANS_PER_DEGREE = Math.PI / 180;
export const RADIANS_PER_ARCSEC = RADIANS_PER_DEGREE / 3600;

/** The equivalent angle in [-180, 180), degrees. */
export function wrap180(degrees: number): number {
  return degrees - 360 * Math.floor((degrees + 180) / 360);
}

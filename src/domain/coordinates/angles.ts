export const RADIANS_PER_DEGREE = Math.PI / 180;
export const RADIANS_PER_ARCSEC = RADIANS_PER_DEGREE / 3600;

/** The same angle from -180 to 180, the upper end excluded; degrees. */
export function wrap180(degrees: number): number {
  return degrees - 360 * Math.floor((degrees + 180) / 360);
}

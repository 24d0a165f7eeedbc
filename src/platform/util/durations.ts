// Durations in milliseconds. A day is a UTC day without leap seconds, as in ECMAScript time values.

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Julian day of 1970-01-01T00:00Z, where time values begin. */
export const JULIAN_DAY_OF_1970 = 2_440_587.5;

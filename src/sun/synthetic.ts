// The statement of a header that its picture is not an observation.

/** A time of the richest day of the sample archive: after its strongest flare. */
export const SAMPLE_TIME_MS = Date.UTC(2024, 4, 10, 7);

/** ORIGIN of synthetic images ends with this, as in `helioedge sample (synthetic)`. */
const STATEMENT = /\(synthetic\)$/i;

export const isSynthetic = (fits: ReadonlyMap<string, string>): boolean => STATEMENT.test(fits.get('ORIGIN')?.trim() ?? '');

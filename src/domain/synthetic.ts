// The statement of a header that its picture is not an observation.

/** ORIGIN of synthetic images ends with this, as in `helioedge sample (synthetic)`. */
const STATEMENT = /\(synthetic\)$/i;

export function isSynthetic(fits: ReadonlyMap<string, string>): boolean {
  return STATEMENT.test(fits.get('ORIGIN')?.trim() ?? '');
}

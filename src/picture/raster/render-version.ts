/**
 * Version of all rendered pixels, part of the keys of stored pictures and movies. `npm run bless` raises it when a golden image or a colour
 * table has changed, and test/golden fails until it is raised. Raise it by hand for a change that no golden image shows.
 */
export const RENDER_VERSION = 17;

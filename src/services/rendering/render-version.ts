/** Raised with every change that alters pixels, so that what an older renderer left in the archive is not used any more. */
export const RENDER_VERSION = 3;

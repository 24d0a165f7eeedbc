// Limits of IIIF.

export const IIIF = {
  /** Canvases of a manifest, 0.25 MB. A day with more images has the nearest ones to as many times, a quarter of an hour apart. */
  canvases: 96,
} as const;

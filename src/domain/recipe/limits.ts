// What a recipe may ask for. Limits that a request meets before it is a recipe are in config.ts.

export const RECIPE_LIMITS = {
  /** The interface promises three; clients of the original service send up to five. */
  layers: 5,
  /** Characters of the layers notation: five groups in their longest form take half of it. */
  layersCharacters: 1000,
  /** Longest side of an image in pixels; larger ones get a coarser scale. A strip of 4096 pixels is what an isolate can hold. */
  sidePixels: 4096,
  /**
   * Longest side that may be asked for. Up to eight times too large, three zoom steps, is taken for a field of view at too
   * fine a scale and made coarser; what is beyond is a mistake and refused.
   */
  requestedSidePixels: 32_768,
  /** Arcseconds per pixel as asked for, the same as for a tile. */
  imageScaleArcsecPerPixel: { min: 0.001, max: 100_000 },
  /** Arcseconds from the Sun's centre: 77 times around the sky, still exact to 1e-7 arcseconds as a double. */
  coordinateArcsec: 1e8,
  /** A count of time units back in time: no archive needs more, and it stays an exact number of milliseconds. */
  differenceCount: 1_000_000_000,
} as const;

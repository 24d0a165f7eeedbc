// Limits of a recipe. Those on a request are in src/platform/limits.

export const RECIPE_LIMITS = {
  /** The interface promises three; clients of the original service send up to five. */
  layers: 5,
  /** Characters of the layers notation: five groups in their longest form take half of them. */
  layersCharacters: 1000,
  /** Paths of event_selections, and characters of each. */
  selections: 200,
  selectionCharacters: 600,
  /**
   * Characters of the events in their canonical form, which is stored with every screenshot and movie and charged to its client: 200 paths
   * of the longest, 1200 single events, or every type of event and method of recognition.
   */
  eventsCharacters: 131_072,
  /** Longest side of a picture in pixels; larger ones get a coarser scale, because an isolate can hold a strip this wide. */
  sidePixels: 4096,
  /**
   * Longest side of a request in pixels. A field of view up to eight times too large, three zoom steps, gets a coarser scale;
   * a larger one is refused as a mistake.
   */
  requestedSidePixels: 32_768,
  /** Longest side of a picture in another projection than the plane, which takes three times as long. */
  projectedSidePixels: 2048,
  /** Arcseconds per pixel of a request, for a tile too. At the coarsest scale, every image is smaller than one pixel. */
  imageScaleArcsecPerPixel: { min: 0.001, max: 100_000 },
  /** Arcseconds from the Sun's centre: 77 times around the sky, still exact to 1e-7 arcseconds as a double. */
  coordinateArcsec: 1e8,
  /** Time units of a running difference: more than every archive spans, and exact in milliseconds. The original accepts 64 bits. */
  differenceCount: 1_000_000_000,
} as const;

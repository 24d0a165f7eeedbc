// Limits of HAPI, besides those of lists (images.ts): a data response has as many images as a response of listImages.

export const HAPI = {
  /** Days of a response with counts of events: a year and a month, which the limits of timelines load in some requests where nothing is counted yet. */
  eventDays: 400,
  /** Digits of image ids: sequences of 16 shards stay exact as doubles. */
  idDigits: 16,
  /** Bytes of an address and a path, as at the public server of Helioviewer. */
  textBytes: 255,
} as const;

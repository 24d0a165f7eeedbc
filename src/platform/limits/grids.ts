export const GRIDS = {
  /** Images of a day: of more, the first of each 288 seconds. With 10 kB each, a day has up to 4 MB. */
  imagesOfDay: 300,
  /** Images of a day that are looked at: twice as many as the fastest source has. */
  foundOfDay: 14_000,
  /** Objects that are read at once: the platform opens six connections of a request. */
  readsAtOnce: 6,
  /** Days of a light curve, with an object read for each. */
  days: 400,
  /** Bytes of all days that a light curve reads, compressed: of more, it takes coarser cells. */
  bytes: 64 << 20,
  /** Images of a light curve, some 300 bytes each while it is sent: a year of one each 12 minutes has 44,000. */
  rows: 60_000,
  /** Rows of a light curve that are sent at once: it has been measured by then. */
  pageRows: 500,
  /** Rows of a light curve that is made as a whole: a plot, or a table of FITS. */
  wholeRows: 20_000,
  /** Days without an object that a request makes; it names the others. */
  foldedDays: 2,
  /** Listings in which a request or the clock looks for days whose images have grids. */
  listings: 8,
  /** Bytes of a day that cost a client as much as a pixel of a region. */
  bytesPerPixel: 0.5,
  /** Past days that the clock looks at. */
  clockDays: 7,
} as const;

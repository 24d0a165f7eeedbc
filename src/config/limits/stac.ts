// Limits of STAC.

export const STAC = {
  /** Items of a page unless a request says otherwise; the value that clients expect. */
  items: 10,
  /** The most items of a page, 1.1 MB of JSON. A request for more gets this many, and the address of the next page. */
  maxItems: 500,
  /** The largest number that a request may have for it: that of the STAC API. */
  requestedItems: 10_000,
} as const;

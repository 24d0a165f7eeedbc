// Ports of JPX files. Times are milliseconds since 1970, UTC.

/** A record of a JPX file that a client has caused. */
export interface JpxCharge {
  /** Hashes of the client's address on the days of the budget, that of today first. */
  readonly clients: readonly string[];
  readonly atMs: number;
  readonly bytes: number;
}

export interface JpxCharges {
  /** Charges a client, unless its records since `sinceMs` would then have more bytes. @returns whether it was charged */
  charge(charge: JpxCharge, budget: { readonly sinceMs: number; readonly bytes: number }): Promise<boolean>;
}

// The connection as the browser measures it.

/** Above this round trip, preloading would slow the visible picture. */
const SLOW_RTT_MS = 250;

/** @param roundTripMs Of a request that the page has just made */
export function isSlowLine(roundTripMs = 0): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: { readonly rtt?: number } };
  return Math.max(connection?.rtt ?? 0, roundTripMs) >= SLOW_RTT_MS;
}

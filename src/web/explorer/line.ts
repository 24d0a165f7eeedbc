// The connection as the browser measures it.

/** Round trip from which a line is slow, so that what is not needed yet would take the bandwidth of what is. */
const SLOW_RTT_MS = 250;

interface Connection {
  readonly rtt?: number;
}

export function isSlowLine(): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: Connection };
  return (connection?.rtt ?? 0) >= SLOW_RTT_MS;
}

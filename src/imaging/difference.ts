/**
 * Difference of two pictures of one instrument: 2 * (newer - older + 64), the change clipped to -64 to 63, so that 128 is no
 * change. Overwrites `newer`.
 */
export function subtract(newer: Uint8Array, older: Uint8Array): void {
  for (let i = 0; i < newer.length; i++) {
    const change = (newer[i] as number) - (older[i] as number);
    newer[i] = 2 * (Math.min(63, Math.max(-64, change)) + 64);
  }
}

// Operations on the samples of decoded components.
import type { DecodedComponent } from './jp2/decode.ts';

/** Samples as bytes. Other depths are scaled so that their nominal range becomes 0 to 255. */
export function greyBytes({ samples, precision, signed }: DecodedComponent): Uint8Array {
  if (samples instanceof Uint8Array && precision === 8) return samples;
  const lowest = signed ? -(2 ** (precision - 1)) : 0;
  const factor = 255 / (2 ** precision - 1);
  return Uint8Array.from(samples, (sample) => Math.round((sample - lowest) * factor));
}

/**
 * Difference of two images of one instrument: 2 * (newer - older + 64), with the change clamped to -64..63, so that 128 means no
 * change. Overwrites `newer`.
 */
export function subtract(newer: Uint8Array, older: Uint8Array): void {
  for (let i = 0; i < newer.length; i++) {
    const change = (newer[i] as number) - (older[i] as number);
    newer[i] = 2 * (Math.min(63, Math.max(-64, change)) + 64);
  }
}

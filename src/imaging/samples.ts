// Operations on the samples of decoded components.
import { withCore } from './core/core.ts';
import { bytesAt, placed } from './core/memory.ts';
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
  withCore((core) => {
    const [a, b] = [placed(core, newer), placed(core, older)];
    core.difference(a, b, newer.length);
    newer.set(bytesAt(core, a, newer.length));
  });
}

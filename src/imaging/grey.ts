import type { DecodedComponent } from './jp2/decode.ts';

/** Samples as bytes: those of other depths are scaled so that their nominal range becomes 0 to 255. */
export function greyBytes({ samples, precision, signed }: DecodedComponent): Uint8Array {
  if (samples instanceof Uint8Array && precision === 8) return samples;
  const lowest = signed ? -(2 ** (precision - 1)) : 0;
  const factor = 255 / (2 ** precision - 1);
  return Uint8Array.from(samples, (sample) => Math.round((sample - lowest) * factor));
}

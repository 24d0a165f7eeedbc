// Bytes in the memory of the core, for the jobs of `withCore`.
import { type CoreExports, checkedAddress } from './core.ts';

/** Spare bytes behind every buffer, because the loops work on whole vectors, up to four of them at a time. */
const SPARE_BYTES = 64;

/**
 * Uninitialised room for `bytes` and the spare ones behind them.
 * @throws Jp2Error (too-large)
 */
export function room(core: CoreExports, bytes: number): number {
  return checkedAddress(core.alloc(bytes + SPARE_BYTES));
}

/**
 * Copies an array into the core.
 * @throws Jp2Error (too-large)
 */
export function placed(core: CoreExports, array: ArrayBufferView): number {
  const address = room(core, array.byteLength);
  bytesAt(core, address, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return address;
}

/** A view on the core's memory, which the next allocation may invalidate. */
export function bytesAt({ memory }: CoreExports, address: number, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(memory.buffer, address, length);
}

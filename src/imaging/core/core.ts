// The bridge to the decoder core (wasm/core): types of its exports, and status numbers and traps as errors.
import module from '#core-module';
import { Jp2Error } from '../jp2/errors.ts';
import type { DrawExports } from './draw-exports.ts';

/** Exports of the core. Addresses and counts are plain numbers; a negative result is a status of wasm/core/status.ts. */
export interface CoreExports extends DrawExports {
  readonly memory: WebAssembly.Memory;
  readonly packetBodyLength: WebAssembly.Global;
  reset(): void;
  alloc(bytes: number): number;
  allocZeroed(bytes: number): number;
  mark(): number;
  release(mark: number): void;
  openPrecinct(): number;
  addBand(
    precinct: number,
    orientation: number,
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    log2Width: number,
    log2Height: number,
    bitplanes: number,
  ): number;
  readPacket(precinct: number, layer: number, style: number, start: number, end: number, offset: number, packed: number): number;
  setRanges(table: number, count: number): void;
  decodeBand(
    precinct: number,
    band: number,
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    target: number,
    stride: number,
    roiShift: number,
    style: number,
    reversible: number,
    step: number,
  ): number;
  listBandRanges(
    precinct: number,
    band: number,
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    out: number,
    capacity: number,
  ): number;
  openSynthesis(nL: number, nH: number, oddX: number, rows: number, oddY: number): number;
  setStripe(
    ll: number,
    llStride: number,
    hl: number,
    lh: number,
    hh: number,
    stride: number,
    firstLow: number,
    firstHigh: number,
  ): void;
  setResult(
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    target: number,
    stride: number,
    scale: number,
    shift: number,
    high: number,
  ): void;
  firstStep97(): number;
  lastStep97(): number;
  synthesise97(first: number, last: number): void;
  firstStep53(): number;
  lastStep53(): number;
  synthesise53(first: number, last: number): void;
  inverseRct(p0: number, p1: number, p2: number, count: number): void;
  inverseIct(p0: number, p1: number, p2: number, count: number): void;
  finishBytes(plane: number, count: number, reversible: number, shift: number, high: number, out: number): void;
  finishIntegers(plane: number, count: number, reversible: number, shift: number, low: number, high: number): void;
  copyPlane(
    from: number,
    fromStride: number,
    to: number,
    toStride: number,
    columns: number,
    rows: number,
    reversible: number,
    scale: number,
  ): void;
  decodeQuads(
    from: number,
    length: number,
    w: number,
    h: number,
    flags: number,
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    target: number,
    stride: number,
    reversible: number,
    step: number,
  ): number;
  /** Bytes and flags of the code-block that `transcodeBlock` coded last. */
  quadBytes(): number;
  readonly quadFlags: WebAssembly.Global;
  transcodeBlock(precinct: number, band: number, index: number, style: number): number;
  clearPlane(at: number, stride: number, columns: number, rows: number): void;
}

const STATUS: Record<number, () => Jp2Error> = {
  [-1]: () => new Jp2Error('too-large', 'Expected an image part that fits the decoder memory, got a larger one.'),
  [-2]: () => new Jp2Error('malformed', 'Expected a whole packet header, got one that is cut short.'),
  [-3]: () => new Jp2Error('malformed', 'Expected codeword segment lengths of at most 32 bits, got a longer one.'),
  [-4]: () => new Jp2Error('malformed', 'Expected fewer zero bit-planes in a code-block than its subband has, got as many.'),
  [-5]: () => new Jp2Error('malformed', 'Expected the bytes of a code-block inside the codestream, got an offset outside.'),
  [-6]: () => new Jp2Error('malformed', 'Expected no more coding passes than bit-planes allow, got more.'),
  [-7]: () => new Jp2Error('unsupported', 'Expected at most 30 magnitude bit-planes in a code-block, got more.'),
  [-8]: () => new Jp2Error('malformed', 'Expected the samples of a code-block back from the quad code, got others.'),
  [-9]: () => new Jp2Error('unsupported', 'Expected magnitudes below 2^22 for the quad code, got a larger one.'),
};

/**
 * Returns results from 0 up.
 *
 * @throws Jp2Error for a negative status
 */
export function checked(status: number): number {
  if (status >= 0) return status;
  throw (STATUS[status] ?? (() => new Jp2Error('malformed', 'Expected a decodable codestream.')))();
}

/**
 * Returns addresses other than 0.
 *
 * @throws Jp2Error (too-large) for 0: out of memory
 */
export function checkedAddress(address: number): number {
  return address === 0 ? checked(-1) : address;
}

/** Bytes of memory above which an instance is dropped after use, because WebAssembly memory never shrinks. */
let keptBytes = 24 << 20;

/** Sets the bytes of memory up to which an instance is kept, for programs with more memory than an isolate. */
export function keepCore(bytes: number): void {
  keptBytes = bytes;
}

let instance: CoreExports | null = null;

/** Largest linear memory after a job so far, in bytes; for benches and tests. */
export let peakMemoryBytes = 0;

export function resetPeakMemory(): void {
  peakMemoryBytes = 0;
  instance = null;
}

/**
 * Runs one synchronous job on the shared instance with all of its memory free. After a trap the instance is discarded, so that no
 * state of a malformed stream reaches the next job.
 *
 * @throws Jp2Error (malformed) for a trap
 */
export function withCore<T>(job: (core: CoreExports) => T): T {
  const core = instance ?? (new WebAssembly.Instance(module).exports as unknown as CoreExports);
  instance = null;
  core.reset();
  try {
    const result = job(core);
    instance = core;
    return result;
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError)
      throw new Jp2Error('malformed', 'Expected a decodable codestream, got one that stops the decoder.');
    instance = core;
    throw error;
  } finally {
    const bytes = core.memory.buffer.byteLength;
    peakMemoryBytes = Math.max(peakMemoryBytes, bytes);
    if (bytes > keptBytes) instance = null;
  }
}

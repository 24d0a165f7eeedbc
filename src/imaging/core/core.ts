// The bridge to the decoder core (wasm/core): types of its exports, and status numbers and traps as errors.
import module from '#core-module';
import { Jp2Error } from '../jp2/errors.ts';

/** Exports of the core. Addresses and counts are plain numbers; a negative result is a status of wasm/core/status.ts. */
export interface CoreExports {
  readonly memory: WebAssembly.Memory;
  readonly packetBodyLength: WebAssembly.Global;
  /** Coded bytes of all code-blocks that `decodeBand` has decoded, modulo 2^32. */
  readonly decodedBytes: WebAssembly.Global;
  reset(): void;
  alloc(bytes: number): number;
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
  resampleScratch(width: number, columns: number, yTaps: number): number;
  resample(
    samples: number,
    width: number,
    xStarts: number,
    xWeights: number,
    xGroups: number,
    columns: number,
    yStarts: number,
    yWeights: number,
    yTaps: number,
    rows: number,
    scratch: number,
    out: number,
    stride: number,
  ): void;
  gather(
    samples: number,
    width: number,
    height: number,
    left: number,
    top: number,
    scale: number,
    right: number,
    bottom: number,
    xs: number,
    ys: number,
    count: number,
    sums: number,
    counts: number,
  ): void;
  gathered(sums: number, counts: number, count: number, most: number, out: number, alpha: number): number;
  difference(newer: number, older: number, count: number): void;
  ratio(newer: number, older: number, count: number): void;
  applyAnnuli(
    samples: number,
    columns: number,
    rows: number,
    across: number,
    down: number,
    table: number,
    tableRows: number,
    first: number,
  ): void;
  widenPlane(bytes: number, stride: number, width: number, height: number, out: number): void;
  halveBytes(bytes: number, stride: number, width: number, height: number, out: number): void;
  halvePlane(plane: number, width: number, height: number, out: number): void;
  addScale(
    bytes: number,
    stride: number,
    left: number,
    top: number,
    right: number,
    bottom: number,
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    cells: number,
    width: number,
    height: number,
    side: number,
    weights: number,
    radius: number,
    smooth: number,
    squares: number,
    scratch: number,
    sums: number,
  ): void;
  mgnLevels(bytes: number, sums: number, bright: number, share: number, count: number, out: number): void;
  /** `alpha` 0: opaque. */
  colourPixels(samples: number, alpha: number, colours: number, count: number, out: number): void;
  /** Returns 1 when one of the samples is 0. */
  blackToAlpha(samples: number, count: number): number;
  drawOver(
    samples: number,
    mask: number,
    sampleStride: number,
    colours: number,
    whole: number,
    columns: number,
    rows: number,
    scratch: number,
    rgb: number,
    rgbStride: number,
  ): void;
  drawAdded(
    samples: number,
    mask: number,
    sampleStride: number,
    light: number,
    columns: number,
    rows: number,
    scratch: number,
    rgb: number,
    rgbStride: number,
  ): void;
  filterRows(above: number, pixels: number, rowBytes: number, rows: number, size: number, out: number): void;
  adler32(sum: number, bytes: number, count: number): number;
  jpegTokens(
    pixels: number,
    width: number,
    rows: number,
    stride: number,
    components: number,
    factors: number,
    order: number,
    planes: number,
    lastDc: number,
    counts: number,
    tokens: number,
  ): number;
  jpegSimilarity(
    pixels: number,
    width: number,
    rows: number,
    stride: number,
    factors: number,
    steps: number,
    planes: number,
  ): number;
  jpegBits(tokens: number, count: number, codes: number, pending: number, out: number): number;
  toYuv420(rgb: number, columns: number, rows: number, y: number, cb: number, cr: number, scratch: number): void;
}

const STATUS: Record<number, () => Jp2Error> = {
  [-1]: () => new Jp2Error('too-large', 'This part of the image does not fit the memory of the decoder.'),
  [-2]: () => new Jp2Error('malformed', 'A packet header is cut short.'),
  [-3]: () => new Jp2Error('malformed', 'The length of a codeword segment has more than 32 bits.'),
  [-4]: () => new Jp2Error('malformed', 'A code-block states as many zero bit-planes as its subband has bit-planes, or more.'),
  [-5]: () => new Jp2Error('malformed', 'The bytes of a code-block lie outside the codestream.'),
  [-6]: () => new Jp2Error('malformed', 'A code-block has more coding passes than its bit-planes allow.'),
  [-7]: () => new Jp2Error('unsupported', 'Code-blocks of more than 30 magnitude bit-planes are not supported.'),
  [-8]: () => new Jp2Error('malformed', 'The quad code does not give back the samples of a code-block.'),
  [-9]: () => new Jp2Error('unsupported', 'The quad code does not support magnitudes of 2^22 and more.'),
};

/** Returns results from 0 up. @throws Jp2Error for a negative status */
export function checked(status: number): number {
  if (status >= 0) return status;
  throw (STATUS[status] ?? (() => new Jp2Error('malformed', 'The codestream cannot be decoded.')))();
}

/** Returns addresses other than 0. @throws Jp2Error (too-large) for 0: out of memory */
export const checkedAddress = (address: number): number => (address === 0 ? checked(-1) : address);

/** Bytes of memory of all instances at rest. Larger ones are dropped after use, because WebAssembly memory never shrinks. */
let keptBytes = 24 << 20;

/** Sets the bytes of memory up to which instances are kept, for programs with more memory than an isolate. */
export function keepCore(bytes: number): void {
  keptBytes = bytes;
}

/** Instances at rest, the one that was used last at the end: two when a job has paused while others ran. */
let atRest: CoreExports[] = [];

/** Largest linear memory after a job so far, in bytes; for benches and tests. */
export let peakMemoryBytes = 0;

export function resetPeakMemory(): void {
  peakMemoryBytes = 0;
  atRest = [];
}

const memoryOf = ({ memory }: CoreExports): number => memory.buffer.byteLength;

/** An instance with all of its memory free, for one job. */
function taken(): CoreExports {
  const core = atRest.pop() ?? (new WebAssembly.Instance(module).exports as unknown as CoreExports);
  core.reset();
  return core;
}

/** Keeps an instance for the next job, and those at rest that fit beside it. */
function giveBack(core: CoreExports): void {
  peakMemoryBytes = Math.max(peakMemoryBytes, memoryOf(core));
  atRest.push(core);
  while (atRest.reduce((bytes, each) => bytes + memoryOf(each), 0) > keptBytes) atRest.shift();
}

/** Gives an instance back unless its job trapped. Returns the error of the job. */
function afterFailure(core: CoreExports, error: unknown): unknown {
  if (error instanceof WebAssembly.RuntimeError)
    return new Jp2Error('malformed', 'The codestream cannot be decoded (decoder trap).');
  giveBack(core);
  return error;
}

/**
 * Runs one synchronous job on an instance with all of its memory free. After a trap the instance is discarded, so that no
 * state of a malformed stream reaches the next job.
 *
 * @throws Jp2Error (malformed) for a trap
 */
export function withCore<T>(job: (core: CoreExports) => T): T {
  const core = taken();
  try {
    const result = job(core);
    giveBack(core);
    return result;
  } catch (error) {
    throw afterFailure(core, error);
  }
}

/**
 * As `withCore`, for a job in steps, which has the instance to itself until its end. A job that is abandoned between its steps takes the
 * instance with it.
 *
 * @throws Jp2Error (malformed) for a trap
 */
export function* coreSteps<S, T>(job: (core: CoreExports) => Generator<S, T>): Generator<S, T> {
  const core = taken();
  try {
    const result = yield* job(core);
    giveBack(core);
    return result;
  } catch (error) {
    throw afterFailure(core, error);
  }
}

/** Spare bytes behind every buffer, because the loops work on whole vectors, up to four of them at a time. */
const SPARE_BYTES = 64;

/** Uninitialised room for `bytes` and the spare ones behind them. @throws Jp2Error (too-large) */
export const allocate = (core: CoreExports, bytes: number): number => checkedAddress(core.alloc(bytes + SPARE_BYTES));

/** Copies an array into the core. @throws Jp2Error (too-large) */
export function copyIn(core: CoreExports, array: ArrayBufferView): number {
  const address = allocate(core, array.byteLength);
  bytesAt(core, address, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return address;
}

/** A view on the core's memory, which the next allocation may invalidate. */
export function bytesAt({ memory }: CoreExports, address: number, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(memory.buffer, address, length);
}

// The bridge to the decoder core (wasm/core): types of its exports, and status numbers and traps as errors.
import module from '#core-module';
import { type Jp2Error, malformed, tooLarge, unsupported } from '../errors.ts';

/** A function of the core by the names of its parameters, all numbers. */
type Call<Names extends string, Result = void> = (...parameters: NumberFor<Names>) => Result;
type NumberFor<Names extends string> = Names extends `${string} ${infer Rest}` ? [number, ...NumberFor<Rest>] : [number];

/** Exports of the core. Addresses and counts are plain numbers; a negative result is a status of wasm/core/status.ts. */
export interface CoreExports {
  readonly memory: WebAssembly.Memory;
  readonly packetBodyLength: WebAssembly.Global;
  /** Coded bytes of all code-blocks that `decodeBand` has decoded, modulo 2^32. */
  readonly decodedBytes: WebAssembly.Global;
  reset(): void;
  readonly alloc: Call<'bytes', number>;
  mark(): number;
  readonly release: Call<'mark'>;
  openPrecinct(): number;
  readonly addBand: Call<'precinct orientation x0 y0 x1 y1 log2Width log2Height bitplanes', number>;
  readonly readPacket: Call<'precinct layer style start end offset packed', number>;
  readonly setRanges: Call<'table count'>;
  readonly decodeBand: Call<'precinct band x0 y0 x1 y1 target stride roiShift style reversible step', number>;
  readonly listBandRanges: Call<'precinct band x0 y0 x1 y1 out capacity', number>;
  readonly openSynthesis: Call<'nL nH oddX rows oddY', number>;
  readonly setStripe: Call<'ll llStride hl lh hh stride firstLow firstHigh'>;
  readonly setResult: Call<'x0 y0 x1 y1 target stride scale shift high'>;
  readonly firstStep: Call<'reversible', number>;
  readonly lastStep: Call<'reversible', number>;
  readonly synthesise: Call<'first last reversible'>;
  readonly inverseRct: Call<'p0 p1 p2 count'>;
  readonly inverseIct: Call<'p0 p1 p2 count'>;
  readonly finishBytes: Call<'plane count reversible shift high out'>;
  readonly finishIntegers: Call<'plane count reversible shift low high'>;
  readonly scalePlane: Call<'at stride columns rows scale'>;
  readonly decodeQuads: Call<'from length w h flags x0 y0 x1 y1 target stride reversible step', number>;
  /** Bytes and flags of the code-block that `transcodeBlock` coded last. */
  quadBytes(): number;
  readonly quadFlags: WebAssembly.Global;
  readonly transcodeBlock: Call<'precinct band index style', number>;
  readonly clearPlane: Call<'at stride columns rows'>;
  readonly resampleScratch: Call<'width columns yTaps', number>;
  readonly resample: Call<'samples width xStarts xWeights xGroups columns yStarts yWeights yTaps rows scratch out stride'>;
  readonly gather: Call<'samples width height left top scale right bottom upper lower ys next count out alpha'>;
  readonly gatherTable: Call<
    'samples width height left top scale right bottom nodes columns rows exact blocks wide high scratch out alpha edges',
    number
  >;
  readonly shareAlphas: Call<'nodes columns rows top alphas stride width height below layers besides x y square scratch out'>;
  readonly compare: Call<'newer older count isRatio'>;
  readonly countAnnuli: Call<'samples count across near down nearDown ends annuli first doubt counts'>;
  readonly addChanges: Call<'bytes annuli'>;
  readonly makeTable: Call<'codes codeStride levels levelStride clarities heights annuli table'>;
  readonly squareDistances: Call<'count start step centre unit out'>;
  readonly applyAnnuli: Call<'samples columns rows across down table annuli first'>;
  readonly widenPlane: Call<'bytes stride width height out'>;
  readonly halveBytes: Call<'bytes stride width height out'>;
  readonly halvePlane: Call<'plane width height out'>;
  readonly addScale: Call<'bytes stride left top right bottom x0 y0 x1 y1 cells width height side weights radius smooth squares scratch sums'>;
  readonly mgnLevels: Call<'bytes sums bright share count out'>;
  /** `alpha` 0: opaque. */
  readonly colourPixels: Call<'samples alpha colours count out'>;
  readonly drawOver: Call<'samples mask sampleStride colours whole columns rows scratch rgb rgbStride'>;
  readonly drawAdded: Call<'samples mask sampleStride light columns rows scratch rgb rgbStride'>;
  readonly filterRows: Call<'above pixels rowBytes rows size out'>;
  readonly adler32: Call<'sum bytes count', number>;
  readonly prefixCode: Call<'counts symbols longest turned codes'>;
  readonly deflate: Call<'bytes count scratch out', number>;
  readonly jpegTokens: Call<'pixels width rows stride components factors order planes lastDc counts tokens', number>;
  readonly jpegSimilarity: Call<'pixels width rows stride factors steps planes', number>;
  readonly jpegBits: Call<'tokens count codes pending out', number>;
  readonly toYuv420: Call<'rgb columns rows y cb cr scratch'>;
}

const STATUS: Record<number, () => Jp2Error> = {
  [-1]: () => tooLarge('This part of the image does not fit the memory of the decoder.'),
  [-2]: () => malformed('A packet header is cut short.'),
  [-3]: () => malformed('The length of a codeword segment has more than 32 bits.'),
  [-4]: () => malformed('A code-block states as many zero bit-planes as its subband has bit-planes, or more.'),
  [-5]: () => malformed('The bytes of a code-block lie outside the codestream.'),
  [-6]: () => malformed('A code-block has more coding passes than its bit-planes allow.'),
  [-7]: () => unsupported('Code-blocks of more than 30 magnitude bit-planes are not supported.'),
  [-8]: () => malformed('The quad code does not give back the samples of a code-block.'),
  [-9]: () => unsupported('The quad code does not support magnitudes of 2^22 and more.'),
};

/** Returns results from 0 up. @throws Jp2Error for a negative status */
export function checked(status: number): number {
  if (status >= 0) return status;
  throw (STATUS[status] ?? (() => malformed('The codestream cannot be decoded.')))();
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
  if (error instanceof WebAssembly.RuntimeError) return malformed('The codestream cannot be decoded (decoder trap).');
  giveBack(core);
  return error;
}

/**
 * Runs one synchronous job on an instance with all of its memory free. After a trap the instance is discarded, so that no
 * state of a malformed stream reaches the next job.
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
export const bytesAt = ({ memory }: CoreExports, address: number, length: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(memory.buffer, address, length);

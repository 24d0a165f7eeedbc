// Resampling of decoded samples to output pixels with a triangle filter, one axis after the other.
//
// A resolution level that discards n levels has its sample k at image pixel k * 2^n, since the wavelet filters are symmetric
// about the even samples (ISO/IEC 15444-1 F.3). Reading it as the mean of 2^n pixels would shift the Sun by almost half an
// output pixel to the lower right.
import { allocate, bytesAt, copyIn, withCore } from '../../jp2/core/core.ts';
import { coveredPixels } from '../grids/pixel-grid.ts';

/** Filter weights from samples to output pixels [from, to) along one axis. */
export interface AxisTaps {
  readonly from: number;
  readonly to: number;
  /** Samples [first, end) that are used. */
  readonly first: number;
  readonly end: number;
  /** Taps per output pixel; unused ones have weight 0. */
  readonly taps: number;
  /** First sample of output pixel from + i, counted from `first`. */
  readonly starts: Int32Array;
  /** `taps` weights for each output pixel; they sum to 1. */
  readonly weights: Float32Array;
}

/** One axis of a PixelGrid over an image of `size` pixels, seen at `reduce` discarded levels. */
export interface Axis {
  readonly start: number;
  readonly step: number;
  readonly count: number;
  readonly size: number;
  readonly reduce: number;
}

/** Taps of a triangle filter of half width one output pixel, or one sample if that is larger; weights within the image sum to 1. */
export function triangleTaps({ start, step, count, size, reduce }: Axis): AxisTaps {
  const { from, to } = coveredPixels(start, step, count, size);
  const scale = 2 ** reduce;
  const samples = Math.ceil(size / scale);
  const half = Math.max(1, step / scale);
  const taps = Math.min(samples, Math.floor(2 * half) + 1);
  const starts = new Int32Array(to - from);
  const weights = new Float32Array((to - from) * taps);
  let first = samples;
  let end = 0;
  for (let i = 0; i < to - from; i++) {
    // Centre of the output pixel in samples: image pixel p has its centre at p + 0.5.
    const centre = (start + (from + i + 0.5) * step - 0.5) / scale;
    const lowest = Math.max(0, Math.min(Math.ceil(centre - half), samples - taps));
    let sum = 0;
    for (let t = 0; t < taps; t++) {
      const weight = Math.max(0, 1 - Math.abs(lowest + t - centre) / half);
      weights[i * taps + t] = weight;
      sum += weight;
    }
    for (let t = 0; t < taps; t++) weights[i * taps + t] = weights[i * taps + t]! / sum;
    starts[i] = lowest;
    first = Math.min(first, lowest);
    end = Math.max(end, lowest + taps);
  }
  for (let i = 0; i < starts.length; i++) starts[i] = starts[i]! - first;
  return { from, to, first: Math.min(first, end), end, taps, starts, weights };
}

const OUTPUTS = 4;

/** Starts and weights as the core takes them: outputs padded to whole vectors, weights to whole vectors of four for each. */
function packedTaps({ taps, starts, weights }: AxisTaps): { starts: Uint32Array; weights: Float32Array; groups: number } {
  const groups = Math.ceil(taps / 4);
  const outputs = Math.ceil(starts.length / OUTPUTS) * OUTPUTS;
  const packed = new Float32Array(outputs * groups * 4);
  for (let i = 0; i < starts.length; i++) for (let t = 0; t < taps; t++) packed[i * groups * 4 + t] = weights[i * taps + t]!;
  const packedStarts = new Uint32Array(outputs);
  packedStarts.set(starts);
  return { starts: packedStarts, weights: packed, groups };
}

/** The sample that is output pixel 0, when every output pixel is one sample and neighbours are neighbours; null otherwise. */
function copiedFrom({ taps, starts, weights }: AxisTaps): number | null {
  const first = starts[0]! + weights.indexOf(1);
  for (let i = 0; i < starts.length; i++) {
    const tap = first + i - starts[i]!;
    if (tap < 0 || tap >= taps || weights[i * taps + tap] !== 1) return null;
  }
  return first;
}

/**
 * Filters a window of samples, [x.first, x.end) x [y.first, y.end) of a resolution level row by row, into the covered part of
 * an output of `stride` pixels a row. Values are rounded to the nearest integer. Sums are in f32, first along x.
 *
 * @throws Jp2Error (too-large) when the window does not fit the core's memory
 */
export function resample(samples: Uint8Array, x: AxisTaps, y: AxisTaps, out: Uint8Array, stride: number): void {
  const width = x.end - x.first;
  const columns = x.to - x.from;
  const rows = y.to - y.from;
  if (columns === 0 || rows === 0) return;
  const [left, top] = [copiedFrom(x), copiedFrom(y)];
  const to = { bytes: out.subarray(y.from * stride + x.from), stride };
  if (left !== null && top !== null) {
    copyRows({ bytes: samples.subarray(top * width + left), stride: width }, to, columns, rows);
    return;
  }
  withCore((core) => {
    const [across, down] = [packedTaps(x), Uint32Array.from(y.starts)];
    const xStarts = copyIn(core, across.starts);
    const xWeights = copyIn(core, across.weights);
    const yStarts = copyIn(core, down);
    const yWeights = copyIn(core, y.weights);
    const window = copyIn(core, samples);
    const scratch = allocate(core, core.resampleScratch(width, columns, y.taps));
    const rowBytes = Math.ceil(columns / 16) * 16;
    const drawn = allocate(core, rowBytes * rows);
    const { groups } = across;
    core.resample(window, width, xStarts, xWeights, groups, columns, yStarts, yWeights, y.taps, rows, scratch, drawn, rowBytes);
    copyRows({ bytes: bytesAt(core, drawn, rowBytes * rows), stride: rowBytes }, to, columns, rows);
  });
}

type Rows = { readonly bytes: Uint8Array; readonly stride: number };

export function copyRows(from: Rows, to: Rows, columns: number, rows: number): void {
  if (from.stride === columns && to.stride === columns) to.bytes.set(from.bytes.subarray(0, columns * rows));
  else
    for (let y = 0; y < rows; y++) to.bytes.set(from.bytes.subarray(y * from.stride, y * from.stride + columns), y * to.stride);
}

/**
 * Writes the difference of two images of an instrument over `newer`: 2 * (newer - older + 64), the change clamped to -64..63; or their ratio:
 * 256 * newer / older - 128, clamped to 0..255, and 255 where only the older is 0. 128 is no change, also where both are 0.
 */
export function compare(newer: Uint8Array, older: Uint8Array, isRatio: boolean): void {
  withCore((core) => {
    const [a, b] = [copyIn(core, newer), copyIn(core, older)];
    core.compare(a, b, newer.length, Number(isRatio));
    newer.set(bytesAt(core, a, newer.length));
  });
}

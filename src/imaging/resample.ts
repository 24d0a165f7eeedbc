// Resampling of decoded samples to output pixels with a triangle filter, one axis after the other.
//
// A resolution level that discards n levels has its sample k at image pixel k * 2^n, since the wavelet filters are symmetric
// about the even samples (ISO/IEC 15444-1 F.3). Reading it as the mean of 2^n pixels would shift the Sun by almost half an
// output pixel to the lower right.
import { coveredPixels } from '../domain/tile-grid.ts';

/** Weights with which samples make output pixels [from, to) along one axis. */
export interface AxisTaps {
  readonly from: number;
  readonly to: number;
  /** Samples [first, end) that are used at all. */
  readonly first: number;
  readonly end: number;
  /** Taps of each output pixel; those not needed have weight 0. */
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

/**
 * Taps of a triangle filter whose half width is one output pixel, or one sample where that is larger. Weights beyond the
 * image are left away and the rest is scaled to 1.
 */
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
    for (let t = 0; t < taps; t++) weights[i * taps + t] = (weights[i * taps + t] as number) / sum;
    starts[i] = lowest;
    first = Math.min(first, lowest);
    end = Math.max(end, lowest + taps);
  }
  for (let i = 0; i < starts.length; i++) starts[i] = (starts[i] as number) - first;
  return { from, to, first: Math.min(first, end), end, taps, starts, weights };
}

/** Rows [0, rows) of `samples` filtered along x: rows * outputs values. */
function filterRows(samples: Uint8Array, width: number, rows: number, x: AxisTaps): Float32Array {
  const outputs = x.to - x.from;
  const { taps, starts, weights } = x;
  const out = new Float32Array(rows * outputs);
  for (let y = 0, at = 0; y < rows; y++) {
    const row = y * width;
    for (let i = 0, w = 0; i < outputs; i++) {
      let sum = 0;
      for (let s = row + (starts[i] as number), end = s + taps; s < end; s++, w++)
        sum += (samples[s] as number) * (weights[w] as number);
      out[at++] = sum;
    }
  }
  return out;
}

/**
 * Filters a window of samples, [x.first, x.end) x [y.first, y.end) of a resolution level row by row, into the covered part of
 * an output of `stride` pixels a row. Values are rounded to the nearest integer.
 */
export function resample(samples: Uint8Array, x: AxisTaps, y: AxisTaps, out: Uint8Array, stride: number): void {
  const outputs = x.to - x.from;
  const rows = filterRows(samples, x.end - x.first, y.end - y.first, x);
  const sums = new Float32Array(outputs);
  for (let j = 0; j < y.to - y.from; j++) {
    sums.fill(0.5);
    for (let t = 0; t < y.taps; t++) {
      const weight = y.weights[j * y.taps + t] as number;
      if (weight === 0) continue;
      const row = ((y.starts[j] as number) + t) * outputs;
      for (let i = 0; i < outputs; i++) sums[i] = (sums[i] as number) + (rows[row + i] as number) * weight;
    }
    out.set(sums, (y.from + j) * stride + x.from);
  }
}

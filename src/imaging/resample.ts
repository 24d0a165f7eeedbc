// Resampling of decoded samples to output pixels with a triangle filter, one axis after the other.
//
// A resolution level that discards n levels has its sample k at image pixel k * 2^n, since the wavelet filters are symmetric
// about the even samples (ISO/IEC 15444-1 F.3). Reading it as the mean of 2^n pixels would shift the Sun by almost half an
// output pixel to the lower right.
import { coveredPixels } from '../domain/pixel-grid.ts';

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

/**
 * Taps of a triangle filter whose half width is one output pixel, or one sample where that is larger. Weights outside the image are
 * dropped and the rest is scaled to a sum of 1.
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

/** filterRow unrolled for three taps, which enlarging and reducing by up to 1.5 need. */
function filterRowBy3(samples: Uint8Array, row: number, { starts, weights }: AxisTaps, out: Float32Array): void {
  for (let i = 0, w = 0; i < out.length; i++, w += 3) {
    const s = row + (starts[i] as number);
    out[i] =
      (samples[s] as number) * (weights[w] as number) +
      (samples[s + 1] as number) * (weights[w + 1] as number) +
      (samples[s + 2] as number) * (weights[w + 2] as number);
  }
}

/** filterRow unrolled for four taps, which reducing by up to 2 needs. */
function filterRowBy4(samples: Uint8Array, row: number, { starts, weights }: AxisTaps, out: Float32Array): void {
  for (let i = 0, w = 0; i < out.length; i++, w += 4) {
    const s = row + (starts[i] as number);
    out[i] =
      (samples[s] as number) * (weights[w] as number) +
      (samples[s + 1] as number) * (weights[w + 1] as number) +
      (samples[s + 2] as number) * (weights[w + 2] as number) +
      (samples[s + 3] as number) * (weights[w + 3] as number);
  }
}

/** Filters the row of `samples` that starts at index `row` along x. */
function filterRow(samples: Uint8Array, row: number, { taps, starts, weights }: AxisTaps, out: Float32Array): void {
  for (let i = 0, w = 0; i < out.length; i++) {
    let sum = 0;
    for (let s = row + (starts[i] as number), end = s + taps; s < end; s++, w++)
      sum += (samples[s] as number) * (weights[w] as number);
    out[i] = sum;
  }
}

const filterOf = ({ taps }: AxisTaps) => (taps === 3 ? filterRowBy3 : taps === 4 ? filterRowBy4 : filterRow);

/** Taps of one output row: rows filtered along x and their weights. */
type RowTaps = readonly { readonly row: Float32Array; readonly weight: number }[];

const NO_TAP = { row: new Float32Array(0), weight: 0 };

/** Weighted sum of up to four rows, with the same rounding as sumRows but without the intermediate row. */
function sumFourRows(taps: RowTaps, out: Uint8Array): void {
  const { row: a, weight: wa } = taps[0] ?? NO_TAP;
  const { row: b, weight: wb } = taps[1] ?? { row: a, weight: 0 };
  const { row: c, weight: wc } = taps[2] ?? { row: a, weight: 0 };
  const { row: d, weight: wd } = taps[3] ?? { row: a, weight: 0 };
  for (let i = 0; i < out.length; i++) {
    const ab = Math.fround(Math.fround(0.5 + (a[i] as number) * wa) + (b[i] as number) * wb);
    out[i] = Math.fround(Math.fround(ab + (c[i] as number) * wc) + (d[i] as number) * wd);
  }
}

/** Weighted sum of any number of rows. `sums`: scratch row. */
function sumRows(taps: RowTaps, out: Uint8Array, sums: Float32Array): void {
  sums.fill(0.5);
  for (const { row, weight } of taps)
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] as number) + (row[i] as number) * weight;
  out.set(sums);
}

/**
 * Filters a window of samples, [x.first, x.end) x [y.first, y.end) of a resolution level row by row, into the covered part of
 * an output of `stride` pixels a row. Values are rounded to the nearest integer.
 */
export function resample(samples: Uint8Array, x: AxisTaps, y: AxisTaps, out: Uint8Array, stride: number): void {
  const outputs = x.to - x.from;
  const width = x.end - x.first;
  const filter = filterOf(x);
  // Ring buffer of rows filtered along x, as many as one output row needs.
  const filtered = Array.from({ length: y.taps }, () => new Float32Array(outputs));
  const place = (row: number) => filtered[row % y.taps] as Float32Array;
  const sums = new Float32Array(outputs);
  let next = 0;
  for (let j = 0; j < y.to - y.from; j++) {
    const start = y.starts[j] as number;
    for (next = Math.max(next, start); next < start + y.taps; next++) filter(samples, next * width, x, place(next));
    const taps: { row: Float32Array; weight: number }[] = [];
    for (let t = 0; t < y.taps; t++) {
      const weight = y.weights[j * y.taps + t] as number;
      if (weight !== 0) taps.push({ row: place(start + t), weight });
    }
    const to = (y.from + j) * stride + x.from;
    const line = out.subarray(to, to + outputs);
    if (taps.length <= 4) sumFourRows(taps, line);
    else sumRows(taps, line, sums);
  }
}

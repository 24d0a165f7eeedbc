// Values over time and distance as the pixels of a plot: a column for each image.
import type { Axis } from './axes.ts';

export interface MapColumn {
  readonly atMs: number;
  /** Values by position; null for a gap. */
  readonly values: Float32Array | null;
}

/** Share of the values below and above the ends of the colours. */
const CLIPPED = 0.005;
/** Intervals of the median length from a column within which its pixels are. */
const REACH = 1.5;

export function colourLimits(columns: readonly MapColumn[]): readonly [number, number] {
  const values = Float32Array.from(
    columns.flatMap(({ values: some }) => Array.from(some ?? []).filter((value) => !Number.isNaN(value))),
  );
  values.sort();
  const [low = 0, high = 0] = [CLIPPED, 1 - CLIPPED].map((part) => values[Math.round(part * (values.length - 1))]);
  return high > low ? [low, high] : [low, low + Math.max(Math.abs(low), 1) * 1e-3];
}

/** The column of each of `width` pixels along the axis of time; -1 in gaps. */
export function columnsOfPixels(columns: readonly MapColumn[], x: Axis, width: number): Int32Array {
  const times = columns.map(({ atMs }) => atMs);
  const between = times.slice(1).map((ms, i) => ms - times[i]!);
  const reachMs = (REACH / 2) * (between.toSorted((a, b) => a - b)[between.length >> 1] ?? Number.POSITIVE_INFINITY);
  let nearest = 0;
  return Int32Array.from({ length: width }, (_, pixel) => {
    const atMs = x.from + ((pixel + 0.5) / width) * (x.to - x.from);
    while (nearest + 1 < times.length && Math.abs(times[nearest + 1]! - atMs) <= Math.abs(times[nearest]! - atMs)) nearest += 1;
    return Math.abs(times[nearest]! - atMs) <= reachMs && columns[nearest]!.values ? nearest : -1;
  });
}

/** The mean of the positions of a row of pixels, of `height` rows from the top, which is the last position; NaN without a value. */
export function rowMean(values: Float32Array, row: number, height: number): number {
  const [from, to] = [((height - 1 - row) * values.length) / height, ((height - row) * values.length) / height];
  let [sum, count] = [0, 0];
  for (let i = Math.floor(from); i < Math.max(Math.floor(from) + 1, Math.floor(to)); i++) {
    const value = values[i] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    sum += value;
    count += 1;
  }
  return count === 0 ? Number.NaN : sum / count;
}

/** Spread of values over colours: the scaled value, between the least and the greatest of the colours. */
export const COLOUR_SCALES = {
  linear: (value: number) => value,
  root: (value: number, low: number) => Math.sqrt(Math.max(0, value - Math.min(low, 0))),
  log: (value: number, _: number, high: number) => Math.log(Math.max(value, Math.abs(high) * 1e-4, Number.MIN_VALUE)),
} as const;
export type ColourScale = keyof typeof COLOUR_SCALES;

/** Colours of increasing lightness at equal distances, R, G, B: those of matplotlib's inferno. */
const RAMP = [
  [0, 0, 4],
  [40, 11, 84],
  [101, 21, 110],
  [159, 42, 99],
  [212, 72, 66],
  [245, 125, 21],
  [250, 193, 39],
  [252, 255, 164],
] as const;

/** The colour of a place between the ends, 0 to 1. */
export function rampColour(part: number): readonly number[] {
  const at = Math.min(Math.max(part, 0), 1) * (RAMP.length - 1);
  const [from, to] = [RAMP[Math.floor(at)]!, RAMP[Math.min(Math.floor(at) + 1, RAMP.length - 1)]!];
  return from.map((channel, i) => Math.round(channel + (to[i]! - channel) * (at - Math.floor(at))));
}

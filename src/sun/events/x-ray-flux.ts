// Solar X-ray flux of the band 0.1-0.8 nm, W/m2: its classes, the minutes of a day, and its highest values over a range.
import { DAY_MS, MINUTE_MS } from '../../platform/util/durations.ts';
import { dayStart } from '../time.ts';

/** Lower bounds of the classes, W/m2. */
export const FLUX_CLASSES = [
  ['A', 1e-8],
  ['B', 1e-7],
  ['C', 1e-6],
  ['M', 1e-5],
  ['X', 1e-4],
] as const;

/** `M2.3`, cut to tenths; fluxes below A1 have a class A with a number below one. */
export function goesClass(flux: number): string {
  // Fluxes are float32: 1e-4, of class X1.0, is 6e-8 of it lower.
  const stated = flux * (1 + 1e-7);
  const [letter, from] = FLUX_CLASSES.findLast(([, least]) => stated >= least) ?? FLUX_CLASSES[0];
  return `${letter}${(Math.floor((stated / from) * 10) / 10).toFixed(1)}`;
}

export const DAY_MINUTES = DAY_MS / MINUTE_MS;
/** The mean flux of each minute of a UTC day, null for a minute without a measurement. */
export type XrayDay = { readonly dayMs: number; readonly minutes: readonly (number | null)[] };

/** Lengths of bins, minutes: those of an hour without a rest. */
const BIN_MINUTES = [1, 2, 3, 5, 10, 15, 20] as const;

export interface FluxBins {
  /** Start of the first bin, a multiple of the length. */
  readonly startMs: number;
  readonly binMs: number;
  /** The highest minute of each bin, W/m2; null for one without a measurement. */
  readonly peaks: readonly (number | null)[];
}

/** The flux from `startMs` to `endMs` in the shortest bins of which there are at most `most`. */
export function fluxBins(days: readonly XrayDay[], startMs: number, endMs: number, most: number): FluxBins {
  const minutes = BIN_MINUTES.find((length) => (endMs - startMs) / (length * MINUTE_MS) < most - 1) ?? BIN_MINUTES.at(-1)!;
  const binMs = minutes * MINUTE_MS;
  const first = Math.floor(startMs / binMs) * binMs;
  const byDay = new Map(days.map((day) => [day.dayMs, day.minutes]));
  const fluxAt = (ms: number) => {
    const dayMs = dayStart(ms);
    return byDay.get(dayMs)?.[(ms - dayMs) / MINUTE_MS] ?? null;
  };
  const peaks = Array.from({ length: Math.floor((endMs - first) / binMs) + 1 }, (_, bin) => {
    const values = Array.from({ length: minutes }, (_, i) => fluxAt(first + bin * binMs + i * MINUTE_MS));
    const measured = values.filter((flux) => flux !== null);
    return measured.length > 0 ? Math.max(...measured) : null;
  });
  return { startMs: first, binMs, peaks };
}

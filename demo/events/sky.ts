// The sample Sun as the Earth sees it at one instant, in arcseconds as its images are drawn, and times in the notation of event sources.
import { DAY_MS, HOUR_MS } from '../../src/platform/util/durations.ts';
import { type Lasting, longitudeAt, wrap180 } from '../sun/features.ts';
import { observerAt } from '../sun/observer.ts';
import { project, viewOf } from '../sun/view.ts';

const ONE_ARCSEC_PER_PIXEL = { width: 1, height: 1, scaleArcsecPerPixel: 1, sunX: 1, sunY: 1 };
/** Distance inside the limb to which hidden points of an outline move, so that they lie on the disk. */
const JUST_INSIDE = 0.9995;
/** Longer windows of a query are cut, to bound the work of a request. */
const LONGEST_WINDOW_MS = 60 * DAY_MS;

export const LONGEST_FLARE_MS = 4 * HOUR_MS;

export type SunPosition = readonly [longitudeDeg: number, latitudeDeg: number];

export type Sky = ReturnType<typeof skyAt>;
export type SeenPosition = ReturnType<Sky['see']>;

export function skyAt(timeMs: number) {
  const view = viewOf(observerAt('earth', timeMs), ONE_ARCSEC_PER_PIXEL);

  /**
   * A position as the Earth sees it: arcseconds at the true distance, west and north; whether it is on the near side of the limb; and the longitude
   * west of the Earth's meridian, -180 to 180.
   */
  const see = ([longitudeDeg, latitudeDeg]: SunPosition) => {
    const at = project(view, longitudeDeg, latitudeDeg);
    return {
      x: at.x - view.centreX,
      y: view.centreY - at.y,
      visible: at.z > 1 / view.distance,
      latitudeDeg,
      stonyhurstDeg: wrap180(longitudeDeg - view.observer.longitudeDeg),
    };
  };

  return {
    ...{ timeMs, view, see },
    seeFeature: (feature: Lasting) => see([longitudeAt(feature, timeMs), feature.latitudeDeg]),

    /** The visible part of an outline; points behind the limb move to the limb. */
    outline: (positions: readonly SunPosition[]): (readonly [x: number, y: number])[] =>
      positions.map((position) => {
        const { x, y, visible } = see(position);
        const toLimb = visible ? 1 : (JUST_INSIDE * view.limbPixels) / Math.max(1, Math.hypot(x, y));
        return [x * toLimb, y * toLimb];
      }),
  };
}

/** Starts of the whole periods of `stepMs` that overlap `fromMs` to `toMs`. */
export function stepsBetween(fromMs: number, toMs: number, stepMs: number): number[] {
  const first = Math.floor(fromMs / stepMs);
  return Array.from({ length: Math.max(0, Math.floor(toMs / stepMs) - first + 1) }, (_, i) => (first + i) * stepMs);
}

/** `2024-05-10T12:00:00`, UTC without a designator. */
export const plainTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** The window between two parameters of a query, which are days or instants. Null without one. */
export function windowOf(query: URLSearchParams, from: string, to: string): [fromMs: number, toMs: number] | null {
  const [fromMs = Number.NaN, toMs = Number.NaN] = [from, to].map((name) => {
    const text = query.get(name) ?? '';
    return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text.replace(/Z?$/, text.length > 10 ? 'Z' : '')) : Number.NaN;
  });
  return toMs >= fromMs ? [fromMs, Math.min(toMs, fromMs + LONGEST_WINDOW_MS)] : null;
}

// Forecasts of the WSA dashboard: coronal holes of the sample Sun all around, and the footpoints of two observers.
import { DAY_MS, HOUR_MS } from '../../src/util/durations.ts';
import { holesOf } from './hek.ts';
import { plainTime, rounded, Sky, type SunPosition, stepsBetween, windowOf } from './sky.ts';

const WINDOW_MS = 4 * HOUR_MS;
const REALIZATIONS = 12;
/** Observers with their longitudes west of the Earth, degrees. */
const OBSERVERS: Readonly<Record<string, number>> = { Earth: 0, SO: 50 };
/** Solar wind that has left the footpoint of an observer comes from as far west of it, degrees. */
const WEST_DEG = 50;
/** Radii of the contours of a connection by their probabilities, degrees. */
const CONTOURS = { '0.875': 4, '0.625': 9 };

export const WSA_CAPABILITIES = { input_maps: ['AGONG'], locations: Object.keys(OBSERVERS), advanced_days: [3] };

const carrington = (longitude: number) => ((longitude % 360) + 360) % 360;

const coords = (points: readonly SunPosition[]) => ({
  lat: points.map(([, latitude]) => rounded(latitude, 2)),
  lon: points.map(([longitude]) => rounded(carrington(longitude), 2)),
});

/** A contour of longitudes from 0 to 360, which an edge about a pole crosses once: it begins there and is open. */
function contour(edge: readonly SunPosition[]) {
  const isAboutPole = edge.every(([, latitude]) => latitude === edge[0]![1]);
  return coords(isAboutPole ? edge.toSorted((a, b) => carrington(a[0]) - carrington(b[0])) : [...edge, edge[0]!]);
}

function forecasts(query: URLSearchParams, forecast: (sky: Sky) => readonly unknown[]): readonly unknown[] | null {
  const window = windowOf(query, 'start_date', 'end_date');
  if (!window) return null;
  return stepsBetween(window[0], Math.max(window[0], window[1] - DAY_MS / 24), WINDOW_MS).map((startMs) => ({
    forecast_time: plainTime(startMs + WINDOW_MS / 2),
    forecast_range: [plainTime(startMs), plainTime(startMs + WINDOW_MS)],
    forecast: forecast(new Sky(startMs + WINDOW_MS / 2)),
  }));
}

/** A list of windows, or one for each realization. Null for a bad query. */
export function wsaHoles(query: URLSearchParams): unknown {
  const windows = forecasts(query, (sky) => holesOf(sky).map(({ edge }) => ({ coords: contour(edge) })));
  if (!windows || query.get('real') !== 'all') return windows;
  return Object.fromEntries(Array.from({ length: REALIZATIONS }, (_, real) => [real, windows]));
}

export function wsaFootpoints(query: URLSearchParams): readonly unknown[] | null {
  const west = OBSERVERS[query.get('sat') ?? ''];
  if (west === undefined) return null;
  return forecasts(query, (sky) => {
    const [longitude, latitude] = [carrington(sky.observer.longitudeDeg + west + WEST_DEG), 8];
    return Object.entries(CONTOURS).map(([label, radius]) => {
      const circle = Array.from({ length: 24 }, (_, i): SunPosition => {
        const angle = (i * Math.PI) / 12;
        return [longitude + radius * Math.cos(angle), latitude + radius * Math.sin(angle)];
      });
      return { label, label_coords: { lat: latitude, lon: rounded(longitude, 2) }, contour_coords: coords(circle) };
    });
  });
}

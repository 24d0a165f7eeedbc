// Forecasts of the WSA dashboard: coronal holes of the sample Sun all around, and the footpoints of two observers.
import { DAY_MS, HOUR_MS } from '../../src/util/durations.ts';
import { holeEdges } from './hek-holes.ts';
import { plainTime, queryTime, rounded, stepsBetween } from './record-text.ts';
import { Sky, type SunPosition } from './sky.ts';

const WINDOW_MS = 4 * HOUR_MS;
const LONGEST_MS = 31 * DAY_MS;
const REALIZATIONS = 12;
/** Observers with their longitudes west of the Earth, degrees. */
const OBSERVERS: Readonly<Record<string, number>> = { Earth: 0, SO: 50 };
/** Solar wind that has left the footpoint of an observer comes from as far west of it, degrees. */
const WEST_DEG = 50;
/** Probabilities of the contours of a connection with their radii, degrees. */
const CONTOURS = [
  { label: '0.875', radius: 4 },
  { label: '0.625', radius: 9 },
];

const coords = (points: readonly SunPosition[]) => ({
  lat: points.map(([, latitude]) => rounded(latitude, 2)),
  lon: points.map(([longitude]) => rounded(longitude, 2)),
});

const carrington = (longitude: number) => ((longitude % 360) + 360) % 360;

/** An edge in longitudes from 0 to 360, which an edge about a pole crosses once: it begins there and is open. */
function contour(edge: readonly SunPosition[]) {
  const points = edge.map(([longitude, latitude]): SunPosition => [carrington(longitude), latitude]);
  const isAboutPole = edge.every(([, latitude]) => Math.abs(latitude) > 50) && edge.length > 30;
  return coords(isAboutPole ? points.toSorted((a, b) => a[0] - b[0]) : [...points, points[0]!]);
}

const circle = ([longitude, latitude]: SunPosition, radius: number): SunPosition[] =>
  Array.from({ length: 24 }, (_, i) => {
    const angle = (i * Math.PI) / 12;
    return [longitude + radius * Math.cos(angle), latitude + radius * Math.sin(angle)];
  });

function forecastsOf(query: URLSearchParams, forecast: (sky: Sky) => readonly unknown[]): readonly unknown[] | null {
  const [fromMs, toMs] = [queryTime(query.get('start_date')), queryTime(query.get('end_date'))];
  if (fromMs === null || toMs === null) return null;
  return stepsBetween(fromMs, Math.min(toMs, fromMs + LONGEST_MS) - 1, WINDOW_MS).map((startMs) => ({
    forecast_time: plainTime(startMs + WINDOW_MS / 2),
    forecast_range: [plainTime(startMs), plainTime(startMs + WINDOW_MS)],
    forecast: forecast(new Sky(startMs + WINDOW_MS / 2)),
  }));
}

/** A list of windows, or one for each realization. Null for a bad query. */
export function wsaHoles(query: URLSearchParams): unknown {
  const windows = forecastsOf(query, (sky) => holeEdges(sky).map((edge) => ({ coords: contour(edge) })));
  if (!windows || query.get('real') !== 'all') return windows;
  return Object.fromEntries(Array.from({ length: REALIZATIONS }, (_, real) => [real, windows]));
}

export function wsaFootpoints(query: URLSearchParams): unknown {
  const west = OBSERVERS[query.get('sat') ?? ''];
  if (west === undefined) return null;
  return forecastsOf(query, (sky) => {
    const place = [carrington(sky.observer.longitudeDeg + west + WEST_DEG), 8] as const;
    return CONTOURS.map(({ label, radius }) => ({
      label,
      label_coords: { lat: place[1], lon: rounded(place[0], 2) },
      contour_coords: coords(circle(place, radius).map(([l, b]) => [carrington(l), b] as const)),
    }));
  });
}

export const WSA_CAPABILITIES = { input_maps: ['AGONG'], locations: Object.keys(OBSERVERS), advanced_days: [3] };

// Local substitutes for the event sources, with the events of the sample Sun.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DAY_MS, HOUR_MS } from '../../src/platform/util/durations.ts';
import { HONESTY } from '../instruments/header.ts';
import { type Flare, flaresBetween } from '../sun/features.ts';
import { donki, hapiData } from './ccmc.ts';
import { holesOf, searchHek } from './hek.ts';
import { plainTime, rounded, type Sky, type SunPosition, skyAt, stepsBetween, windowOf } from './sky.ts';

const HOST = '127.0.0.1';
/** Exceeds the idle timeout of the clients, so that the clients close connections. */
const KEEP_ALIVE_MS = 120_000;

/** Responses by path: an object is JSON, text is CSV, and null stands for a query that has no valid times. */
const SOURCES: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
  '/hek': searchHek,
  '/donki/CME': (query) => donki('CME', query),
  '/donki/FLR': (query) => donki('FLR', query),
  /** A list of windows, or one for each realization. Null for a bad query. */
  '/wsa/load_helioviewer_coronal_holes'(query) {
    const windows = forecasts(query, (sky) => holesOf(sky).map(({ edge }) => ({ coords: contour(edge) })));
    if (!windows || query.get('real') !== 'all') return windows;
    return Object.fromEntries(Array.from({ length: REALIZATIONS }, (_, real) => [real, windows]));
  },
  '/wsa/load_helioviewer_footpoints': wsaFootpoints,
  '/wsa/load_helioviewer_footpoint_capabilities': () => WSA_CAPABILITIES,
  /** The RHESSI list of the visible flares that begin from `from` to `to`. */
  '/rhessi/list.csv'(query) {
    const window = windowOf(query, 'from', 'to');
    const lines = window && flaresBetween(...window).flatMap(rhessiLine);
    const columns = 'id,start,peak,end,peakrate,totalcounts,xloc,yloc,hi_band,dsun,ntime,nen,link';
    return lines && [`# RHESSI flare list`, `# ${HONESTY}`, columns, ...lines, ''].join('\n');
  },
};
const HAPI_PATHS = ['/scoreboard/data', '/xray/data'];

/** The line of a flare, none behind the limb; its id has year, month, day, hour and minute of the start, and digits of the region. */
function rhessiLine(flare: Flare): string[] {
  const sky = skyAt(flare.peakMs);
  const { x, y, visible } = sky.seeFeature(flare);
  if (!visible) return [];
  const [start, peak, end] = [flare.startMs, flare.peakMs, flare.endMs].map(plainTime);
  const id = start!.replace(/\D/g, '').slice(2, 12) + String(flare.regionNumber % 100).padStart(2, '0');
  const seconds = Math.round((flare.endMs - flare.startMs) / 1000);
  const peakRate = Math.round(flare.peakFlux * 4e7);
  const band = flare.peakFlux >= 1e-4 ? '50-100' : flare.peakFlux >= 1e-5 ? '25-50' : '12-25';
  const place = [x.toFixed(1), y.toFixed(1), band, (sky.view.observer.distanceM / 1000).toFixed(0)];
  const link = `${start!.slice(0, 10).replaceAll('-', '/')}/hsi_flare_${id}`;
  return [[id, start, peak, end, peakRate, peakRate * seconds * 3, ...place, Math.ceil(seconds / 60), 5, link].join(',')];
}

function responseTo(path: string): { readonly status: number; readonly body: unknown } {
  const { pathname, searchParams } = URL.parse(path, `http://${HOST}`) ?? new URL(`http://${HOST}`);
  if (HAPI_PATHS.includes(pathname)) return hapiData(searchParams);
  if (!Object.hasOwn(SOURCES, pathname)) return { status: 404, body: { error: 'No source has this path.' } };
  const body = SOURCES[pathname]!(searchParams);
  return body === null
    ? { status: 400, body: { error: 'The query has no window of valid times, or no observer.' } }
    : { status: 200, body };
}

/** Listens on a free port of 127.0.0.1. Responses are functions of their query. @throws Error when none is free */
export async function startDemoEvents() {
  const server = createServer((request, response) => {
    const { status, body } = responseTo(request.url ?? '/');
    response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await once(server.listen(0, HOST), 'listening');
  return {
    /** Without a slash at the end; below it are the paths of `SOURCES` and the HAPI servers. */
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    async stop(): Promise<void> {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

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
    forecast: forecast(skyAt(startMs + WINDOW_MS / 2)),
  }));
}

export function wsaFootpoints(query: URLSearchParams): readonly unknown[] | null {
  const west = OBSERVERS[query.get('sat') ?? ''];
  if (west === undefined) return null;
  return forecasts(query, (sky) => {
    const [longitude, latitude] = [carrington(sky.view.observer.longitudeDeg + west + WEST_DEG), 8];
    return Object.entries(CONTOURS).map(([label, radius]) => {
      const circle = Array.from({ length: 24 }, (_, i): SunPosition => {
        const angle = (i * Math.PI) / 12;
        return [longitude + radius * Math.cos(angle), latitude + radius * Math.sin(angle)];
      });
      return { label, label_coords: { lat: latitude, lon: rounded(longitude, 2) }, contour_coords: coords(circle) };
    });
  });
}
